package io.headgate.tools.tenant;

import io.headgate.schemas.policy.Durations;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How long something holds. */
final class Term {

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(366);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @ArgGroup(multiplicity = "1")
    private End end;

    /** One of the two. */
    static final class End {

        @Option(
                names = "--for",
                paramLabel = "DURATION",
                required = true,
                description = "how long from now, by this machine's clock: 1s to 366d, such as 90s, 15m, 2h or 7d")
        private String duration;

        @Option(
                names = "--until",
                paramLabel = "INSTANT",
                required = true,
                description = "until when, such as 2026-12-01T08:00:00Z; 1 s to 366 days from now")
        private String instant;
    }

    /** When it ends, in milliseconds since the epoch; the shard compares it with the time of its log. */
    long untilMillis(long nowMillis) {
        return end.duration != null ? nowMillis + durationMillis() : instantMillis(nowMillis);
    }

    private long durationMillis() {
        try {
            long millis = Durations.parseMillis(end.duration, LONGEST.toMillis());
            if (millis >= SHORTEST.toMillis()) {
                return millis;
            }
        } catch (IllegalArgumentException notOne) {
            throw wrong("--for " + notOne.getMessage());
        }
        throw wrong("--for is '" + end.duration + "'; it must be at least 1s");
    }

    private long instantMillis(long nowMillis) {
        Instant until;
        try {
            until = Instant.parse(end.instant);
        } catch (DateTimeException notOne) {
            throw wrong("--until is '" + end.instant + "'; it must be an instant such as 2026-12-01T08:00:00Z");
        }
        Instant now = Instant.ofEpochMilli(nowMillis);
        if (until.isBefore(now.plus(SHORTEST)) || until.isAfter(now.plus(LONGEST))) {
            throw wrong("--until is " + until + "; it must be 1 s to 366 days from now, and now is " + now);
        }
        return until.toEpochMilli();
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
