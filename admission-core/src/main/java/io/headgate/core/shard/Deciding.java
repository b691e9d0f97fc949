package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.Check;
import io.headgate.core.limit.Counter;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.shard.Buckets.Bucket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One decision: all rules of a stage that match are asked in order of precedence; if every enforced one permits, all of
 * them are debited, otherwise none is and the first that denied is named.
 */
final class Deciding {

    private final Policy policy;
    private final Buckets buckets;
    private final long nowMillis;

    Deciding(Policy policy, Buckets buckets, long nowMillis) {
        this.policy = policy;
        this.buckets = buckets;
        this.nowMillis = nowMillis;
    }

    /** A rule that matches, what it would charge, and what it says. */
    private record Asked(Rule rule, Bucket bucket, long charge, Check check) {

        boolean denies() {
            return !check.permitted();
        }

        boolean enforced() {
            return !rule.shadow();
        }

        long remainingTokens(boolean debits) {
            return debits && check.permitted() ? check.remainingTokens() - charge : check.remainingTokens();
        }
    }

    /** A rule's counter and what is left of its limit once the decision is carried out. */
    private record Left(Rule rule, Counter counter, long remainingTokens) {}

    /** Decides; debits unless this is only a peek. */
    Decision decide(Command.Ask ask, DecisionId id) {
        Admission admission = ask.admission();
        Optional<String> group = policy.routes().groupOf(admission.route());
        List<Asked> asked = new ArrayList<>();
        for (Rule rule : policy.rules(admission.stage())) {
            ask(rule, admission, group).ifPresent(asked::add);
        }
        List<String> shadowDenials = asked.stream()
                .filter(one -> !one.enforced() && one.denies())
                .map(one -> one.rule().id())
                .limit(Decision.MAX_SHADOW_DENIALS)
                .toList();
        List<Asked> denials =
                asked.stream().filter(one -> one.enforced() && one.denies()).toList();
        boolean debits = denials.isEmpty() && !ask.peek();
        List<RuleOutcome> outcomes = ask.explain() ? outcomes(admission, asked, debits) : List.of();
        return denials.isEmpty()
                ? allow(id, asked, debits, shadowDenials, outcomes)
                : deny(id, denials, shadowDenials, outcomes);
    }

    private Optional<Asked> ask(Rule rule, Admission admission, Optional<String> group) {
        if (!rule.match().accepts(admission.authenticated(), group, admission.attributes())) {
            return Optional.empty();
        }
        return Keys.bucket(rule, admission, group).map(key -> {
            Bucket bucket = buckets.find(rule, key);
            long charge = Limit.charge(admission.cost(), costOfOne(rule, group));
            Check check = rule.limit().tokens() == 0
                    ? Check.DENY_EVERYTHING
                    : rule.limit().check(bucket.counter(), charge, nowMillis);
            return new Asked(rule, bucket, charge, check);
        });
    }

    private long costOfOne(Rule rule, Optional<String> group) {
        return rule.cost() instanceof Cost.Fixed fixed
                ? fixed.tokens()
                : policy.routes().costOf(group);
    }

    private Decision allow(
            DecisionId id, List<Asked> asked, boolean debits, List<String> shadowDenials, List<RuleOutcome> outcomes) {
        Optional<Left> tightest = Optional.empty();
        for (Asked one : asked) {
            if (one.denies()) {
                continue;
            }
            Counter counter = debits
                    ? buckets.debit(one.rule(), one.bucket(), one.charge())
                    : one.bucket().counter();
            Left left = new Left(one.rule(), counter, one.remainingTokens(debits));
            boolean limited = one.enforced() && !(one.rule().limit() instanceof Unlimited);
            if (limited && tightest.map(best -> isTighter(left, best)).orElse(true)) {
                tightest = Optional.of(left);
            }
        }
        return new Decision(
                Verdict.ALLOW,
                id,
                policy.version(),
                Optional.empty(),
                Optional.empty(),
                toLong(tightest.map(left -> left.rule().limit().tokens())),
                toLong(tightest.map(Left::remainingTokens)),
                tightest.map(left -> left.rule().limit().resetAfterMillis(left.counter(), nowMillis))
                        .orElse(OptionalLong.empty()),
                OptionalLong.empty(),
                shadowDenials,
                outcomes,
                false,
                "");
    }

    private Decision deny(DecisionId id, List<Asked> denials, List<String> shadowDenials, List<RuleOutcome> outcomes) {
        Asked first = denials.get(0);
        Limit limit = first.rule().limit();
        return new Decision(
                Verdict.DENY,
                id,
                policy.version(),
                Optional.of(first.rule().id()),
                Optional.of(first.rule().scope()),
                OptionalLong.of(limit.tokens()),
                OptionalLong.of(first.check().remainingTokens()),
                limit.resetAfterMillis(first.bucket().counter(), nowMillis),
                longestWait(denials),
                shadowDenials,
                outcomes,
                false,
                "");
    }

    /** The longest of the waits; none if one of them is unknown, since after the others that one would still deny. */
    private static OptionalLong longestWait(List<Asked> denials) {
        return denials.stream().allMatch(one -> one.check().retryAfterMillis().isPresent())
                ? denials.stream()
                        .mapToLong(one -> one.check().retryAfterMillis().getAsLong())
                        .max()
                : OptionalLong.empty();
    }

    private static boolean isTighter(Left left, Left best) {
        return Limit.compareRemaining(
                        left.remainingTokens(), left.rule().limit().tokens(),
                        best.remainingTokens(), best.rule().limit().tokens())
                < 0;
    }

    private List<RuleOutcome> outcomes(Admission admission, List<Asked> asked, boolean debits) {
        List<RuleOutcome> outcomes = new ArrayList<>();
        int next = 0;
        for (Rule rule : policy.rules(admission.stage())) {
            if (next < asked.size() && asked.get(next).rule().id().equals(rule.id())) {
                Asked one = asked.get(next++);
                outcomes.add(new RuleOutcome(
                        rule.id(),
                        one.denies() ? Said.DENY : Said.PASS,
                        rule.limit() instanceof Unlimited
                                ? OptionalLong.empty()
                                : OptionalLong.of(one.remainingTokens(debits))));
            } else {
                outcomes.add(new RuleOutcome(rule.id(), Said.SKIP, OptionalLong.empty()));
            }
        }
        return outcomes;
    }

    private static OptionalLong toLong(Optional<Long> value) {
        return value.map(OptionalLong::of).orElse(OptionalLong.empty());
    }
}
