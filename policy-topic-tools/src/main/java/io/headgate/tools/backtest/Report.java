package io.headgate.tools.backtest;

import io.headgate.schemas.policy.PolicyDocument;
import java.util.List;

/**
 * What a backtest found, before it is written in one form or another.
 *
 * @param baseline the policy that requests are compared with
 * @param candidate the policy that is tried
 * @param source where the requests came from, in words
 * @param remarks what a reader has to know to believe the figures, a sentence or two each
 * @param tally the figures
 * @param top how many names of each kind are shown
 * @param threshold what was asked of it
 */
record Report(
        Version baseline,
        Version candidate,
        String source,
        List<String> remarks,
        Tally tally,
        int top,
        Threshold threshold) {

    Report {
        remarks = List.copyOf(remarks);
    }

    /** One of the two policies. {@code from} says where it came from. */
    record Version(String from, String name, long version, String contentHash) {

        static Version of(String from, PolicyDocument document) {
            return new Version(
                    from, document.metadata().name(), document.metadata().version(), document.contentHash());
        }
    }

    boolean withinThreshold() {
        return threshold.allows(tally.total(Column.NEWLY_DENIED), tally.total(Column.REQUESTS));
    }

    /** A part of a whole in percent with one digit, rounded down; of nothing, nothing. */
    static String percent(long part, long whole) {
        if (whole == 0) {
            return "0.0 %";
        }
        long thousandths = Math.multiplyHigh(part, 1_000) == 0 ? part * 1_000 / whole : part / (whole / 1_000);
        return thousandths / 10 + "." + thousandths % 10 + " %";
    }
}
