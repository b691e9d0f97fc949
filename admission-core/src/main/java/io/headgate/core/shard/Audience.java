package io.headgate.core.shard;

import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Rollout.Tenants;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whose counters an era is of.
 *
 * @param within the tenants that a version is rolled out to; empty: everybody, addresses and login names too
 * @param without tenants that are left out all the same; empty: none
 * @param overflow whether the overflow bucket, which is nobody's, is among them
 */
record Audience(Optional<Tenants> within, Optional<Tenants> without, boolean overflow) {

    private static final int NONE = -1;

    static final Audience EVERYBODY = new Audience(Optional.empty(), Optional.empty(), true);

    static Audience of(Tenants tenants, boolean overflow) {
        return new Audience(Optional.of(tenants), Optional.empty(), overflow);
    }

    Audience withOverflow() {
        return new Audience(within, without, true);
    }

    Audience except(Tenants tenants) {
        return new Audience(within, Optional.of(tenants), overflow);
    }

    /** Whether counters of a partition key are; of an empty one, whether the overflow bucket is. */
    boolean includes(String partitionKey) {
        if (partitionKey.isEmpty()) {
            return overflow;
        }
        String tenant = Identity.tenantOf(partitionKey);
        return (within.isEmpty() || within.get().includes(tenant, Optional.empty()))
                && (without.isEmpty() || !without.get().includes(tenant, Optional.empty()));
    }

    /** Whether everybody of the other is here for certain. False says nothing. */
    boolean covers(Audience other) {
        return reaches(other) && (without.isEmpty() || other.leavesOut(without.get()));
    }

    /** Whether nobody is here and there, for certain. False says nothing. */
    boolean isApartFrom(Audience other) {
        boolean shareOverflow = overflow && other.overflow;
        return !shareOverflow
                && ((within.isPresent() && other.leavesOut(within.get()))
                        || (other.within.isPresent() && leavesOut(other.within.get())));
    }

    /** Whether everybody here is in one of these for certain. False says nothing. */
    boolean isCoveredBy(List<Audience> others) {
        return others.stream().anyMatch(other -> other.covers(this));
    }

    /** What this and the others have together, as far as this reaches: those it leaves out are with the others, or not. */
    Audience filledUpBy(List<Audience> others) {
        return without.isPresent() && of(without.get(), false).isCoveredBy(others)
                ? new Audience(within, Optional.empty(), overflow)
                : this;
    }

    /** Whether it would cover the other if it left nobody out. */
    private boolean reaches(Audience other) {
        boolean wide = within.isEmpty() || (other.within.isPresent() && contains(within.get(), other.within.get()));
        return wide && (overflow || !other.overflow);
    }

    private boolean leavesOut(Tenants tenants) {
        return without.isPresent() && contains(without.get(), tenants);
    }

    private static boolean contains(Tenants some, Tenants fewer) {
        if (some.equals(fewer)) {
            return true;
        }
        boolean tooFew = some.hundredths() == 0
                && some.tenants().size() < fewer.tenants().size();
        return !tooFew
                && some.hundredths() >= fewer.hundredths()
                && fewer.tenants().stream().allMatch(tenant -> some.includes(tenant, Optional.empty()));
    }

    /** The groups that it is made of. */
    Stream<Tenants> groups() {
        return Stream.concat(within.stream(), without.stream());
    }

    /** {@code groups} has those that it is made of. */
    void writeTo(ByteWriter out, List<Tenants> groups) {
        out.putLong(within.map(groups::indexOf).orElse(NONE))
                .putLong(without.map(groups::indexOf).orElse(NONE))
                .putBoolean(overflow);
    }

    static Audience readFrom(ByteReader in, List<Tenants> groups) {
        Audience audience = new Audience(group(in.getInt(), groups), group(in.getInt(), groups), in.getBoolean());
        return audience.equals(EVERYBODY) ? EVERYBODY : audience;
    }

    private static Optional<Tenants> group(int index, List<Tenants> groups) {
        return index == NONE ? Optional.empty() : Optional.of(groups.get(index));
    }
}
