package io.headgate.cluster.bench;

import io.headgate.gateway.client.Caller;
import java.util.SplittableRandom;

/** The users who ask, ten to a tenant; each is as likely as any other to be next. */
final class Population {

    static final int USERS_PER_TENANT = 10;

    private final int users;
    private final SplittableRandom random;

    /**
     * Makes a population.
     *
     * @param users how many there are
     * @param seed the same seed brings the same users in the same order
     */
    Population(int users, long seed) {
        this.users = users;
        this.random = new SplittableRandom(seed);
    }

    /** Who is next, as a number from 0. */
    int next() {
        return random.nextInt(users);
    }

    /** The tenant of a user. */
    static String tenantOf(int user) {
        return "bench-" + user / USERS_PER_TENANT;
    }

    /** A user as a gateway knows it. */
    static Caller callerOf(int user) {
        return new Caller(tenantOf(user), "user-" + user, "", "", "");
    }
}
