package io.headgate.core.shard;

import java.util.List;
import java.util.Optional;

/**
 * A shard as seen from outside, between two records.
 *
 * @param nextOffset the offset that the fold expects
 * @param logTimeMillis the latest log time seen
 * @param settings the settings in force; empty in a new shard
 * @param settingsSource the last setting applied; −1 before the first
 * @param policySource the offset of the last policy applied, on its topic; −1 before the first
 * @param policyVersion the policy in force; 0 before the first
 * @param caughtUp whether the shard decides
 * @param losses what was given up, oldest first
 */
public record ShardView(
        long nextOffset,
        long logTimeMillis,
        Optional<ShardSettings> settings,
        long settingsSource,
        long policySource,
        long policyVersion,
        boolean caughtUp,
        List<Loss> losses) {

    public ShardView {
        losses = List.copyOf(losses);
    }
}
