package io.headgate.core.policy;

import io.headgate.core.limit.Bounds;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What a rule's denial does. */
public sealed interface Enforcement {

    Enforcement ENFORCE = new Enforce();
    Enforcement SHADOW = new Shadow(OptionalInt.empty(), OptionalLong.empty());

    /** The name in documents. */
    String label();

    /** It denies the request. */
    record Enforce() implements Enforcement {
        @Override
        public String label() {
            return "enforce";
        }
    }

    /**
     * It is reported and changes no verdict and no other rule's state.
     *
     * @param expectedDenyPermille how many of a thousand requests that the rule speaks of its author expects it to deny,
     *     0 to 1,000; a report compares
     * @param untilMillis log time from which on the rule is not asked any more; empty: it has no end
     */
    record Shadow(OptionalInt expectedDenyPermille, OptionalLong untilMillis) implements Enforcement {

        public Shadow {
            expectedDenyPermille.ifPresent(permille -> Bounds.inRange("expectedDenyRatio", permille, 0, 1_000));
        }

        /** Whether the rule has ended at a log time. */
        public boolean isOver(long nowMillis) {
            return untilMillis.isPresent() && untilMillis.getAsLong() <= nowMillis;
        }

        @Override
        public String label() {
            return "shadow";
        }
    }

    /**
     * It is reported, with a pace that would be within the limit, and the request is admitted and debited, as long as
     * what is owed stays within {@code hardPercent} of the limit. Beyond that it denies.
     *
     * @param hardPercent {@value #LEAST} to {@value #MOST} percent of the limit: the debt is never above one capacity
     */
    record Soft(int hardPercent) implements Enforcement {

        public static final int LEAST = 101;
        public static final int MOST = 200;

        public Soft {
            Bounds.inRange("hardPercent", hardPercent, LEAST, MOST);
        }

        /** How much may be owed beyond a limit: 50 beyond 100 at 150 percent, rounded down. */
        public long debtTokens(long limitTokens) {
            long beyondPercent = hardPercent - 100L;
            return limitTokens / 100 * beyondPercent + limitTokens % 100 * beyondPercent / 100;
        }

        @Override
        public String label() {
            return "soft";
        }
    }
}
