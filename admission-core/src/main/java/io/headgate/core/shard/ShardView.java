package io.headgate.core.shard;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A shard as seen from outside, between two records.
 *
 * @param nextOffset the offset that the fold expects
 * @param logTimeMillis the latest log time seen
 * @param settings the settings in force; empty in a new shard
 * @param settingsSource the last setting applied; −1 before the first
 * @param policySource the offset of the last policy applied, on its topic; −1 before the first
 * @param planSource the offset of the last tenant plan applied, on the shard's partition of their topic; −1 before the
 *     first
 * @param actionSource the same of operators' actions
 * @param zones up to when the offsets of each known time zone are complete, by its name
 * @param policyVersion the version of the policy that is in force for everybody; 0 before the first
 * @param rolledOutVersion the newer version that is in force for some; 0 if there is none
 * @param pendingVersion the newest version that waits for its time; 0 if there is none
 * @param caughtUp whether the shard decides
 * @param losses what was given up, oldest first
 */
public record ShardView(
        long nextOffset,
        long logTimeMillis,
        Optional<ShardSettings> settings,
        long settingsSource,
        long policySource,
        long planSource,
        long actionSource,
        SortedMap<String, Long> zones,
        long policyVersion,
        long rolledOutVersion,
        long pendingVersion,
        boolean caughtUp,
        List<Loss> losses) {

    public ShardView {
        zones = Collections.unmodifiableSortedMap(new TreeMap<>(zones));
        losses = List.copyOf(losses);
    }
}
