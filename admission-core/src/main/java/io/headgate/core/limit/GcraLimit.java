package io.headgate.core.limit;

import java.util.OptionalLong;

/**
 * The generic cell rate algorithm (ITU-T I.371, virtual scheduling) with weights: {@code refillTokens} every {@code
 * refillPeriodMillis}, evenly spaced, with a tolerance of {@code burstTokens}. A cost of n moves the theoretical arrival
 * time n emission intervals ahead and fits while that is at most {@code burstTokens} intervals from now.
 *
 * <p>Debt is counted in 1/refillTokens of a millisecond, in which a token costs exactly {@code refillPeriodMillis} and a
 * millisecond pays {@code refillTokens}: so nothing is ever rounded but the hint.
 *
 * @param burstTokens 0 (deny everything) to 10^12
 * @param refillTokens 1 to 10^12
 * @param refillPeriodMillis 1 ms to 366 days; burstTokens × refillPeriodMillis is at most 2^61
 */
public record GcraLimit(long burstTokens, long refillTokens, long refillPeriodMillis) implements Limit {

    public static final String ALGORITHM = "gcra";

    private static final long MAX_DEBT = 1L << 61;

    public GcraLimit {
        Bounds.tokens("capacity", burstTokens);
        Bounds.inRange("refill.tokens", refillTokens, 1, Bounds.MAX_TOKENS);
        Bounds.period("refill.per", refillPeriodMillis);
        if (Exact.multiplySaturating(burstTokens, refillPeriodMillis) > MAX_DEBT) {
            throw new IllegalArgumentException("capacity × refill.per is " + burstTokens + " × " + refillPeriodMillis
                    + " ms; for gcra it must be at most 2^61: use token-bucket, or a shorter period with fewer tokens");
        }
    }

    @Override
    public String algorithm() {
        return ALGORITHM;
    }

    @Override
    public long tokens() {
        return burstTokens;
    }

    @Override
    public Counter fresh(long nowMillis) {
        return Gcra.idle(nowMillis);
    }

    @Override
    public boolean owns(Counter counter) {
        return counter instanceof Gcra;
    }

    @Override
    public Counter advanced(Counter counter, long nowMillis) {
        Gcra gcra = (Gcra) counter;
        if (nowMillis <= gcra.updatedAtMillis()) {
            return gcra;
        }
        return gcra.arrivalMillis() < nowMillis
                ? Gcra.idle(nowMillis)
                : new Gcra(gcra.arrivalMillis(), gcra.fraction(), nowMillis);
    }

    /** As many tokens are owed afterwards as before, rounded up. */
    @Override
    public Counter adopted(Counter counter, Limit before, long atMillis) {
        GcraLimit old = (GcraLimit) before;
        long debt = Exact.multiplyDivide(old.debt((Gcra) counter), refillPeriodMillis, 0, old.refillPeriodMillis)
                .roundedUp();
        return owing(Math.min(debt, MAX_DEBT), atMillis);
    }

    @Override
    public Check check(Counter counter, long costTokens, long nowMillis) {
        long debt = debt((Gcra) counter);
        long tolerance = burstTokens * refillPeriodMillis;
        long remainingTokens = Math.max(0, Math.floorDiv(tolerance - debt, refillPeriodMillis));
        if (costTokens > burstTokens) {
            return Check.hopeless(remainingTokens);
        }
        long excess = debt + costTokens * refillPeriodMillis - tolerance;
        return excess <= 0
                ? Check.permit(remainingTokens)
                : Check.deny(
                        remainingTokens, new Exact.Quotient(excess / refillTokens, excess % refillTokens).roundedUp());
    }

    @Override
    public Counter debited(Counter counter, long costTokens, long nowMillis) {
        Gcra gcra = (Gcra) counter;
        return owing(debt(gcra) + costTokens * refillPeriodMillis, gcra.updatedAtMillis());
    }

    @Override
    public Counter credited(Counter counter, long tokens, long nowMillis) {
        Gcra gcra = (Gcra) counter;
        long paid = Exact.multiplySaturating(tokens, refillPeriodMillis);
        return owing(Math.max(0, debt(gcra) - paid), gcra.updatedAtMillis());
    }

    @Override
    public Limit raised(long tokens) {
        return new GcraLimit(burstTokens + tokens, refillTokens, refillPeriodMillis);
    }

    @Override
    public OptionalLong resetAfterMillis(Counter counter, long nowMillis) {
        Gcra gcra = (Gcra) counter;
        return OptionalLong.of(gcra.arrivalMillis() - nowMillis + (gcra.fraction() > 0 ? 1 : 0));
    }

    private long debt(Gcra gcra) {
        return (gcra.arrivalMillis() - gcra.updatedAtMillis()) * refillTokens + gcra.fraction();
    }

    private Gcra owing(long debt, long nowMillis) {
        return new Gcra(nowMillis + debt / refillTokens, debt % refillTokens, nowMillis);
    }
}
