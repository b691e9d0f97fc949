package io.headgate.tools.tenant;

import io.headgate.tools.Cluster;
import java.io.InputStream;
import java.time.Clock;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** What a command finds outside of itself. */
record Surroundings(
        Function<Map<String, String>, Cluster> clusters, Clock clock, RandomGenerator random, InputStream in) {

    long nowMillis() {
        return clock.millis();
    }
}
