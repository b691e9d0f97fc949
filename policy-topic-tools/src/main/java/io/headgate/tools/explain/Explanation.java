package io.headgate.tools.explain;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Trace;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.tools.BadLine;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is known of a decision.
 *
 * @param id the decision
 * @param source where it is known from
 * @param place what stands in the log
 * @param trace how it came about
 * @param decision what was answered, if the log was folded again
 * @param origin where its policy version comes from
 * @param notes what is missing and why
 */
record Explanation(
        DecisionId id,
        Source source,
        Place.Standing place,
        Optional<Trace> trace,
        Optional<Decision> decision,
        Optional<Origin> origin,
        List<String> notes) {

    private static final int LONGEST_SHOWN = 256;

    Explanation {
        notes = List.copyOf(notes);
    }

    /** Where an explanation comes from. */
    enum Source {
        TRACE("from its trace on decision-trace"),
        FOLD("from the log, folded again from its beginning"),
        REQUEST("from the log: the request alone");

        private final String words;

        Source(String words) {
            this.words = words;
        }
    }

    Optional<Verdict> verdict() {
        return trace.map(Trace::verdict).or(() -> decision.map(Decision::verdict));
    }

    /** The lines of all rules of the stage, those that did not speak of the request among them, in order. */
    private Map<String, Optional<Trace.Line>> rules() {
        Map<String, Optional<Trace.Line>> lines = new LinkedHashMap<>();
        if (trace.isPresent()) {
            Stage stage = trace.get().stage();
            origin.ifPresent(it -> it.policy().rules(stage).forEach(rule -> lines.put(rule.id(), Optional.empty())));
            trace.get().lines().forEach(line -> lines.put(line.ruleId(), Optional.of(line)));
        }
        return lines;
    }

    /** How the verdict came about, in a sentence. */
    private String because() {
        if (trace.isEmpty()) {
            Decision answered = decision.orElseThrow();
            return answered.replayed()
                    ? "its batch came again; it repeats decision " + answered.id() + " and debited nothing"
                    : answered.reason().isEmpty() ? "no rule was asked" : shown(answered.reason());
        }
        Trace it = trace.get();
        if (it.verdict() == Verdict.ALLOW) {
            long asked = it.lines().stream()
                    .filter(line -> !line.enforcement().equals("shadow"))
                    .count();
            return asked == 0
                    ? "no rule that is enforced speaks of it"
                    : "every rule that is enforced permits it"
                            + (isPeek() ? "; it was a peek and debited nothing" : "");
        }
        if (it.denyingRule().isPresent()) {
            String rule = it.denyingRule().get();
            return rule.startsWith(Rule.RESERVED)
                    ? "an operator's doing goes before all rules: " + shown(rule)
                    : "rule " + shown(rule) + " is the first that denies; nothing was debited";
        }
        return "no rule is named";
    }

    private boolean isPeek() {
        return place instanceof Place.Request request && request.ask().peek();
    }

    void print(PrintWriter out) {
        String headline = verdict().map(Enum::name).orElse("NOT KNOWN");
        out.println("decision " + id + "  " + headline);
        out.println("  " + source.words);
        if (verdict().isPresent()) {
            out.println("  because " + because());
        }
        printRequest(out);
        trace.map(Trace::policyVersion)
                .or(() -> decision.map(Decision::policyVersion))
                .ifPresent(version -> out.println("  policy version " + version + provenance()));
        printRules(out);
        notes.forEach(note -> out.println("  note: " + note));
        out.flush();
    }

    private String provenance() {
        return origin.map(it -> ", published " + Instant.ofEpochMilli(it.atMillis()) + " by "
                        + (it.author().isBlank() ? "somebody who is not named" : shown(it.author()))
                        + (it.reason().isBlank() ? "" : ": " + shown(it.reason())))
                .orElse("");
    }

    private void printRequest(PrintWriter out) {
        if (place instanceof Place.Request request) {
            out.println("  request at " + Instant.ofEpochMilli(request.atMillis()) + ", command " + id.index() + " of "
                    + request.batch());
            requestFields(request).forEach((name, value) -> out.println("    " + name + "  " + value));
        } else if (place instanceof Place.Malformed malformed) {
            out.println("  request: cannot be read: " + shown(malformed.reason()));
        } else if (place instanceof Place.Gone gone) {
            out.println("  request: is not in the log any more, which begins at offset " + gone.beginsAt());
        }
    }

    /** What was asked, as far as it was said. People and keys are pseudonyms. */
    private Map<String, String> requestFields(Place.Request request) {
        Command.Ask ask = request.ask();
        Admission admission = ask.admission();
        Identity who = admission.identity();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("stage", admission.stage().label());
        putText(fields, "tenant", who.tenant());
        putText(fields, "user", who.user());
        putText(fields, "api-key", who.apiKey());
        putText(fields, "ip", who.ip());
        putText(fields, "target", who.target());
        fields.put("authenticated", Boolean.toString(admission.authenticated()));
        putText(fields, "route", admission.route());
        trace.flatMap(Trace::group).ifPresent(group -> putText(fields, "route group", group));
        admission.attributes().forEach((name, value) -> fields.put("attributes." + shown(name), shown(value)));
        admission.costs().forEach((meter, cost) -> fields.put("cost in " + meter, Long.toString(cost)));
        if (ask.peek()) {
            fields.put("peek", "true");
        }
        if (!ask.idempotencyKey().isEmpty()) {
            putText(fields, "idempotency key", ask.idempotencyKey());
        }
        if (ask.deadlineMillis() != Command.NEVER) {
            fields.put("deadline", instant(ask.deadlineMillis()));
        }
        return fields;
    }

    private static void putText(Map<String, String> fields, String name, String value) {
        if (!value.isEmpty()) {
            fields.put(name, shown(value));
        }
    }

    /** A stranger's number may be beyond what a date can be. */
    private static String instant(long millis) {
        return millis < 0 || millis > 253_402_300_799_999L
                ? millis + " ms"
                : Instant.ofEpochMilli(millis).toString();
    }

    private void printRules(PrintWriter out) {
        if (trace.isEmpty()) {
            return;
        }
        out.println("  stage " + trace.get().stage().label());
        List<Map.Entry<String, Optional<Trace.Line>>> rules = new ArrayList<>(rules().entrySet());
        for (int i = 0; i < rules.size(); i++) {
            String branch = i == rules.size() - 1 ? "  └─ " : "  ├─ ";
            String said = rules.get(i)
                    .getValue()
                    .map(Trace.Line::said)
                    .orElse(Said.SKIP)
                    .name();
            out.println(branch
                    + String.format(Locale.ROOT, "%-4s  ", said)
                    + shown(rules.get(i).getKey())
                    + rules.get(i).getValue().map(Explanation::numbers).orElse("  does not speak of it"));
        }
        if (!trace.get().actions().isEmpty()) {
            out.println("  operators' actions with a part in it: "
                    + trace.get().actions().stream().map(Explanation::shown).toList());
        }
    }

    private static String numbers(Trace.Line line) {
        StringBuilder text = new StringBuilder();
        if (line.enforcement().equals("shadow")) {
            text.append("  (shadow: changes nothing)");
        }
        if (line.limitTokens().isEmpty()) {
            return text.append("  unlimited").toString();
        }
        text.append("  limit ").append(line.limitTokens().getAsLong());
        line.beforeTokens().ifPresent(tokens -> text.append(", before ").append(tokens));
        text.append(", cost ").append(line.chargeTokens());
        if (!line.meter().equals("requests")) {
            text.append(' ').append(shown(line.meter()));
        }
        line.afterTokens().ifPresent(tokens -> text.append(", after ").append(tokens));
        line.retryAfterMillis()
                .ifPresent(
                        millis -> text.append(", retry after ").append(millis).append(" ms"));
        return text.toString();
    }

    ObjectNode json() {
        ObjectNode json = new ObjectMapper().createObjectNode().put("decisionId", id.toString());
        json.put("source", source.name().toLowerCase(Locale.ROOT));
        verdict().ifPresent(verdict -> json.put("verdict", verdict.name()).put("because", because()));
        if (place instanceof Place.Request request) {
            ObjectNode asked = json.putObject("request").put("atMillis", request.atMillis());
            requestFields(request).forEach(asked::put);
        } else if (place instanceof Place.Malformed malformed) {
            json.putObject("request").put("malformed", shown(malformed.reason()));
        } else if (place instanceof Place.Gone gone) {
            json.put("logBeginsAt", gone.beginsAt());
        }
        trace.map(Trace::policyVersion)
                .or(() -> decision.map(Decision::policyVersion))
                .ifPresent(version -> json.put("policyVersion", version));
        origin.ifPresent(it -> json.putObject("policy")
                .put("version", it.version())
                .put("author", it.author())
                .put("reason", it.reason())
                .put("publishedMillis", it.atMillis()));
        trace.ifPresent(it -> {
            json.put("logTimeMillis", it.atMillis());
            json.put("stage", it.stage().label());
            json.put("partitionKey", it.partitionKey());
            it.denyingRule().ifPresent(rule -> json.put("denyingRule", rule));
            it.actions().forEach(json.withArrayProperty("actions")::add);
            rules().forEach((rule, line) -> {
                ObjectNode one = json.withArrayProperty("rules").addObject().put("rule", rule);
                one.put("said", line.map(Trace.Line::said).orElse(Said.SKIP).name());
                line.ifPresent(spoke -> put(one, spoke));
            });
        });
        notes.forEach(json.withArrayProperty("notes")::add);
        return json;
    }

    private static void put(ObjectNode json, Trace.Line line) {
        json.put("enforcement", line.enforcement()).put("meter", line.meter()).put("cost", line.chargeTokens());
        put(json, "limit", line.limitTokens());
        put(json, "before", line.beforeTokens());
        put(json, "after", line.afterTokens());
        put(json, "retryAfterMillis", line.retryAfterMillis());
    }

    private static void put(ObjectNode json, String name, OptionalLong value) {
        value.ifPresent(number -> json.put(name, number));
    }

    private static String shown(String text) {
        return BadLine.shown(text, LONGEST_SHOWN);
    }
}
