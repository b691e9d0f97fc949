package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/** What operators might do to the callers of a random log: plans, and actions that often end soon. */
final class RandomOperators {

    private static final List<String> ACTION_IDS = List.of("op-1", "op-2", "op-3", "op-4", "op-5", "op-6");
    private static final List<String> PLANS = List.of("free", "pro", "gold", "default", "no-such-plan");

    private final Random random;
    private final RandomPolicies policies;
    private long planSource = -1;
    private long actionSource = -1;
    private long nextEndMillis;

    RandomOperators(Random random, RandomPolicies policies) {
        this.random = random;
        this.policies = policies;
    }

    Control plans() {
        List<TenantPlan> plans = new ArrayList<>();
        for (int left = 1 + random.nextInt(3); left > 0; left--) {
            plans.add(plan());
        }
        long previous = planSource;
        planSource += plans.size();
        return new Control.ApplyPlans(planSource, previous, plans);
    }

    private TenantPlan plan() {
        TenantPlan.Status status = switch (random.nextInt(12)) {
            case 0 -> TenantPlan.Status.SUSPENDED;
            case 1 -> TenantPlan.Status.REMOVED;
            default -> TenantPlan.Status.ACTIVE;
        };
        Optional<String> zone = switch (random.nextInt(12)) {
            case 0 -> Optional.of(RandomPolicies.NOWHERE);
            case 1, 2, 3, 4, 5 -> Optional.of(any(RandomPolicies.ZONES));
            default -> Optional.empty();
        };
        SortedMap<String, Limit> overrides = new TreeMap<>();
        for (int left = random.nextInt(3); left > 0; left--) {
            String ruleId = any(RandomPolicies.RULE_IDS);
            overrides.put(ruleId, policies.limitFor(ruleId));
        }
        return new TenantPlan(
                tenant(), status, any(PLANS), random.nextInt(10) == 0, zone, Optional.of("eu-central"), overrides);
    }

    Control action(long nowMillis) {
        long previous = actionSource++;
        Subject subject = subject();
        Action action = new Action(any(ACTION_IDS), "ops", "chance", subject, effect(subject, nowMillis));
        return new Control.ApplyAction(actionSource, previous, action);
    }

    /** When the last action will end, or has ended. */
    long nextEndMillis() {
        return nextEndMillis;
    }

    private Subject subject() {
        Stage stage = random.nextInt(5) != 0 ? Stage.TENANT : random.nextBoolean() ? Stage.IP : Stage.TARGET;
        Identity identity = switch (stage) {
            case IP -> new Identity("", "", "", any(RandomLog.ADDRESSES), "");
            case TARGET -> new Identity("", "", "", "", any(RandomLog.TARGETS));
            case TENANT ->
                new Identity(
                        tenant(),
                        any(RandomLog.USERS),
                        any(RandomLog.API_KEYS),
                        random.nextBoolean() ? "10.0.0.9" : "",
                        "");
        };
        Map<String, String> attributes = random.nextBoolean() ? Map.of("plan", "free") : Map.of();
        return new Subject(stage, identity, any(List.of("catalog", "export", "orders")), attributes);
    }

    private Action.Effect effect(Subject subject, long nowMillis) {
        String ruleId = any(RandomPolicies.RULE_IDS);
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> new Action.LimitOverride(ruleId, policies.limitFor(ruleId), until(nowMillis));
            case 4 -> new Action.Ban(bannable(subject), until(nowMillis));
            case 5, 6 -> new Action.Lift(any(ACTION_IDS));
            case 7 -> new Action.Reset(ruleId);
            default -> new Action.Credit(ruleId, 1 + random.nextInt(8));
        };
    }

    private Scope bannable(Subject subject) {
        List<Scope> scopes = new ArrayList<>(List.of(subject.stage().ownScope()));
        for (Scope scope : List.of(Scope.USER, Scope.API_KEY, Scope.IP)) {
            boolean named = !subject.asAdmission().part(scope, Optional.empty()).isEmpty();
            if (named && Rule.scopesOf(subject.stage()).contains(scope)) {
                scopes.add(scope);
            }
        }
        return any(scopes);
    }

    /** Now, the next millisecond, soon, or long after. */
    private long until(long nowMillis) {
        nextEndMillis = anyEnd(nowMillis);
        return nextEndMillis;
    }

    private long anyEnd(long nowMillis) {
        return switch (random.nextInt(8)) {
            case 0 -> Math.max(1, nowMillis);
            case 1 -> nowMillis + 1;
            case 2, 3, 4 -> nowMillis + 1 + random.nextInt(20_000);
            default -> nowMillis + 1 + random.nextInt(3_000);
        };
    }

    /** Seldom one of another shard. */
    private String tenant() {
        return random.nextInt(12) == 0 ? "birch" : any(RandomLog.TENANTS);
    }

    private <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
