package io.headgate.schemas;

import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import io.headgate.schemas.wire.LimitSpec;
import java.util.Arrays;
import java.util.function.Function;

/** Limits as they stand in records. */
final class LimitRecords {

    private LimitRecords() {}

    static LimitSpec toWire(Limit limit) {
        LimitSpec.Builder spec = LimitSpec.newBuilder().setAlgorithm(limit.algorithm());
        if (limit instanceof TokenBucketLimit it) {
            spec.setTokens(it.capacityTokens())
                    .setRefillTokens(it.refillTokens())
                    .setPeriodMillis(it.refillPeriodMillis())
                    .setRefill(it.refill().label());
        } else if (limit instanceof GcraLimit it) {
            spec.setTokens(it.burstTokens())
                    .setRefillTokens(it.refillTokens())
                    .setPeriodMillis(it.refillPeriodMillis());
        } else if (limit instanceof FixedWindowLimit it) {
            spec.setTokens(it.limitTokens());
            if (it.window() instanceof Window.Every every) {
                spec.setPeriodMillis(every.lengthMillis());
            } else if (it.window() instanceof Window.Calendar calendar) {
                spec.setCalendarUnit(calendar.unit().label()).setZone(calendar.zone());
            } else {
                throw new IllegalArgumentException("a limit is written without the table of its zone");
            }
        } else if (limit instanceof SlidingWindowLimit it) {
            spec.setTokens(it.limitTokens()).setPeriodMillis(it.windowMillis());
        } else if (limit instanceof SlidingLogLimit it) {
            spec.setTokens(it.limitTokens()).setPeriodMillis(it.windowMillis());
        }
        return spec.build();
    }

    /**
     * Reads a limit.
     *
     * @throws IllegalArgumentException naming what is out of range or not known
     */
    static Limit fromWire(LimitSpec spec) {
        return switch (spec.getAlgorithm()) {
            case TokenBucketLimit.ALGORITHM ->
                new TokenBucketLimit(
                        spec.getTokens(),
                        spec.getRefillTokens(),
                        spec.getPeriodMillis(),
                        labelled("refill", spec.getRefill(), Refill.values(), Refill::label));
            case GcraLimit.ALGORITHM -> new GcraLimit(spec.getTokens(), spec.getRefillTokens(), spec.getPeriodMillis());
            case FixedWindowLimit.ALGORITHM -> new FixedWindowLimit(spec.getTokens(), window(spec));
            case SlidingWindowLimit.ALGORITHM -> new SlidingWindowLimit(spec.getTokens(), spec.getPeriodMillis());
            case SlidingLogLimit.ALGORITHM -> new SlidingLogLimit(spec.getTokens(), spec.getPeriodMillis());
            case Unlimited.ALGORITHM -> new Unlimited();
            default -> throw new IllegalArgumentException("algorithm is '" + spec.getAlgorithm() + "'");
        };
    }

    private static Window window(LimitSpec spec) {
        if (spec.getCalendarUnit().isEmpty()) {
            return new Window.Every(spec.getPeriodMillis());
        }
        return new Window.Calendar(
                labelled("calendarUnit", spec.getCalendarUnit(), CalendarUnit.values(), CalendarUnit::label),
                spec.getZone());
    }

    private static <T> T labelled(String field, String label, T[] values, Function<T, String> labelOf) {
        return Arrays.stream(values)
                .filter(value -> labelOf.apply(value).equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(field + " is '" + label + "'; it must be one of "
                        + Arrays.stream(values).map(labelOf).toList()));
    }
}
