package io.headgate.core.shard;

import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.Rollout.Tenants;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Whose counters an era is of.
 *
 * @param within the tenants that a version is rolled out to; empty: everybody, addresses and login names too
 * @param without tenants that are left out all the same; empty: none
 * @param overflow whether the overflow bucket, which is nobody's, is among them
 */
record Audience(Optional<Tenants> within, Optional<Tenants> without, boolean overflow) {

    static final Audience EVERYBODY = new Audience(Optional.empty(), Optional.empty(), true);

    static Audience of(Tenants tenants, boolean overflow) {
        return new Audience(Optional.of(tenants), Optional.empty(), overflow);
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
        for (Audience other : others) {
            boolean rest = other.without.isEmpty()
                    || leavesOut(other.without.get())
                    || others.stream().anyMatch(one -> one.hasAll(other.without.get()));
            if (other.reaches(this) && rest) {
                return true;
            }
        }
        return false;
    }

    /** Whether it would cover the other if it left nobody out. */
    private boolean reaches(Audience other) {
        boolean wide = within.isEmpty() || (other.within.isPresent() && contains(within.get(), other.within.get()));
        return wide && (overflow || !other.overflow);
    }

    private boolean leavesOut(Tenants tenants) {
        return without.isPresent() && contains(without.get(), tenants);
    }

    private boolean hasAll(Tenants tenants) {
        return without.isEmpty() && (within.isEmpty() || contains(within.get(), tenants));
    }

    /** How many tenants it names. */
    int names() {
        return names(within) + names(without);
    }

    private static int names(Optional<Tenants> tenants) {
        return tenants.map(some -> some.tenants().size()).orElse(0);
    }

    private static boolean contains(Tenants some, Tenants fewer) {
        return some.hundredths() >= fewer.hundredths()
                && fewer.tenants().stream().allMatch(tenant -> some.includes(tenant, Optional.empty()));
    }

    void writeTo(ByteWriter out) {
        write(out, within);
        write(out, without);
        out.putBoolean(overflow);
    }

    static Audience readFrom(ByteReader in) {
        return new Audience(readTenants(in), readTenants(in), in.getBoolean());
    }

    private static void write(ByteWriter out, Optional<Tenants> tenants) {
        out.putBoolean(tenants.isPresent());
        tenants.ifPresent(some -> {
            out.putLong(some.hundredths()).putLong(some.tenants().size());
            some.tenants().forEach(out::putString);
        });
    }

    private static Optional<Tenants> readTenants(ByteReader in) {
        if (!in.getBoolean()) {
            return Optional.empty();
        }
        int hundredths = in.getInt();
        TreeSet<String> names = new TreeSet<>();
        for (int left = in.getInt(); left > 0; left--) {
            names.add(in.getString());
        }
        return Optional.of(new Rollout.Tenants(names, hundredths));
    }
}
