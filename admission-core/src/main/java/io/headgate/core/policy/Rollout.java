package io.headgate.core.policy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which requests a version is for. The rest stays on the version before, and every request is decided under one of the
 * two alone.
 */
public sealed interface Rollout {

    /** The version replaces the one before for everybody. */
    Rollout EVERYBODY = new Everybody();

    /** Percentages are counted in hundredths: 10,000 is everybody. */
    int WHOLE = 10_000;

    /**
     * Whether a request is decided under the version that is rolled out.
     *
     * @param tenant whose request it is; empty before authentication, and then it is not in a rollout by tenants
     * @param group its route group
     */
    boolean includes(String tenant, Optional<String> group);

    /** No rollout in stages. */
    record Everybody() implements Rollout {
        @Override
        public boolean includes(String tenant, Optional<String> group) {
            return true;
        }
    }

    /**
     * Tenants that are named, and a share of all others. A tenant's place in the order is its own for ever, so that a
     * larger share has everybody of a smaller one.
     *
     * @param tenants the tenants named
     * @param hundredths of a percent, 0 to 9,999
     */
    record Tenants(SortedSet<String> tenants, int hundredths) implements Rollout {

        public Tenants {
            tenants = Collections.unmodifiableSortedSet(new TreeSet<>(tenants));
            if (hundredths < 0 || hundredths >= WHOLE) {
                throw new IllegalArgumentException(
                        "percent is " + hundredths + " hundredths; it must be 0 to " + (WHOLE - 1));
            }
            if (tenants.isEmpty() && hundredths == 0) {
                throw new IllegalArgumentException("tenants names none, and percent is 0%: it is for nobody");
            }
        }

        @Override
        public boolean includes(String tenant, Optional<String> group) {
            return !tenant.isEmpty() && (tenants.contains(tenant) || placeOf(tenant) < hundredths);
        }
    }

    /**
     * Requests to some routes.
     *
     * @param groups names of route groups, at least one
     */
    record Routes(SortedSet<String> groups) implements Rollout {

        public Routes {
            groups = Collections.unmodifiableSortedSet(new TreeSet<>(groups));
            if (groups.isEmpty()) {
                throw new IllegalArgumentException("routes names no route group: it is for nobody");
            }
        }

        @Override
        public boolean includes(String tenant, Optional<String> group) {
            return group.isPresent() && groups.contains(group.get());
        }
    }

    /** A tenant's place in the order in which shares are filled, 0 to 9,999: from the SHA-256 of its name. */
    static int placeOf(String tenant) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(("headgate rollout/" + tenant).getBytes(StandardCharsets.UTF_8));
            int word = (hash[0] & 0xff) << 24 | (hash[1] & 0xff) << 16 | (hash[2] & 0xff) << 8 | (hash[3] & 0xff);
            return Integer.remainderUnsigned(word, WHOLE);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-256", missing);
        }
    }
}
