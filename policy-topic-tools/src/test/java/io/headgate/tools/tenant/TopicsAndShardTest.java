package io.headgate.tools.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Desk;
import io.headgate.tools.PolicyFile;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What the tools make of the topics is what a shard makes of them. */
class TopicsAndShardTest {

    private static final String TENANT = "atlas";
    private static final long NOW = Desk.NOW.toEpochMilli();
    private static final List<String> RULES = List.of("TENANT", "READ", "MODEL", "NONE");
    private static final List<String> PLANS = List.of("default", "pro", "none");

    private final PolicyDocument policy = policy();

    @Test
    void the_tools_see_the_actions_and_limits_that_the_shard_has() throws Exception {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            Desk desk = Shop.desk();
            Folding shard = new Folding(policy);
            Optional<TenantPlan> plan = Optional.empty();
            for (int step = random.nextInt(25); step > 0; step--) {
                if (random.nextInt(4) == 0) {
                    plan = Optional.of(plan(random));
                    desk.put(new PlanRecord(plan.get(), "a", "r"), NOW);
                    shard.plan(plan.get());
                } else {
                    Action action = action(random);
                    desk.put(action, NOW);
                    shard.act(action);
                }
            }
            shard.waitUntil(NOW);

            List<PlacedAction> inForce = new ActionTopic(desk.cluster()).inForce(TENANT, NOW);
            List<Action> actions = inForce.stream().map(PlacedAction::action).toList();

            assertThat(actions).as("seed %d", seed).isEqualTo(shard.actions());
            for (EffectiveLimit limit : EffectiveLimit.all(policy.policy(), plan, actions)) {
                OptionalLong seen = shard.unspent(limit.rule().id());
                assertThat(
                                limit.limit() instanceof Unlimited
                                        ? OptionalLong.empty()
                                        : OptionalLong.of(limit.limit().tokens()))
                        .as("seed %d, rule %s, from %s", seed, limit.rule().id(), limit.source())
                        .isEqualTo(seen);
            }
        }
    }

    private static TenantPlan plan(Random random) {
        SortedMap<String, Limit> overrides = new TreeMap<>();
        for (int left = random.nextInt(3); left > 0; left--) {
            overrides.put(pick(RULES, random), limit(random));
        }
        return new TenantPlan(
                TENANT,
                TenantPlan.Status.ACTIVE,
                pick(PLANS, random),
                random.nextInt(8) == 0,
                Optional.empty(),
                Optional.empty(),
                overrides);
    }

    private static Action action(Random random) {
        String id = "a-" + random.nextInt(12);
        long until = NOW + random.nextInt(7) - 3;
        Action.Effect effect = switch (random.nextInt(5)) {
            case 0 -> new Action.Lift("a-" + random.nextInt(12));
            case 1 -> new Action.Ban(Scope.USER, until);
            case 2 -> new Action.Reset("TENANT");
            default -> new Action.LimitOverride(pick(RULES, random), limit(random), until);
        };
        String tenant = random.nextInt(5) == 0 ? "birch" : TENANT;
        Identity who = new Identity(tenant, "u2", "", "", "");
        return new Action(id, "a", "r", new Subject(Stage.TENANT, who, "", Map.of()), effect);
    }

    private static Limit limit(Random random) {
        long tokens = random.nextLong(1, 1_001);
        return switch (random.nextInt(4)) {
            case 0 -> new FixedWindowLimit(tokens, 60_000);
            case 1 -> new TokenBucketLimit(tokens, 1, 1_000);
            case 2 -> new GcraLimit(tokens, 1, 1_000);
            default -> new Unlimited();
        };
    }

    private static <T> T pick(List<T> values, Random random) {
        return values.get(random.nextInt(values.size()));
    }

    private static PolicyDocument policy() {
        try {
            return PolicyFile.read("shop.yaml", Shop.POLICY.getBytes(StandardCharsets.UTF_8));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** A shard of one tenant, before and after {@link #NOW}. */
    private static final class Folding {

        private static final long BEFORE = NOW - 1_000_000;

        private final Shard shard = new Shard(0, new MemoryStore(), PolicyDocument.READER);
        private long offset;
        private long source;
        private long timeMillis = BEFORE;

        Folding(PolicyDocument policy) {
            control(new Control.ApplySettings(0, -1, ShardSettings.initial(1, "none")));
            control(new Control.ApplyPolicy(0, -1, policy.canonicalBytes()));
            control(new Control.CaughtUp());
        }

        void plan(TenantPlan plan) {
            control(new Control.ApplyPlans(++source, shard.view().planSource(), List.of(plan)));
        }

        void act(Action action) {
            control(new Control.ApplyAction(++source, shard.view().actionSource(), action));
        }

        void waitUntil(long millis) {
            timeMillis = millis;
            control(new Control.Tick(millis));
        }

        List<Action> actions() {
            return shard.account(TENANT).actions();
        }

        /** What is left of a rule of which nobody has spent anything: all of it; empty if it is unlimited. */
        OptionalLong unspent(String rule) {
            Admission admission = new Admission(
                    Stage.TENANT, new Identity(TENANT, "u1", "", "", ""), true, "export", Map.of("model", "large"), 1);
            Command ask = new Command.Ask(admission, true, Command.NEVER, true);
            return fold(new LogRecord.Requests(Optional.empty(), List.of(ask))).rules().stream()
                    .filter(outcome -> outcome.ruleId().equals(rule))
                    .findFirst()
                    .orElseThrow()
                    .remaining();
        }

        private void control(Control control) {
            shard.fold(new LogRecord(offset++, timeMillis, new LogRecord.Controlled(control)));
        }

        private Decision fold(LogRecord.Requests requests) {
            return shard.fold(new LogRecord(offset++, timeMillis, requests))
                    .decisions()
                    .get(0);
        }
    }
}
