package io.headgate.core.limit;

import java.math.BigInteger;

/**
 * Integer arithmetic that is exact where a {@code long} would overflow: products are taken in 128 bits and more, and a
 * result too large for a {@code long} becomes {@link Long#MAX_VALUE} instead of a wrong number.
 */
final class Exact {

    private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

    private Exact() {}

    /** A floor division's two results; {@code whole} is {@link Long#MAX_VALUE} when it does not fit. */
    record Quotient(long whole, long rest) {
        long roundedUp() {
            return rest == 0 || whole == Long.MAX_VALUE ? whole : whole + 1;
        }
    }

    /**
     * {@code (a × b + plus) / divisor}, rounded down, and its rest.
     *
     * @param a not negative
     * @param b not negative
     * @param plus may be negative, as long as the sum is not
     * @param divisor positive
     */
    static Quotient multiplyDivide(long a, long b, long plus, long divisor) {
        long product = a * b;
        long sum = product + plus;
        if (Math.multiplyHigh(a, b) == 0 && product >= 0 && sum >= 0) {
            return new Quotient(sum / divisor, sum % divisor);
        }
        BigInteger[] exact = BigInteger.valueOf(a)
                .multiply(BigInteger.valueOf(b))
                .add(BigInteger.valueOf(plus))
                .divideAndRemainder(BigInteger.valueOf(divisor));
        return exact[0].compareTo(LONG_MAX) > 0
                ? new Quotient(Long.MAX_VALUE, 0)
                : new Quotient(exact[0].longValue(), exact[1].longValue());
    }

    /** {@code a × b}, or {@link Long#MAX_VALUE} when that does not fit; neither factor is negative. */
    static long multiplySaturating(long a, long b) {
        long product = a * b;
        return Math.multiplyHigh(a, b) == 0 && product >= 0 ? product : Long.MAX_VALUE;
    }

    /** The sign of {@code a/b − c/d}, for non-negative numerators and positive denominators. */
    static int compareFractions(long a, long b, long c, long d) {
        int high = Long.compare(Math.multiplyHigh(a, d), Math.multiplyHigh(c, b));
        return high != 0 ? high : Long.compareUnsigned(a * d, c * b);
    }
}
