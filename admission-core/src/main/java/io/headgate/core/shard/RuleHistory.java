package io.headgate.core.shard;

import io.headgate.core.policy.Rollout.Tenants;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits that a rule has had since its oldest counter was last touched, for everybody and for those that a version
 * was rolled out to. A counter has seen those eras whose audience it belongs to, one after the other: its line.
 *
 * @param shadow whether the rule was a shadow rule last, in every version that had it
 * @param eras oldest first, never empty
 */
record RuleHistory(boolean shadow, List<Era> eras) {

    /** The most changes of one rule's limit within one round of the sweep. */
    static final int MAX_ERAS = 1_000;

    RuleHistory {
        eras = List.copyOf(eras);
    }

    /** Offset of the last change, whosever it was: a counter touched since is under the last limit of its line. */
    long changedOffset() {
        return eras.get(eras.size() - 1).fromOffset();
    }

    /** The eras that counters of a partition key have seen, oldest first; of an empty one, those of the overflow bucket. */
    List<Era> lineOf(String partitionKey) {
        if (isOneLine()) {
            return eras;
        }
        return eras.stream()
                .filter(era -> era.audience().includes(partitionKey))
                .toList();
    }

    private boolean isOneLine() {
        for (Era era : eras) {
            if (!era.audience().equals(Audience.EVERYBODY)) {
                return false;
            }
        }
        return true;
    }

    RuleHistory as(boolean nowShadow) {
        return nowShadow == shadow ? this : new RuleHistory(nowShadow, eras);
    }

    /** The history once {@code next} has begun; the same if that changes nothing for anybody. */
    RuleHistory followedBy(Era next) {
        if (isKnown(next, eras)) {
            return this;
        }
        boolean alone = next.audience().equals(Audience.EVERYBODY)
                && (next.fresh() || (isOneLine() && next.beginsAnewAfter(eras.get(eras.size() - 1))));
        if (alone) {
            return new RuleHistory(shadow, List.of(next));
        }
        List<Era> longer = new ArrayList<>(eras);
        longer.add(next);
        return new RuleHistory(shadow, longer);
    }

    /** Whether everybody that an era is for stands under the same limits already, as far as can be told. */
    private static boolean isKnown(Era next, List<Era> before) {
        if (next.fresh()) {
            return false;
        }
        for (int i = before.size() - 1; i >= 0; i--) {
            Era era = before.get(i);
            if (era.countsLike(next)) {
                if (era.audience().covers(next.audience())) {
                    return true;
                }
            } else if (!era.audience().isApartFrom(next.audience())) {
                return false;
            }
        }
        return false;
    }

    /** Without the eras that ended before {@code offset} in every line, when every counter has been brought past it. */
    RuleHistory since(long offset) {
        int seen = 0;
        while (seen < eras.size() && eras.get(seen).fromOffset() < offset) {
            seen++;
        }
        List<Audience> later = new ArrayList<>();
        List<Era> last = new ArrayList<>();
        for (int i = seen - 1; i >= 0; i--) {
            Audience audience = eras.get(i).audience();
            if (!audience.isCoveredBy(later)) {
                last.add(0, eras.get(i).seen());
            }
            later.add(audience.filledUpBy(later));
        }
        List<Era> left = new ArrayList<>();
        for (Era era : last) {
            if (!isKnown(era, left)) {
                left.add(era);
            }
        }
        left.addAll(eras.subList(seen, eras.size()));
        return left.size() == eras.size() ? this : new RuleHistory(shadow, left);
    }

    /** {@code groups} has those of all audiences. */
    void writeTo(ByteWriter out, List<Tenants> groups) {
        out.putBoolean(shadow).putLong(eras.size());
        eras.forEach(era -> era.writeTo(out, groups));
    }

    static RuleHistory readFrom(ByteReader in, List<Tenants> groups) {
        boolean shadow = in.getBoolean();
        List<Era> eras = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            eras.add(Era.readFrom(in, groups));
        }
        return new RuleHistory(shadow, eras);
    }
}
