package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Naive;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Every key of every rule in a map, and everything that decides its limit. Whatever changes a limit, be it a policy, a
 * plan, or the end of an action, is applied at once to every key that it concerns.
 */
final class NaiveLedger {

    private static final int MOST_ACTIONS = 200;

    private final Map<String, Map<List<String>, Kept>> counters = new TreeMap<>();
    private final Map<String, TenantPlan> plans = new HashMap<>();
    private final Map<String, List<Action>> actions = new TreeMap<>();
    private final Set<String> zones = new HashSet<>(Set.of("UTC"));
    private long now;

    /** What one key has spent, and the rule that it is under, or was under when it had one last. */
    private record Kept(Rule rule, Naive naive) {}

    /** Actions end in order of time before anything else happens. */
    void timeIs(long millis) {
        now = Math.max(now, millis);
        List<Action> ended = actions.values().stream()
                .flatMap(List::stream)
                .filter(action -> endOf(action) <= now)
                .sorted(Comparator.comparingLong(NaiveLedger::endOf))
                .toList();
        for (Action action : ended) {
            String partitionKey = action.subject().partitionKey();
            actionsOf(partitionKey).remove(action);
            relimit(partitionKey, endOf(action));
        }
    }

    long now() {
        return now;
    }

    void learn(String zone) {
        zones.add(zone);
    }

    /** {@code next} has taken effect: every key is visited, and asked which version it is under now. */
    void apply(Policy next, NaiveVersions versions) {
        for (String ruleId : List.copyOf(counters.keySet())) {
            for (List<String> key : List.copyOf(counted(ruleId).keySet())) {
                Policy version = versions.ofKey(key.get(0), ruleId);
                rule(version, ruleId).ifPresent(rule -> change(rule, key, version == next && rule.resetBudgets()));
            }
        }
    }

    private void change(Rule rule, List<String> key, boolean wished) {
        Rule last = counted(rule.id()).get(key).rule();
        boolean afresh = wished
                || rule.stage() != last.stage()
                || rule.scope() != last.scope()
                || !rule.composite().equals(last.composite())
                || !rule.meter().equals(last.meter())
                || !rule.limit().algorithm().equals(last.limit().algorithm());
        if (afresh) {
            counted(rule.id()).remove(key);
        } else {
            relimit(rule, key, now);
        }
    }

    private Map<List<String>, Kept> counted(String ruleId) {
        return counters.computeIfAbsent(ruleId, id -> new HashMap<>());
    }

    private static Optional<Rule> rule(Policy version, String ruleId) {
        return version.rules().stream().filter(rule -> rule.id().equals(ruleId)).findFirst();
    }

    void apply(TenantPlan plan) {
        if (plan.status() == TenantPlan.Status.REMOVED) {
            plans.remove(plan.tenant());
            actions.remove(plan.tenant());
            counters.values()
                    .forEach(counted ->
                            counted.keySet().removeIf(key -> key.get(0).equals(plan.tenant())));
            return;
        }
        plans.put(plan.tenant(), plan);
        relimit(plan.tenant(), now);
    }

    /** Whether it is carried out. */
    boolean act(Action action, Optional<NaiveVersions> versions) {
        String partitionKey = action.subject().partitionKey();
        List<Action> inForce = actionsOf(partitionKey);
        if (action.effect() instanceof Action.Lift lift) {
            boolean lifted = inForce.removeIf(other -> other.id().equals(lift.actionId()));
            relimit(partitionKey, now);
            return lifted;
        }
        if (action.effect() instanceof Action.Reset reset) {
            Optional<List<String>> key = keyOf(action, reset.ruleId(), versions);
            key.ifPresent(found -> counted(reset.ruleId()).remove(found));
            return key.isPresent();
        }
        if (action.effect() instanceof Action.Credit credit) {
            return keyOf(action, credit.ruleId(), versions)
                    .map(key -> credit(credit.ruleId(), key, credit.tokens()))
                    .orElse(false);
        }
        long others = inForce.stream()
                .filter(other -> !other.id().equals(action.id()))
                .count();
        boolean holds = endOf(action) > now;
        if (holds && others == MOST_ACTIONS) {
            return false;
        }
        inForce.removeIf(other -> other.id().equals(action.id()));
        if (holds) {
            inForce.add(action);
        }
        relimit(partitionKey, now);
        return true;
    }

    private Optional<List<String>> keyOf(Action action, String ruleId, Optional<NaiveVersions> versions) {
        return versions.flatMap(present -> {
            Policy version = present.ofKey(action.subject().partitionKey(), ruleId);
            return rule(version, ruleId)
                    .filter(found -> found.stage() == action.subject().stage())
                    .flatMap(found -> NaiveKeys.of(
                            found,
                            action.subject().asAdmission(),
                            version.routes().groupOf(action.subject().route())));
        });
    }

    private boolean credit(String ruleId, List<String> key, long tokens) {
        Kept kept = counted(ruleId).get(key);
        if (kept == null || kept.naive().untouched()) {
            return true;
        }
        Naive then = isLocated(kept.naive().limit()) ? kept.naive().at(now) : kept.naive();
        counted(ruleId).put(key, new Kept(kept.rule(), then.given(tokens)));
        return true;
    }

    /** The limit of a rule for the holder of a partition key. */
    Limit limitOf(Rule rule, String partitionKey) {
        Optional<TenantPlan> plan = Optional.ofNullable(plans.get(partitionKey));
        if (plan.map(TenantPlan::unlimited).orElse(false)) {
            return new Unlimited();
        }
        Limit own = overrideOf(rule, partitionKey)
                .map(action -> ((Action.LimitOverride) action.effect()).limit())
                .or(() ->
                        plan.map(present -> present.overrides().get(rule.id())).filter(limit -> applies(limit, rule)))
                .orElseGet(() ->
                        rule.byPlan().getOrDefault(plan.map(TenantPlan::plan).orElse("default"), rule.limit()));
        return own instanceof FixedWindowLimit windowed
                        && windowed.window() instanceof Window.Calendar calendar
                        && calendar.zone().equals("tenant")
                ? new FixedWindowLimit(
                        windowed.limitTokens(),
                        new Window.Calendar(
                                calendar.unit(), plan.flatMap(TenantPlan::zone).orElse("UTC")))
                : own;
    }

    private Optional<Action> overrideOf(Rule rule, String partitionKey) {
        return actionsOf(partitionKey).stream()
                .filter(action -> action.effect() instanceof Action.LimitOverride override
                        && override.ruleId().equals(rule.id())
                        && applies(override.limit(), rule))
                .reduce((earlier, later) -> later);
    }

    private static boolean applies(Limit own, Rule rule) {
        return own instanceof Unlimited || own.algorithm().equals(rule.limit().algorithm());
    }

    /** The ids of overrides that decide the limit of one of these rules, as they came. */
    List<String> overridesOf(List<Rule> asked, String partitionKey) {
        if (Optional.ofNullable(plans.get(partitionKey))
                .map(TenantPlan::unlimited)
                .orElse(false)) {
            return List.of();
        }
        return actionsOf(partitionKey).stream()
                .filter(action -> asked.stream()
                        .anyMatch(rule -> overrideOf(rule, partitionKey).equals(Optional.of(action))))
                .map(Action::id)
                .toList();
    }

    boolean suspended(String partitionKey) {
        return plans.containsKey(partitionKey) && plans.get(partitionKey).status() == TenantPlan.Status.SUSPENDED;
    }

    List<Action> actionsOf(String partitionKey) {
        return actions.computeIfAbsent(partitionKey, key -> new ArrayList<>());
    }

    static long endOf(Action action) {
        return action.effect() instanceof Action.Ban ban
                ? ban.untilMillis()
                : ((Action.LimitOverride) action.effect()).untilMillis();
    }

    /** Whether anybody can say when the limit's windows end. */
    boolean isLocated(Limit limit) {
        return !(limit instanceof FixedWindowLimit windowed
                && windowed.window() instanceof Window.Calendar calendar
                && !zones.contains(calendar.zone()));
    }

    /** A key as it is now. */
    Naive now(Rule rule, List<String> key) {
        Kept kept = counted(rule.id()).get(key);
        return kept == null
                ? Naive.fresh(limitOf(rule, key.get(0)), now)
                : kept.naive().at(now);
    }

    void keep(Rule rule, List<String> key, Naive naive) {
        if (!(naive.limit() instanceof Unlimited)) {
            counted(rule.id()).put(key, new Kept(rule, naive));
        }
    }

    private void relimit(String partitionKey, long atMillis) {
        for (Map<List<String>, Kept> counted : counters.values()) {
            List.copyOf(counted.keySet()).stream()
                    .filter(key -> key.get(0).equals(partitionKey))
                    .forEach(key -> relimit(counted.get(key).rule(), key, atMillis));
        }
    }

    private void relimit(Rule rule, List<String> key, long atMillis) {
        Map<List<String>, Kept> counted = counted(rule.id());
        Naive naive = counted.get(key).naive();
        Limit next = limitOf(rule, key.get(0));
        if (next.equals(naive.limit())) {
            counted.put(key, new Kept(rule, naive));
        } else if (!next.algorithm().equals(naive.limit().algorithm())) {
            counted.remove(key);
        } else {
            Naive then = isLocated(naive.limit()) ? naive.at(atMillis) : naive;
            counted.put(key, new Kept(rule, then.under(next)));
        }
    }
}
