package io.headgate.core.shard;

import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.Counter;
import io.headgate.core.limit.FixedWindow;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Gcra;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLog;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindow;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucket;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Limits and counters as bytes. The first byte says which algorithm's they are; the numbers are fixed for ever. */
final class LimitCodec {

    private static final int TOKEN_BUCKET = 1;
    private static final int FIXED_WINDOW = 2;
    private static final int SLIDING_WINDOW = 3;
    private static final int SLIDING_LOG = 4;
    private static final int GCRA = 5;
    private static final int UNLIMITED = 6;
    private static final int INTERVAL_BUCKET = 7;
    private static final int CALENDAR_WINDOW = 8;

    private LimitCodec() {}

    static void write(ByteWriter out, Limit limit) {
        if (limit instanceof TokenBucketLimit it) {
            int algorithm = it.refill() == Refill.INTERVAL ? INTERVAL_BUCKET : TOKEN_BUCKET;
            numbers(out, algorithm, it.capacityTokens(), it.refillTokens(), it.refillPeriodMillis());
        } else if (limit instanceof FixedWindowLimit it) {
            write(out, it);
        } else if (limit instanceof SlidingWindowLimit it) {
            numbers(out, SLIDING_WINDOW, it.limitTokens(), it.windowMillis());
        } else if (limit instanceof SlidingLogLimit it) {
            numbers(out, SLIDING_LOG, it.limitTokens(), it.windowMillis());
        } else if (limit instanceof GcraLimit it) {
            numbers(out, GCRA, it.burstTokens(), it.refillTokens(), it.refillPeriodMillis());
        } else if (limit instanceof Unlimited) {
            numbers(out, UNLIMITED);
        }
    }

    static Limit readLimit(ByteReader in) {
        int algorithm = in.get();
        return switch (algorithm) {
            case TOKEN_BUCKET -> new TokenBucketLimit(in.getLong(), in.getLong(), in.getLong());
            case INTERVAL_BUCKET -> new TokenBucketLimit(in.getLong(), in.getLong(), in.getLong(), Refill.INTERVAL);
            case FIXED_WINDOW -> new FixedWindowLimit(in.getLong(), in.getLong());
            case CALENDAR_WINDOW ->
                new FixedWindowLimit(in.getLong(), new Window.Calendar(unit(in.getString()), in.getString()));
            case SLIDING_WINDOW -> new SlidingWindowLimit(in.getLong(), in.getLong());
            case SLIDING_LOG -> new SlidingLogLimit(in.getLong(), in.getLong());
            case GCRA -> new GcraLimit(in.getLong(), in.getLong(), in.getLong());
            case UNLIMITED -> new Unlimited();
            default -> throw unknown(algorithm);
        };
    }

    private static void write(ByteWriter out, FixedWindowLimit limit) {
        if (limit.window() instanceof Window.Every every) {
            numbers(out, FIXED_WINDOW, limit.limitTokens(), every.lengthMillis());
        } else if (limit.window() instanceof Window.Calendar calendar) {
            numbers(out, CALENDAR_WINDOW, limit.limitTokens());
            out.putString(calendar.unit().label()).putString(calendar.zone());
        } else {
            throw new IllegalStateException("a limit is stored without the table of its zone");
        }
    }

    private static CalendarUnit unit(String label) {
        return Arrays.stream(CalendarUnit.values())
                .filter(unit -> unit.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("state names calendar unit '" + label + "'"));
    }

    static void write(ByteWriter out, Counter counter) {
        if (counter instanceof TokenBucket it) {
            numbers(out, TOKEN_BUCKET, it.deficitMilliTokens(), it.remainder(), it.updatedAtMillis());
        } else if (counter instanceof FixedWindow it) {
            numbers(out, FIXED_WINDOW, it.usedTokens(), it.updatedAtMillis());
        } else if (counter instanceof SlidingWindow it) {
            numbers(out, SLIDING_WINDOW, it.previousTokens(), it.currentTokens(), it.updatedAtMillis());
        } else if (counter instanceof SlidingLog it) {
            numbers(out, SLIDING_LOG, it.updatedAtMillis(), it.spent().size());
            for (SlidingLog.Spent one : it.spent()) {
                out.putLong(it.updatedAtMillis() - one.atMillis()).putLong(one.costTokens());
            }
        } else if (counter instanceof Gcra it) {
            numbers(out, GCRA, it.arrivalMillis(), it.fraction(), it.updatedAtMillis());
        }
    }

    static Counter readCounter(ByteReader in) {
        int algorithm = in.get();
        return switch (algorithm) {
            case TOKEN_BUCKET -> new TokenBucket(in.getLong(), in.getLong(), in.getLong());
            case FIXED_WINDOW -> new FixedWindow(in.getLong(), in.getLong());
            case SLIDING_WINDOW -> new SlidingWindow(in.getLong(), in.getLong(), in.getLong());
            case SLIDING_LOG -> readLog(in);
            case GCRA -> new Gcra(in.getLong(), in.getLong(), in.getLong());
            default -> throw unknown(algorithm);
        };
    }

    private static SlidingLog readLog(ByteReader in) {
        long updatedAtMillis = in.getLong();
        int size = in.getInt();
        List<SlidingLog.Spent> spent = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            spent.add(new SlidingLog.Spent(updatedAtMillis - in.getLong(), in.getLong()));
        }
        return new SlidingLog(spent, updatedAtMillis);
    }

    private static void numbers(ByteWriter out, int algorithm, long... numbers) {
        out.put(algorithm);
        for (long number : numbers) {
            out.putLong(number);
        }
    }

    private static IllegalStateException unknown(int algorithm) {
        return new IllegalStateException("state names algorithm " + algorithm + ", which this release does not know");
    }
}
