package io.headgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.limit.SlidingLog.Spent;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The promise of a bucket: over any time T, no more than capacity + rate × T, in exact numbers. */
final class RateBound {

    private RateBound() {}

    /** Spends as greedily as it can and returns what was admitted. */
    static List<Spent> admitted(Limit limit, Random random) {
        List<Spent> admitted = new ArrayList<>();
        long now = RandomLimits.start(random);
        Counter counter = limit.fresh(now);
        for (int i = 0; i < 60; i++) {
            now += RandomLimits.elapsed(random, limit);
            counter = limit.advanced(counter, now);
            long remaining = limit.check(counter, 0, now).remainingTokens();
            long cost = random.nextBoolean() ? remaining : RandomLimits.cost(random, limit, remaining);
            if (limit.check(counter, cost, now).permitted()) {
                counter = limit.debited(counter, cost, now);
                admitted.add(new Spent(now, cost));
            }
        }
        return admitted;
    }

    static void holds(List<Spent> admitted, long capacity, long refillTokens, long refillPeriodMillis) {
        BigInteger period = BigInteger.valueOf(refillPeriodMillis);
        for (int from = 0; from < admitted.size(); from++) {
            BigInteger sum = BigInteger.ZERO;
            for (int to = from; to < admitted.size(); to++) {
                sum = sum.add(BigInteger.valueOf(admitted.get(to).costTokens()));
                long elapsedMillis =
                        admitted.get(to).atMillis() - admitted.get(from).atMillis();
                BigInteger most = BigInteger.valueOf(capacity)
                        .multiply(period)
                        .add(BigInteger.valueOf(refillTokens).multiply(BigInteger.valueOf(elapsedMillis)));
                assertThat(sum.multiply(period))
                        .as(
                                "%s tokens in %s ms, capacity %s, %s every %s ms",
                                sum, elapsedMillis, capacity, refillTokens, refillPeriodMillis)
                        .isLessThanOrEqualTo(most);
            }
        }
    }
}
