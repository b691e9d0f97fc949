package io.headgate.tools;

import java.io.InputStream;
import java.time.Clock;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * What a command finds outside of itself.
 *
 * @param clusters reaches a cluster by the settings of Kafka's clients
 * @param clock what an operator's "for two hours" begins with
 * @param random makes ids differ
 * @param in where an identifier given as {@code -} is read from
 */
public record Surroundings(
        Function<Map<String, String>, Cluster> clusters, Clock clock, RandomGenerator random, InputStream in) {

    public long nowMillis() {
        return clock.millis();
    }
}
