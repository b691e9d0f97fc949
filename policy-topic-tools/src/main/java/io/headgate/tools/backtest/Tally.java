package io.headgate.tools.backtest;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Stage;
import io.headgate.tools.BadLine;
import io.headgate.tools.CountedKey;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What both policies said of all requests, counted. Bounded, however many requests and names there are. */
final class Tally {

    /** How many names are told apart of each kind, before counts are approximate. */
    static final int MAX_NAMES = 50_000;

    /** How many bad lines or records are named. */
    static final int BAD_NAMED = 10;

    /** What stands for the route group of a request that belongs to none. */
    static final String NO_GROUP = "(no route group)";

    /** Between a rule and a key of it in {@link #keys}. Neither has one. */
    static final char SEPARATOR = '\t';

    private static final int MAX_RULES = 2 * Policy.MAX_RULES + 16;
    private static final int LONGEST_SHOWN = 120;
    private static final int MAX_KNOWN_ROUTES = 10_000;

    private final Policy baseline;
    private final Policy candidate;
    private final int maxExamples;
    private final Map<String, Rule> rulesBefore = new HashMap<>();
    private final Map<String, Rule> rulesAfter = new HashMap<>();
    private final Map<String, String> groups = new HashMap<>();

    private final long[] totals = new long[Column.COUNT];
    private final Counts rules = new Counts(RuleColumn.COUNT, MAX_RULES);
    private final Counts tenants;
    private final Counts routes;
    private final Counts callers;
    private final Counts keys;
    private final Course course = new Course();
    private final List<Example> newlyDenied = new ArrayList<>();
    private final List<Example> newlyAllowed = new ArrayList<>();
    private final List<String> bad = new ArrayList<>();
    private long badCount;
    private long firstMillis = Long.MAX_VALUE;
    private long lastMillis = Long.MIN_VALUE;
    private long decisions;

    Tally(Policy baseline, Policy candidate, int maxExamples) {
        this(baseline, candidate, maxExamples, MAX_NAMES);
    }

    Tally(Policy baseline, Policy candidate, int maxExamples, int maxNames) {
        this.baseline = baseline;
        this.candidate = candidate;
        this.maxExamples = maxExamples;
        this.tenants = new Counts(Column.COUNT, maxNames);
        this.routes = new Counts(Column.COUNT, maxNames);
        this.callers = new Counts(Column.COUNT, maxNames);
        this.keys = new Counts(RuleColumn.COUNT, maxNames);
        baseline.rules().forEach(rule -> rulesBefore.put(rule.id(), rule));
        candidate.rules().forEach(rule -> rulesAfter.put(rule.id(), rule));
    }

    void add(Compared one) {
        decisions += one.before().size() + one.after().size();
        firstMillis = Math.min(firstMillis, one.timeMillis());
        lastMillis = Math.max(lastMillis, one.timeMillis());
        count(one, totals);
        count(one, course.at(one.timeMillis()));
        Admission last = one.admissions().get(one.admissions().size() - 1);
        count(one, routes.of(groupOf(last.route())));
        for (Admission admission : one.admissions()) {
            boolean tenant = admission.stage() == Stage.TENANT;
            count(one, tenant ? tenants.of(admission.partitionKey()) : callers.of(admission.partitionKey()));
        }
        countRules(one);
        if (one.newlyDenied()) {
            addExample(one, one.after(), newlyDenied);
        } else if (one.newlyAllowed()) {
            addExample(one, one.before(), newlyAllowed);
        }
    }

    private static void count(Compared one, long[] counts) {
        Verdict before = Compared.verdict(one.before());
        Verdict after = Compared.verdict(one.after());
        counts[Column.REQUESTS.place()]++;
        if (before == Verdict.ALLOW && after == Verdict.ALLOW) {
            return;
        }
        raise(counts, Column.DENIED_BEFORE, before == Verdict.DENY);
        raise(counts, Column.DENIED_AFTER, after == Verdict.DENY);
        raise(counts, Column.NEWLY_DENIED, one.newlyDenied());
        raise(counts, Column.NEWLY_ALLOWED, one.newlyAllowed());
        raise(counts, Column.UNDECIDED_BEFORE, before != Verdict.DENY && before != Verdict.ALLOW);
        raise(counts, Column.UNDECIDED_AFTER, after != Verdict.DENY && after != Verdict.ALLOW);
    }

    private void countRules(Compared one) {
        countNamed(one.before(), RuleColumn.SHADOW_BEFORE, RuleColumn.SOFT_BEFORE);
        countNamed(one.after(), RuleColumn.SHADOW_AFTER, RuleColumn.SOFT_AFTER);
        if (Compared.verdict(one.before()) == Verdict.DENY) {
            String rule = Compared.denyingRule(one.before());
            raise(rules.of(rule), RuleColumn.DENIED_BEFORE, true);
            if (one.newlyAllowed()) {
                countKey(rule, rulesBefore.get(rule), baseline, one, RuleColumn.NEWLY_ALLOWED);
            }
        }
        if (Compared.verdict(one.after()) == Verdict.DENY) {
            String rule = Compared.denyingRule(one.after());
            raise(rules.of(rule), RuleColumn.DENIED_AFTER, true);
            if (one.newlyDenied()) {
                countKey(rule, rulesAfter.get(rule), candidate, one, RuleColumn.NEWLY_DENIED);
            }
        }
    }

    private void countNamed(List<Decision> decisions, RuleColumn shadow, RuleColumn soft) {
        for (Decision decision : decisions) {
            for (String rule : decision.shadowDenials()) {
                raise(rules.of(rule), shadow, true);
            }
            for (String rule : decision.softDenials()) {
                raise(rules.of(rule), soft, true);
            }
        }
    }

    /**
     * Counts a change under the rule and under its key.
     *
     * @param rule null if no rule of the policy denied, but a suspension or a ban
     */
    private void countKey(String ruleId, Rule rule, Policy policy, Compared one, RuleColumn column) {
        long[] ofRule = rules.of(ruleId);
        raise(ofRule, RuleColumn.CHANGED, true);
        raise(ofRule, column, true);
        long[] ofKey = keys.of(ruleId + SEPARATOR + BadLine.shown(keyOf(rule, policy, one), LONGEST_SHOWN));
        raise(ofKey, RuleColumn.CHANGED, true);
        raise(ofKey, column, true);
    }

    private static String keyOf(Rule rule, Policy policy, Compared one) {
        for (Admission admission : one.admissions()) {
            if (rule != null && admission.stage() == rule.stage()) {
                return CountedKey.of(rule, admission, policy.routes().groupOf(admission.route()))
                        .orElse("");
            }
        }
        return one.admissions().get(one.admissions().size() - 1).partitionKey();
    }

    private void addExample(Compared one, List<Decision> denial, List<Example> examples) {
        if (examples.size() == maxExamples) {
            return;
        }
        Decision decision = denial.get(denial.size() - 1);
        String ruleId = Compared.denyingRule(denial);
        Rule rule = denial == one.after() ? rulesAfter.get(ruleId) : rulesBefore.get(ruleId);
        Admission asked = one.admissions().get(one.admissions().size() - 1);
        for (Admission admission : one.admissions()) {
            if (rule != null && admission.stage() == rule.stage()) {
                asked = admission;
            }
        }
        examples.add(new Example(
                one.place().inWords(),
                one.timeMillis(),
                BadLine.shown(asked.partitionKey(), LONGEST_SHOWN),
                BadLine.shown(asked.route(), LONGEST_SHOWN),
                ruleId,
                decision.limit().orElse(-1),
                decision.remaining().orElse(-1),
                decision.retryAfterMillis().orElse(-1)));
    }

    /** The group under the candidate; of few routes, each is looked up once. */
    private String groupOf(String route) {
        String known = groups.get(route);
        if (known != null) {
            return known;
        }
        Optional<String> group = candidate.routes().groupOf(route);
        if (groups.size() < MAX_KNOWN_ROUTES) {
            groups.put(route, group.orElse(NO_GROUP));
        }
        return group.orElse(NO_GROUP);
    }

    private static void raise(long[] counts, CountColumn column, boolean it) {
        counts[column.place()] += it ? 1 : 0;
    }

    /** Counts a line or a record that could not be read. */
    void addBad(String what) {
        badCount++;
        if (bad.size() < BAD_NAMED) {
            bad.add(what);
        }
    }

    long total(Column column) {
        return totals[column.place()];
    }

    Counts rules() {
        return rules;
    }

    Counts tenants() {
        return tenants;
    }

    Counts routes() {
        return routes;
    }

    /** By address and login name, as their partition keys are. */
    Counts callers() {
        return callers;
    }

    /** By rule and key, what changed. */
    Counts keys() {
        return keys;
    }

    Course course() {
        return course;
    }

    List<Example> newlyDenied() {
        return newlyDenied;
    }

    List<Example> newlyAllowed() {
        return newlyAllowed;
    }

    /** The first of what could not be read, in words. */
    List<String> bad() {
        return bad;
    }

    long badCount() {
        return badCount;
    }

    /** Of the first request; only where there is one. */
    long firstMillis() {
        return firstMillis;
    }

    long lastMillis() {
        return lastMillis;
    }

    /** Of both policies together. */
    long decisions() {
        return decisions;
    }

    void writeTo(DataOutput out) throws IOException {
        for (long total : totals) {
            out.writeLong(total);
        }
        for (Counts counts : List.of(rules, tenants, routes, callers, keys)) {
            counts.writeTo(out);
        }
        course.writeTo(out);
        for (List<Example> examples : List.of(newlyDenied, newlyAllowed)) {
            out.writeInt(examples.size());
            for (Example example : examples) {
                example.writeTo(out);
            }
        }
        out.writeLong(badCount);
        out.writeInt(bad.size());
        for (String one : bad) {
            out.writeUTF(one);
        }
        out.writeLong(firstMillis);
        out.writeLong(lastMillis);
        out.writeLong(decisions);
    }

    void readFrom(DataInput in) throws IOException {
        for (int i = 0; i < totals.length; i++) {
            totals[i] = in.readLong();
        }
        for (Counts counts : List.of(rules, tenants, routes, callers, keys)) {
            counts.readFrom(in);
        }
        course.readFrom(in);
        for (List<Example> examples : List.of(newlyDenied, newlyAllowed)) {
            examples.clear();
            for (int left = in.readInt(); left > 0; left--) {
                examples.add(Example.readFrom(in));
            }
        }
        badCount = in.readLong();
        bad.clear();
        for (int left = in.readInt(); left > 0; left--) {
            bad.add(in.readUTF());
        }
        firstMillis = in.readLong();
        lastMillis = in.readLong();
        decisions = in.readLong();
    }
}
