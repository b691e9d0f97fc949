package io.headgate.core.shard;

/**
 * What the shard's owner tells the shard. The shell has verified that an owner wrote it.
 *
 * <p>A policy and a setting stand in a chain: each names its own position in its source and that of the one sent before
 * it, −1 before the first. It is applied if {@code previous ≤ last applied < source}; so one that comes twice, one that
 * comes after a lost one, and two owners at once do no harm.
 */
public sealed interface Control {

    /** A policy document as it stands on the topic of policies; {@code source} is its offset there. */
    record ApplyPolicy(long source, long previous, byte[] document) implements Control {}

    /** The settings of the shard. */
    record ApplySettings(long source, long previous, ShardSettings settings) implements Control {}

    /** About a second has passed: the sweep moves on. Carries the owner's clock, which no decision uses. */
    record Tick(long ownerMillis) implements Control {}

    /** The owner has appended all that there was when it took the shard over: from now on the shard decides. */
    record CaughtUp() implements Control {}
}
