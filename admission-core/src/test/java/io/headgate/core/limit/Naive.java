package io.headgate.core.limit;

import static java.math.BigInteger.ZERO;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * Each algorithm as a textbook has it, in exact numbers without bounds, with nothing kept for speed: what the fast ones
 * are measured against. Immutable; always at a time, and under a limit.
 */
public interface Naive {

    /** Further than any wait that is asked for here. */
    long FAR = 1L << 61;

    BigInteger MILLI = BigInteger.valueOf(1000);

    /** The same key later. */
    Naive at(long laterMillis);

    /** Whether a cost fits when {@code beyondTokens} more than the limit may be owed. */
    boolean fits(long costTokens, long beyondTokens);

    default boolean fits(long costTokens) {
        return fits(costTokens, 0);
    }

    Naive spent(long costTokens);

    /** The same key once so much was given back, of what was spent last first; nobody gets more than was spent. */
    Naive given(long tokens);

    Limit limit();

    /** Whole tokens left, not negative. */
    long remaining();

    /** Whether nothing that was spent counts any more. */
    boolean untouched();

    /** The same key when another limit of the same algorithm comes into force. */
    Naive under(Limit next);

    static Naive fresh(Limit limit, long nowMillis) {
        if (limit instanceof TokenBucketLimit it) {
            return new Bucket(it, ZERO, nowMillis);
        }
        if (limit instanceof GcraLimit it) {
            return new Paced(it, ZERO, nowMillis);
        }
        if (limit instanceof FixedWindowLimit it) {
            return new Fixed(it, 0, nowMillis);
        }
        if (limit instanceof SlidingWindowLimit it) {
            return new Sliding(it, 0, 0, nowMillis);
        }
        if (limit instanceof SlidingLogLimit it) {
            return new Logged(it, List.of(), nowMillis);
        }
        return new Open();
    }

    /** The first wait after which this holds, found by trying; it must go on holding once it does. */
    default OptionalLong firstWait(long nowMillis, Predicate<Naive> holds) {
        if (holds.test(this)) {
            return OptionalLong.of(0);
        }
        long not = 0;
        long wait = 1;
        while (!holds.test(at(nowMillis + wait))) {
            if (wait >= FAR) {
                return OptionalLong.empty();
            }
            not = wait;
            wait *= 2;
        }
        while (wait - not > 1) {
            long middle = (not + wait) >>> 1;
            if (holds.test(at(nowMillis + middle))) {
                wait = middle;
            } else {
                not = middle;
            }
        }
        return OptionalLong.of(wait);
    }

    private static BigInteger big(long value) {
        return BigInteger.valueOf(value);
    }

    private static BigInteger roundedUp(BigInteger dividend, BigInteger divisor) {
        return dividend.add(divisor).subtract(BigInteger.ONE).divide(divisor);
    }

    /** Debt in 1/refillPeriodMillis of a milli-token. */
    record Bucket(TokenBucketLimit limit, BigInteger debt, long atMillis) implements Naive {

        @Override
        public Naive at(long laterMillis) {
            long period = limit.refillPeriodMillis();
            long payingMillis = limit.refill() == Refill.INTERVAL
                    ? laterMillis / period * period - atMillis / period * period
                    : laterMillis - atMillis;
            BigInteger earned =
                    big(payingMillis).multiply(big(limit.refillTokens())).multiply(MILLI);
            return new Bucket(limit, debt.subtract(earned).max(ZERO), laterMillis);
        }

        @Override
        public boolean fits(long costTokens, long beyondTokens) {
            return debt.add(units(costTokens)).compareTo(units(limit.capacityTokens() + beyondTokens)) <= 0;
        }

        @Override
        public Naive given(long tokens) {
            return new Bucket(limit, debt.subtract(units(tokens)).max(ZERO), atMillis);
        }

        @Override
        public Naive spent(long costTokens) {
            return new Bucket(limit, debt.add(units(costTokens)), atMillis);
        }

        @Override
        public long remaining() {
            return units(limit.capacityTokens())
                    .subtract(debt)
                    .max(ZERO)
                    .divide(units(1))
                    .longValueExact();
        }

        @Override
        public boolean untouched() {
            return debt.signum() == 0;
        }

        /** When the refill changes, debt is rounded up to a whole milli-token. */
        @Override
        public Naive under(Limit next) {
            TokenBucketLimit changed = (TokenBucketLimit) next;
            if (changed.refill() == limit.refill()
                    && changed.refillTokens() == limit.refillTokens()
                    && changed.refillPeriodMillis() == limit.refillPeriodMillis()) {
                return new Bucket(changed, debt, atMillis);
            }
            BigInteger milliTokens = roundedUp(debt, big(limit.refillPeriodMillis()));
            return new Bucket(changed, milliTokens.multiply(big(changed.refillPeriodMillis())), atMillis);
        }

        private BigInteger units(long tokens) {
            return big(tokens).multiply(MILLI).multiply(big(limit.refillPeriodMillis()));
        }
    }

    /** Debt in 1/refillPeriodMillis of a token. */
    record Paced(GcraLimit limit, BigInteger debt, long atMillis) implements Naive {

        private static final BigInteger MOST = BigInteger.TWO.pow(61);

        @Override
        public Naive at(long laterMillis) {
            BigInteger earned = big(laterMillis - atMillis).multiply(big(limit.refillTokens()));
            return new Paced(limit, debt.subtract(earned).max(ZERO), laterMillis);
        }

        @Override
        public boolean fits(long costTokens, long beyondTokens) {
            return debt.add(units(costTokens)).compareTo(units(limit.burstTokens() + beyondTokens)) <= 0;
        }

        @Override
        public Naive given(long tokens) {
            return new Paced(limit, debt.subtract(units(tokens)).max(ZERO), atMillis);
        }

        @Override
        public Naive spent(long costTokens) {
            return new Paced(limit, debt.add(units(costTokens)), atMillis);
        }

        @Override
        public long remaining() {
            return units(limit.burstTokens())
                    .subtract(debt)
                    .max(ZERO)
                    .divide(units(1))
                    .longValueExact();
        }

        @Override
        public boolean untouched() {
            return debt.signum() == 0;
        }

        @Override
        public Naive under(Limit next) {
            GcraLimit changed = (GcraLimit) next;
            BigInteger owed =
                    roundedUp(debt.multiply(big(changed.refillPeriodMillis())), big(limit.refillPeriodMillis()));
            return new Paced(changed, owed.min(MOST), atMillis);
        }

        private BigInteger units(long tokens) {
            return big(tokens).multiply(big(limit.refillPeriodMillis()));
        }
    }

    record Fixed(FixedWindowLimit limit, long usedTokens, long atMillis) implements Naive {

        @Override
        public Naive at(long laterMillis) {
            boolean same = laterMillis < NaiveWindows.endMillis(limit.window(), atMillis);
            return new Fixed(limit, same ? usedTokens : 0, laterMillis);
        }

        /** Nothing changes before the window ends. */
        @Override
        public OptionalLong firstWait(long nowMillis, Predicate<Naive> holds) {
            if (holds.test(this)) {
                return OptionalLong.of(0);
            }
            long endMillis = NaiveWindows.endMillis(limit.window(), nowMillis);
            return holds.test(at(endMillis)) ? OptionalLong.of(endMillis - nowMillis) : OptionalLong.empty();
        }

        @Override
        public boolean fits(long costTokens, long beyondTokens) {
            return costTokens <= limit.limitTokens() + beyondTokens - usedTokens;
        }

        @Override
        public Naive given(long tokens) {
            return new Fixed(limit, Math.max(0, usedTokens - tokens), atMillis);
        }

        @Override
        public Naive spent(long costTokens) {
            return new Fixed(limit, usedTokens + costTokens, atMillis);
        }

        @Override
        public long remaining() {
            return Math.max(0, limit.limitTokens() - usedTokens);
        }

        @Override
        public boolean untouched() {
            return usedTokens == 0;
        }

        @Override
        public Naive under(Limit next) {
            return new Fixed((FixedWindowLimit) next, usedTokens, atMillis);
        }
    }

    record Sliding(SlidingWindowLimit limit, long previousTokens, long currentTokens, long atMillis) implements Naive {

        @Override
        public Naive at(long laterMillis) {
            long passed = laterMillis / limit.windowMillis() - atMillis / limit.windowMillis();
            return passed == 0
                    ? new Sliding(limit, previousTokens, currentTokens, laterMillis)
                    : new Sliding(limit, passed == 1 ? currentTokens : 0, 0, laterMillis);
        }

        @Override
        public boolean fits(long costTokens, long beyondTokens) {
            return estimate().add(units(costTokens)).compareTo(units(limit.limitTokens() + beyondTokens)) <= 0;
        }

        @Override
        public Naive given(long tokens) {
            long more = Math.max(0, tokens - currentTokens);
            return new Sliding(
                    limit, Math.max(0, previousTokens - more), Math.max(0, currentTokens - tokens), atMillis);
        }

        @Override
        public Naive spent(long costTokens) {
            return new Sliding(limit, previousTokens, currentTokens + costTokens, atMillis);
        }

        @Override
        public long remaining() {
            return units(limit.limitTokens())
                    .subtract(estimate())
                    .max(ZERO)
                    .divide(units(1))
                    .longValueExact();
        }

        @Override
        public boolean untouched() {
            return previousTokens == 0 && currentTokens == 0;
        }

        /** Under another window, the estimate, rounded up, is what was spent in the current one. */
        @Override
        public Naive under(Limit next) {
            SlidingWindowLimit changed = (SlidingWindowLimit) next;
            return changed.windowMillis() == limit.windowMillis()
                    ? new Sliding(changed, previousTokens, currentTokens, atMillis)
                    : new Sliding(changed, 0, roundedUp(estimate(), units(1)).longValueExact(), atMillis);
        }

        /** In 1/windowMillis of a token. */
        BigInteger estimate() {
            long goneMillis = atMillis % limit.windowMillis();
            return big(previousTokens)
                    .multiply(big(limit.windowMillis() - goneMillis))
                    .add(units(currentTokens));
        }

        private BigInteger units(long tokens) {
            return big(tokens).multiply(big(limit.windowMillis()));
        }
    }

    /** One time for each token. */
    record Logged(SlidingLogLimit limit, List<Long> times, long atMillis) implements Naive {

        @Override
        public Naive at(long laterMillis) {
            return new Logged(
                    limit,
                    times.stream()
                            .filter(time -> laterMillis < time + limit.windowMillis())
                            .toList(),
                    laterMillis);
        }

        @Override
        public boolean fits(long costTokens, long beyondTokens) {
            return costTokens <= limit.limitTokens() + beyondTokens - times.size();
        }

        @Override
        public Naive given(long tokens) {
            int left = (int) Math.max(0, times.size() - tokens);
            return new Logged(limit, times.subList(0, left), atMillis);
        }

        @Override
        public Naive spent(long costTokens) {
            List<Long> more = new ArrayList<>(times);
            for (long i = 0; i < costTokens; i++) {
                more.add(atMillis);
            }
            return new Logged(limit, more, atMillis);
        }

        @Override
        public long remaining() {
            return Math.max(0, limit.limitTokens() - times.size());
        }

        @Override
        public boolean untouched() {
            return times.isEmpty();
        }

        @Override
        public Naive under(Limit next) {
            return new Logged((SlidingLogLimit) next, times, atMillis).at(atMillis);
        }
    }

    record Open() implements Naive {

        @Override
        public Naive at(long laterMillis) {
            return this;
        }

        @Override
        public boolean fits(long costTokens, long beyondTokens) {
            return true;
        }

        @Override
        public Naive given(long tokens) {
            return this;
        }

        @Override
        public Limit limit() {
            return new Unlimited();
        }

        @Override
        public Naive spent(long costTokens) {
            return this;
        }

        @Override
        public long remaining() {
            return Long.MAX_VALUE;
        }

        @Override
        public boolean untouched() {
            return true;
        }

        @Override
        public Naive under(Limit next) {
            return this;
        }
    }
}
