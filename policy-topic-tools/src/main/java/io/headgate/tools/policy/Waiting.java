package io.headgate.tools.policy;

import io.headgate.schemas.policy.Durations;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --wait} and {@code --no-wait}. */
final class Waiting {

    private static final long MOST_MILLIS = 3_600_000;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description =
                    "how long to wait until every shard and every gateway has the version; ${DEFAULT-VALUE} if left out")
    private String wait;

    @Option(names = "--no-wait", description = "ends when the version is on the topic")
    private boolean not;

    /** In milliseconds; 0 for no wait at all. */
    long millis() {
        if (not) {
            return 0;
        }
        try {
            return Durations.parseMillis(wait, MOST_MILLIS);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(), "Invalid value for --wait: " + e.getMessage() + "; or give --no-wait");
        }
    }
}
