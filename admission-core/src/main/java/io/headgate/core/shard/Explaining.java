package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.Trace;
import io.headgate.core.policy.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** How a decision came about, rule by rule. */
final class Explaining {

    private Explaining() {}

    /** What each of a stage's rules said; {@code asked} are those of them that spoke of the request, in order. */
    static List<RuleOutcome> outcomes(List<Rule> rules, List<Asked> asked, boolean debits) {
        List<RuleOutcome> outcomes = new ArrayList<>(rules.size());
        int next = 0;
        for (Rule rule : rules) {
            if (next < asked.size() && asked.get(next).rule().id().equals(rule.id())) {
                Asked one = asked.get(next++);
                outcomes.add(new RuleOutcome(rule.id(), one.said(), one.ifLimited(one.remainingTokens(debits))));
            } else {
                outcomes.add(new RuleOutcome(rule.id(), Said.SKIP, OptionalLong.empty()));
            }
        }
        return outcomes;
    }

    static Trace trace(
            Decision decision,
            long nowMillis,
            Admission admission,
            Optional<String> group,
            List<Asked> asked,
            boolean debits) {
        return new Trace(
                decision.id(),
                nowMillis,
                admission.stage(),
                admission.partitionKey(),
                group,
                decision.verdict(),
                decision.policyVersion(),
                decision.denyingRule(),
                decision.actions(),
                asked.stream().map(one -> line(one, debits)).toList());
    }

    private static Trace.Line line(Asked one, boolean debits) {
        return new Trace.Line(
                one.rule().id(),
                one.rule().enforcement().label(),
                one.rule().meter(),
                one.charge(),
                one.ifLimited(one.bucket().limit().tokens()),
                one.ifLimited(one.check().remainingTokens()),
                one.ifLimited(one.remainingTokens(debits)),
                one.said(),
                one.check().retryAfterMillis());
    }
}
