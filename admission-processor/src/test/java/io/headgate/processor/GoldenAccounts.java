package io.headgate.processor;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Control;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * What a golden log says of plans, operators' actions and time zones: in order, twice, behind gaps, of other shards'
 * tenants, about rules that are not there. Zones are made up, lest a new release of the Java platform changes the log.
 */
final class GoldenAccounts {

    static final List<String> ZONES = List.of("Test/East", "Test/West", "UTC", "Test/Late");

    private static final long HOUR_MILLIS = 3_600_000;
    private static final List<String> RULES = List.of(
            "ip-window",
            "login",
            "tenant-rate",
            "key-rate",
            "user-spend",
            "daily",
            "by-plan",
            "soft-rate",
            "no-such-rule");

    private final Random random;
    private final List<String> tenants;
    private final List<String> ips;
    private final List<String> targets;
    private final List<String> actionIds = new ArrayList<>(List.of("none"));
    private long planSource = -1;
    private long actionSource = -1;

    GoldenAccounts(Random random, List<String> tenants, List<String> ips, List<String> targets) {
        this.random = random;
        this.tenants = tenants;
        this.ips = ips;
        this.targets = targets;
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    // ---- zones

    /** A zone whose offset changes every so often; a later table goes further. */
    Control zone(long nowMillis) {
        String id = any(ZONES);
        List<Zone.Offset> offsets = new ArrayList<>();
        long from = nowMillis - nowMillis % HOUR_MILLIS - 50 * HOUR_MILLIS;
        long base = id.equals("Test/East") ? 5 * HOUR_MILLIS + HOUR_MILLIS / 2 : -7 * HOUR_MILLIS;
        for (int i = 0; i < 20; i++) {
            offsets.add(new Zone.Offset(from + i * 7L * HOUR_MILLIS, base + (i % 2) * HOUR_MILLIS));
        }
        return new Control.ApplyZone(new Zone(id, offsets, nowMillis + random.nextInt(1_000)));
    }

    // ---- plans

    Control plans() {
        List<TenantPlan> plans = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            plans.add(plan());
        }
        int kind = random.nextInt(10);
        if (kind == 0) {
            return new Control.ApplyPlans(planSource + 9, planSource + 5, plans);
        }
        if (kind == 1) {
            return new Control.ApplyPlans(planSource, planSource - 1, plans);
        }
        long previous = planSource;
        planSource += plans.size() + random.nextInt(3);
        return new Control.ApplyPlans(planSource, previous, plans);
    }

    private TenantPlan plan() {
        String tenant = any(tenants) + (oneIn(30) ? "x" : "");
        Map<String, Limit> overrides = new TreeMap<>();
        while (oneIn(2)) {
            overrides.put(any(RULES), limit());
        }
        return new TenantPlan(
                tenant,
                oneIn(12)
                        ? TenantPlan.Status.REMOVED
                        : oneIn(10) ? TenantPlan.Status.SUSPENDED : TenantPlan.Status.ACTIVE,
                any(List.of("default", "gold", "unheard-of")),
                oneIn(12),
                oneIn(3) ? Optional.empty() : Optional.of(any(ZONES)),
                oneIn(5) ? Optional.of("eu") : Optional.empty(),
                new TreeMap<>(overrides));
    }

    private Limit limit() {
        long tokens = 1L + random.nextInt(60);
        return switch (random.nextInt(7)) {
            case 0 -> new TokenBucketLimit(tokens, 2, 1_000, any(List.of(Refill.values())));
            case 1 -> new GcraLimit(tokens, 3, 1_000);
            case 2 -> new FixedWindowLimit(tokens, 10_000);
            case 3 -> new SlidingWindowLimit(tokens, 20_000);
            case 4 -> new Unlimited();
            default ->
                new FixedWindowLimit(
                        tokens,
                        new Window.Calendar(
                                any(List.of(CalendarUnit.values())),
                                oneIn(2) ? Window.Calendar.OF_TENANT : any(ZONES)));
        };
    }

    // ---- actions

    Control action(long nowMillis) {
        Action action = anAction(nowMillis);
        int kind = random.nextInt(10);
        if (kind == 0) {
            return new Control.ApplyAction(actionSource + 9, actionSource + 5, action);
        }
        if (kind == 1) {
            return new Control.ApplyAction(actionSource, actionSource - 1, action);
        }
        long previous = actionSource;
        actionSource += 1 + random.nextInt(2);
        return new Control.ApplyAction(actionSource, previous, action);
    }

    private Action anAction(long nowMillis) {
        String id = "action-" + random.nextInt(500);
        long untilMillis = nowMillis + random.nextInt(60_000) - 5_000;
        Action.Effect effect = switch (random.nextInt(5)) {
            case 0 -> new Action.LimitOverride(any(RULES), limit(), untilMillis);
            case 1 -> new Action.Reset(any(RULES));
            case 2 -> new Action.Credit(any(RULES), 1 + random.nextInt(50));
            case 3 -> new Action.Lift(any(actionIds));
            default -> null;
        };
        if (effect == null) {
            return ban(id, untilMillis);
        }
        if (effect instanceof Action.LimitOverride) {
            remember(id);
        }
        Stage stage = oneIn(4) ? any(List.of(Stage.IP, Stage.TARGET)) : Stage.TENANT;
        return new Action(id, "ada", "golden", subject(stage), effect);
    }

    private Action ban(String id, long untilMillis) {
        remember(id);
        Stage stage = oneIn(3) ? any(List.of(Stage.IP, Stage.TARGET)) : Stage.TENANT;
        Scope scope = stage == Stage.TENANT && !oneIn(3) ? any(List.of(Scope.USER, Scope.API_KEY)) : stage.ownScope();
        return new Action(id, "ada", "golden", subject(stage), new Action.Ban(scope, untilMillis));
    }

    private void remember(String id) {
        actionIds.add(id);
        if (actionIds.size() > 30) {
            actionIds.remove(0);
        }
    }

    private Subject subject(Stage stage) {
        Identity who = new Identity(
                any(tenants) + (oneIn(30) ? "x" : ""),
                "user-" + random.nextInt(8),
                "key-" + random.nextInt(20),
                any(ips),
                any(targets));
        return new Subject(stage, who, "read", oneIn(2) ? Map.of("plan", "gold") : Map.of());
    }
}
