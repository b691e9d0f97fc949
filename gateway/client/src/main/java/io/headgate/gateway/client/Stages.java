package io.headgate.gateway.client;

import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which stages a question is put to: in order, each that it may be put to, whose key the caller has, and in which a rule
 * can speak of it. Where no rule can, in none of them, the last is asked all the same, so that every answer is a
 * decision in a log. Several versions may decide a question while one is rolled out or waits for its time; a stage is asked
 * if one of them has a rule there. While no policy is known each stage is asked whose key is there; a stage too many only costs time.
 */
final class Stages {

    private final Set<Stage> always;

    /**
     * Makes the choice of one client.
     *
     * @param always stages that are asked whether a rule speaks of a question or not
     */
    Stages(Set<Stage> always) {
        this.always = Set.copyOf(always);
    }

    /**
     * The stages for a question, at least one.
     *
     * @param policies every version that may decide it; none while none is known
     */
    List<Stage> of(Ask ask, List<Policy> policies) {
        List<Stage> counted = new ArrayList<>(ask.stages());
        counted.removeIf(stage -> !ask.caller().isCountedIn(stage));
        if (counted.size() == 1 || policies.isEmpty()) {
            return counted;
        }
        EnumSet<Stage> ruled = EnumSet.noneOf(Stage.class);
        ruled.addAll(always);
        for (Policy policy : policies) {
            Optional<String> group = policy.routes().groupOf(ask.route());
            for (Stage stage : counted) {
                if (!ruled.contains(stage) && isRuled(stage, ask, policy, group)) {
                    ruled.add(stage);
                }
            }
        }
        List<Stage> asked = new ArrayList<>(counted);
        asked.removeIf(stage -> !ruled.contains(stage));
        return asked.isEmpty() ? List.of(counted.get(counted.size() - 1)) : asked;
    }

    private static boolean isRuled(Stage stage, Ask ask, Policy policy, Optional<String> group) {
        return policy.rules(stage).stream().anyMatch(rule -> ask.isSpokenOfBy(rule, group));
    }
}
