package io.headgate.tools;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Counts the answers of an evaluation, and says at the end what a person wants to know of them. */
final class EvaluationSummary {

    /** How many bad lines, and how many errors, are named. */
    static final int NAMED = 10;

    /** How many keys are shown of each rule that denied. */
    static final int TOP_KEYS = 10;

    /** How many denied keys are counted of each rule. */
    static final int MAX_KEYS_PER_RULE = 10_000;

    private static final int LONGEST_KEY = 80;

    private final Policy policy;
    private final Map<String, Rule> rules = new HashMap<>();
    private final Map<String, KeyCounts> denials = new TreeMap<>();
    private final Map<String, Long> shadowDenials = new HashMap<>();
    private final Map<String, Long> softDenials = new HashMap<>();
    private final List<String> errors = new ArrayList<>();
    private final List<BadLine> firstBadLines = new ArrayList<>();
    private long badLines;
    private long requests;
    private long allowed;
    private long unruled;
    private long denied;
    private long failed;
    private long peeked;
    private long replayed;
    private long outOfOrder;
    private long firstMillis = Long.MAX_VALUE;
    private long lastMillis;
    private long previousMillis;

    EvaluationSummary(Policy policy) {
        this.policy = policy;
        policy.rules().forEach(rule -> rules.put(rule.id(), rule));
    }

    /** Counts a line that could not be read. */
    void addBad(BadLine line) {
        badLines++;
        if (firstBadLines.size() < NAMED) {
            firstBadLines.add(line);
        }
    }

    /** Takes over what reading a log has counted, which was not in order when it was read. */
    void addReading(AccessLog log) {
        badLines += log.badLines();
        outOfOrder += log.outOfOrder();
        firstBadLines.addAll(log.firstBadLines());
    }

    void add(Answer answer) {
        requests++;
        addTime(answer.request().timeMillis());
        if (answer.request().peek()) {
            peeked++;
        }
        if (answer.decisive().isEmpty()) {
            unruled++;
        }
        if (answer.decisive().map(Decision::replayed).orElse(false)) {
            replayed++;
        }
        if (answer.verdict() == Verdict.ALLOW) {
            allowed++;
        } else if (answer.verdict() == Verdict.DENY) {
            denied++;
            addDenial(answer);
        } else {
            failed++;
            addError(answer);
        }
        for (Decision decision : answer.decisions()) {
            decision.shadowDenials().forEach(ruleId -> shadowDenials.merge(ruleId, 1L, Long::sum));
            decision.softDenials().forEach(ruleId -> softDenials.merge(ruleId, 1L, Long::sum));
        }
    }

    private void addTime(long timeMillis) {
        if (timeMillis < previousMillis) {
            outOfOrder++;
        }
        previousMillis = timeMillis;
        firstMillis = Math.min(firstMillis, timeMillis);
        lastMillis = Math.max(lastMillis, timeMillis);
    }

    private void addDenial(Answer answer) {
        Decision decision = answer.decisive().orElseThrow();
        String denyingRule = decision.denyingRule().orElseThrow();
        Optional<Rule> rule = Optional.ofNullable(rules.get(denyingRule));
        String key = rule.map(known -> keyOf(known, answer.request()))
                .orElseGet(() -> keyOf(decision.scope().orElseThrow(), answer.request()));
        denials.computeIfAbsent(denyingRule, id -> new KeyCounts(MAX_KEYS_PER_RULE))
                .add(key);
    }

    private String keyOf(Rule rule, Request request) {
        for (Admission admission : request.admissions()) {
            if (admission.stage() == rule.stage()) {
                Optional<String> group = policy.routes().groupOf(admission.route());
                return BadLine.shown(CountedKey.of(rule, admission, group).orElse(""), LONGEST_KEY);
            }
        }
        throw new IllegalArgumentException("rule " + rule.id() + " denied a request that has no key for it");
    }

    /** Of what no rule of the policy denied, but an operator: a tenant, as long as there are only plans here. */
    private static String keyOf(Scope scope, Request request) {
        Admission last = request.admissions().get(request.admissions().size() - 1);
        return BadLine.shown(last.part(scope, Optional.empty()), LONGEST_KEY);
    }

    private void addError(Answer answer) {
        if (errors.size() < NAMED) {
            Decision decision = answer.decisive().orElseThrow();
            String who = answer.request().requestId().isEmpty()
                    ? ""
                    : ", requestId " + BadLine.shown(answer.request().requestId(), LONGEST_KEY);
            String why = answer.problems().isEmpty() ? decision.reason() : String.join("; ", answer.problems());
            errors.add("t " + answer.request().timeMillis() + who + ": " + decision.verdict() + ": " + why);
        }
    }

    void print(PrintWriter out) {
        line(out, "requests", requests + ofThem(peeked, "peeked") + ofThem(replayed, "replayed"));
        line(out, "bad lines", Long.toString(badLines));
        firstBadLines.forEach(bad -> out.println("  " + bad));
        more(out, badLines - firstBadLines.size());
        if (requests > 0) {
            line(out, "time", Instant.ofEpochMilli(firstMillis) + " to " + Instant.ofEpochMilli(lastMillis));
        }
        line(out, "out of order", Long.toString(outOfOrder));
        line(out, "allowed", allowed + ofThem(unruled, "that no rule speaks of"));
        line(out, "denied", Long.toString(denied));
        for (Rule rule : policy.rules()) {
            if (denials.containsKey(rule.id())) {
                printDenials(out, rule.id(), denials.get(rule.id()));
            }
        }
        denials.forEach((id, counts) -> {
            if (!rules.containsKey(id)) {
                printDenials(out, id, counts);
            }
        });
        line(out, "errors", Long.toString(failed));
        errors.forEach(error -> out.println("  " + error));
        more(out, failed - errors.size());
        printByRule(out, "shadow denials", shadowDenials);
        if (policy.rules().stream().anyMatch(rule -> rule.enforcement() instanceof Enforcement.Soft)) {
            printByRule(out, "soft denials", softDenials);
        }
    }

    private void printByRule(PrintWriter out, String name, Map<String, Long> counts) {
        line(
                out,
                name,
                Long.toString(
                        counts.values().stream().mapToLong(Long::longValue).sum()));
        for (Rule rule : policy.rules()) {
            if (counts.containsKey(rule.id())) {
                out.println("  " + rule.id() + " " + counts.get(rule.id()));
            }
        }
    }

    private static void printDenials(PrintWriter out, String ruleId, KeyCounts counts) {
        out.println("  " + ruleId + " " + counts.total());
        List<KeyCounts.Count> top = counts.top(TOP_KEYS);
        top.forEach(count -> out.printf("    %8d  %s%n", count.count(), count.key()));
        if (counts.others() > 0) {
            out.println("    and keys beyond the first " + MAX_KEYS_PER_RULE + ", which are not told apart");
        } else if (counts.keys() > top.size()) {
            out.println("    and " + (counts.keys() - top.size()) + " more keys");
        }
    }

    private static void more(PrintWriter out, long count) {
        if (count > 0) {
            out.println("  and " + count + " more");
        }
    }

    private static String ofThem(long count, String what) {
        return count == 0 ? "" : ", " + count + " of them " + what;
    }

    private static void line(PrintWriter out, String name, String value) {
        out.printf("%-15s %s%n", name, value);
    }
}
