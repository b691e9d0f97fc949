package io.headgate.core.shard;

import io.headgate.core.limit.Bounds;

/**
 * The numbers of a shard that can change a decision, besides its policy. They come from a record of the shard log and
 * stay in the state, so every process that folds the log uses the same.
 *
 * @param semanticsVersion which rules of deciding apply; this release knows {@value #NEWEST_SEMANTICS}
 * @param shards the number of shards, fixed for ever; 1 to 10,000
 * @param controlKeyId names the key that authenticates control records from now on; 1 to 64 characters
 * @param attemptRetentionMillis how long the answer to an attempt is remembered: at least twice the longest deadline of
 *     any client; 1 s to 1 h
 * @param attemptsPerSession how many batches of one session are remembered, 16 to 65,536
 * @param maxSessions how many sessions are remembered, 1 to 1,000,000
 * @param sessionIdleMillis how long an idle session is remembered; from {@code attemptRetentionMillis} to 7 days
 * @param sweepEntriesPerTick how many entries the sweep looks at each tick, 1 to 1,000,000
 */
public record ShardSettings(
        int semanticsVersion,
        int shards,
        String controlKeyId,
        long attemptRetentionMillis,
        int attemptsPerSession,
        int maxSessions,
        long sessionIdleMillis,
        int sweepEntriesPerTick) {

    public static final int NEWEST_SEMANTICS = 1;

    public ShardSettings {
        Bounds.inRange("semanticsVersion", semanticsVersion, 1, Integer.MAX_VALUE);
        Bounds.inRange("shards", shards, 1, 10_000);
        Bounds.inRange("length of controlKeyId", controlKeyId.length(), 1, 64);
        Bounds.inRange("attemptRetentionMillis", attemptRetentionMillis, 1_000, 3_600_000);
        Bounds.inRange("attemptsPerSession", attemptsPerSession, 16, 65_536);
        Bounds.inRange("maxSessions", maxSessions, 1, 1_000_000);
        Bounds.inRange("sessionIdleMillis", sessionIdleMillis, attemptRetentionMillis, 7 * 24 * 3_600_000L);
        Bounds.inRange("sweepEntriesPerTick", sweepEntriesPerTick, 1, 1_000_000);
    }

    /** What a new shard begins with: attempts for 30 s, sessions for an hour, 5,000 entries swept a second. */
    public static ShardSettings initial(int shards, String controlKeyId) {
        return new ShardSettings(NEWEST_SEMANTICS, shards, controlKeyId, 30_000, 1_024, 10_000, 3_600_000, 5_000);
    }

    void writeTo(ByteWriter out) {
        out.putLong(semanticsVersion)
                .putLong(shards)
                .putString(controlKeyId)
                .putLong(attemptRetentionMillis)
                .putLong(attemptsPerSession)
                .putLong(maxSessions)
                .putLong(sessionIdleMillis)
                .putLong(sweepEntriesPerTick);
    }

    static ShardSettings readFrom(ByteReader in) {
        return new ShardSettings(
                in.getInt(),
                in.getInt(),
                in.getString(),
                in.getLong(),
                in.getInt(),
                in.getInt(),
                in.getLong(),
                in.getInt());
    }
}
