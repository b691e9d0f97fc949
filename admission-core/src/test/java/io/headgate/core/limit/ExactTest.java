package io.headgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.Seeds;
import io.headgate.core.limit.Exact.Quotient;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExactTest {

    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

    @Test
    void it_multiplies_and_divides_as_whole_numbers_of_any_size_do() {
        Seeds.forEach(20_000, random -> {
            long a = any(random);
            long b = any(random);
            long divisor = Math.max(1, any(random));
            BigInteger product = big(a).multiply(big(b));
            long plus = random.nextBoolean()
                    ? any(random)
                    : -big(any(random)).min(product).longValueExact();
            BigInteger[] exact = product.add(big(plus)).divideAndRemainder(big(divisor));

            Quotient quotient = Exact.multiplyDivide(a, b, plus, divisor);

            String where = "(" + a + " * " + b + " + " + plus + ") / " + divisor;
            assertThat(big(quotient.whole())).as(where).isEqualTo(exact[0].min(MOST));
            if (exact[0].compareTo(MOST) <= 0) {
                assertThat(big(quotient.rest())).as(where).isEqualTo(exact[1]);
                BigInteger up = exact[1].signum() == 0 ? exact[0] : exact[0].add(BigInteger.ONE);
                assertThat(big(quotient.roundedUp())).as(where).isEqualTo(up.min(MOST));
            }
        });
    }

    @Test
    void a_product_that_does_not_fit_is_the_largest_long() {
        Seeds.forEach(5_000, random -> {
            long a = any(random);
            long b = any(random);

            assertThat(big(Exact.multiplySaturating(a, b)))
                    .as("%s * %s", a, b)
                    .isEqualTo(big(a).multiply(big(b)).min(MOST));
        });
    }

    @Test
    void fractions_compare_as_they_are_and_not_as_they_round() {
        Seeds.forEach(5_000, random -> {
            long a = any(random);
            long b = Math.max(1, any(random));
            long c = random.nextInt(4) == 0 ? a : any(random);
            long d = random.nextInt(4) == 0 ? b : Math.max(1, any(random));

            assertThat(Integer.signum(Exact.compareFractions(a, b, c, d)))
                    .as("%s/%s and %s/%s", a, b, c, d)
                    .isEqualTo(big(a).multiply(big(d)).compareTo(big(c).multiply(big(b))));
        });
    }

    private static long any(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextInt(3);
            case 1 -> Long.MAX_VALUE - random.nextInt(3);
            default -> (random.nextLong() & Long.MAX_VALUE) >>> random.nextInt(63);
        };
    }

    private static BigInteger big(long value) {
        return BigInteger.valueOf(value);
    }
}
