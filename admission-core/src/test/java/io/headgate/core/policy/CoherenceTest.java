package io.headgate.core.policy;

import static io.headgate.core.policy.Policies.HUNDRED;
import static io.headgate.core.policy.Policies.policy;
import static io.headgate.core.policy.Policies.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.core.limit.Bounds;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a policy must be as a whole; the checks of costs are tested where documents are read. */
class CoherenceTest {

    private static final String PLACE = "spec.rules[0].failMode.perGateway ";

    @Test
    void all_gateways_together_may_admit_what_the_rule_admits_and_no_more() {
        assertThat(fallback(HUNDRED, new FixedWindowLimit(25, 10_000), 4)).isEmpty();
        assertThat(fallback(HUNDRED, new FixedWindowLimit(26, 10_000), 4))
                .containsExactly(
                        PLACE + "lets each of 4 gateways admit 26, together 104, above the rule's limit of 100;"
                                + " each may have at most 25");
        assertThat(fallback(new FixedWindowLimit(0, 10_000), new FixedWindowLimit(0, 10_000), 4))
                .isEmpty();
        assertThat(fallback(new FixedWindowLimit(0, 10_000), new FixedWindowLimit(1, 10_000), 1))
                .hasSize(1);
    }

    @Test
    void all_gateways_together_may_be_as_fast_as_the_rule_and_no_faster() {
        TokenBucketLimit bucket = new TokenBucketLimit(20, 2, 1_000);

        assertThat(fallback(bucket, new TokenBucketLimit(10, 1, 1_000), 2)).isEmpty();
        assertThat(fallback(bucket, new TokenBucketLimit(10, 1, 999), 2))
                .containsExactly(
                        PLACE + "lets each of 2 gateways admit 1 every 999 ms, together faster than the rule's 2"
                                + " every 1000 ms; lower it, or lengthen its period");
        assertThat(fallback(HUNDRED, new FixedWindowLimit(10, 1_000), 2)).hasSize(1);
        assertThat(fallback(HUNDRED, new FixedWindowLimit(60, 1_000), 2)).hasSize(2);
        assertThat(fallback(
                        new TokenBucketLimit(20, 0, 1_000), new TokenBucketLimit(10, 1, Bounds.MAX_PERIOD_MILLIS), 1))
                .hasSize(1);
        assertThat(fallback(new TokenBucketLimit(20, 0, 1_000), new TokenBucketLimit(10, 0, 1_000), 2))
                .isEmpty();
    }

    @Test
    void compares_shapes_with_each_other() {
        assertThat(fallback(new GcraLimit(20, 2, 1_000), new FixedWindowLimit(10, 10_000), 2))
                .isEmpty();
        assertThat(fallback(new SlidingWindowLimit(20, 10_000), new TokenBucketLimit(10, 1, 1_000), 2))
                .isEmpty();
        assertThat(fallback(new SlidingLogLimit(20, 10_000), new TokenBucketLimit(10, 11, 10_000), 2))
                .hasSize(1);
        Limit monthly = new FixedWindowLimit(3_100, new Window.Calendar(CalendarUnit.MONTH, "UTC"));
        assertThat(fallback(monthly, new FixedWindowLimit(100, 86_400_000), 1)).isEmpty();
        assertThat(fallback(monthly, new FixedWindowLimit(101, 86_400_000), 1)).hasSize(1);
        assertThat(fallback(new Unlimited(), new FixedWindowLimit(Bounds.MAX_TOKENS, 1), FailMode.MOST_GATEWAYS))
                .isEmpty();
    }

    @Test
    void the_smallest_plan_counts() {
        Map<String, Limit> byPlan = Map.of(
                "trial", new FixedWindowLimit(10, 10_000),
                "gold", new FixedWindowLimit(1_000, 10_000));
        FailMode.LocalBounded bounded = new FailMode.LocalBounded(new FixedWindowLimit(6, 10_000), 2);

        assertThat(problems(rule(HUNDRED, byPlan, bounded)))
                .containsExactly(
                        PLACE + "lets each of 2 gateways admit 6, together 12, above the rule's limit of 10 in plan"
                                + " trial; each may have at most 5");
    }

    @Test
    void is_exact_at_every_size() {
        Random random = new Random(4);
        for (int i = 0; i < 20_000; i++) {
            long limit = random.nextLong(Bounds.MAX_TOKENS);
            long limitMillis = 1 + random.nextLong(Bounds.MAX_PERIOD_MILLIS);
            int gateways = 1 + random.nextInt(FailMode.MOST_GATEWAYS);
            long each = Math.min(Bounds.MAX_TOKENS, limit / gateways + random.nextInt(3));
            long eachMillis = Math.max(1, Math.min(Bounds.MAX_PERIOD_MILLIS, limitMillis + random.nextInt(3) - 1));

            boolean within = BigInteger.valueOf(each)
                                    .multiply(BigInteger.valueOf(gateways))
                                    .compareTo(BigInteger.valueOf(limit))
                            <= 0
                    && BigInteger.valueOf(each)
                                    .multiply(BigInteger.valueOf(gateways))
                                    .multiply(BigInteger.valueOf(limitMillis))
                                    .compareTo(BigInteger.valueOf(limit).multiply(BigInteger.valueOf(eachMillis)))
                            <= 0;
            List<String> found = fallback(
                    new FixedWindowLimit(limit, limitMillis), new FixedWindowLimit(each, eachMillis), gateways);

            assertThat(found.isEmpty())
                    .as("%d per %d ms, %d × %d per %d ms", limit, limitMillis, gateways, each, eachMillis)
                    .isEqualTo(within);
        }
    }

    @Test
    void the_names_of_endpoints_exist() {
        Conduct conduct = new Conduct(
                new TreeMap<>(Map.of("read", new FailMode.Open(), "gone", FailMode.CLOSED)),
                new TreeMap<>(),
                Responses.DEFAULT,
                StaleSnapshot.DEFAULT);

        InvalidPolicyException refused = catchThrowableOfType(
                InvalidPolicyException.class,
                () -> new Policy(
                        "n",
                        1,
                        Policies.ROUTES,
                        List.of(),
                        Set.of(),
                        Idempotency.DEFAULT,
                        1_000,
                        new Activation(OptionalLong.empty(), Policies.only("read", "lost")),
                        conduct));

        assertThat(refused.problems())
                .extracting(Object::toString)
                .containsExactly(
                        "spec.endpoints.gone names no route group; there are [order, read]",
                        "spec.rollout.routes has 'lost', which is no route group; there are [order, read]");
    }

    @Test
    void says_what_forbids_a_lease() {
        Leasing leasing = new Leasing(Leasing.Strategy.REGIONAL_LEASE, 100, 10_000);

        assertThat(leasing.problemsUnder("p", HUNDRED, false)).isEmpty();
        assertThat(leasing.problemsUnder("p", new FixedWindowLimit(99, 9_999), false))
                .extracting(Object::toString)
                .containsExactly(
                        "p.chunk is 100, above the rule's limit; it must be at most 99",
                        "p.ttl is 10000 ms, longer than the rule's window; it must be at most 9999 ms");
        assertThat(leasing.problemsUnder("p", new FixedWindowLimit(99, 10_000), true))
                .isEmpty();
        assertThat(leasing.problemsUnder("p", new TokenBucketLimit(100, 1, 1_000), false))
                .isEmpty();
    }

    private static List<String> fallback(Limit limit, Limit perGateway, int gateways) {
        return problems(rule(limit, Map.of(), new FailMode.LocalBounded(perGateway, gateways)));
    }

    private static List<String> problems(Rule rule) {
        try {
            assertThat(policy(1, rule).rules()).containsExactly(rule);
            return List.of();
        } catch (InvalidPolicyException refused) {
            return refused.problems().stream().map(Object::toString).toList();
        }
    }
}
