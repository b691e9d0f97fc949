package io.headgate.schemas;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;

/**
 * Every topic of a deployment, and how each must be set up: created from here, and checked against this at start.
 */
public final class TopicCatalogue {

    /** The shard logs: partition s is the log of shard s. */
    public static final String ADMISSION_REQUESTS = "admission-requests";

    /** Answers; a gateway owns a partition. */
    public static final String ADMISSION_REPLIES = "admission-replies";

    /** Versions of policies; all stay. */
    public static final String POLICIES = "policies";

    /** Which versions each shard and each gateway goes by. */
    public static final String POLICY_STATUS = "policy-status";

    /** The plan of each tenant, in the partition of its shard. */
    public static final String TENANT_PLANS = "tenant-plans";

    /** What operators do to budgets, in the partition of the subject's shard. */
    public static final String QUOTA_ADJUSTMENTS = "quota-adjustments";

    /** How decisions came about: some of them. */
    public static final String DECISION_TRACE = "decision-trace";

    /** What could not be read or was not genuine. */
    public static final String DEAD_LETTERS = "dead-letters";

    /** The largest reply: 500 decisions that explain themselves stay below it. */
    public static final int MAX_REPLY_BYTES = 4 * 1024 * 1024;

    /** Well above how long a signed record is remembered, so that none is taken away which a copy is known by. */
    private static final Duration COMPACTION_LAG = Duration.ofHours(1);

    private final int shards;
    private final int replyPartitions;

    /**
     * Describes a deployment.
     *
     * @param shards number of shards, fixed for ever; 1 to 10,000
     * @param replyPartitions number of partitions for replies, 1 to 10,000
     */
    public TopicCatalogue(int shards, int replyPartitions) {
        if (shards < 1 || shards > 10_000) {
            throw new IllegalArgumentException("shards is " + shards + "; it must be 1 to 10000");
        }
        if (replyPartitions < 1 || replyPartitions > 10_000) {
            throw new IllegalArgumentException("reply partitions is " + replyPartitions + "; it must be 1 to 10000");
        }
        this.shards = shards;
        this.replyPartitions = replyPartitions;
    }

    public List<TopicSpec> topics() {
        return List.of(
                new TopicSpec(
                        ADMISSION_REQUESTS,
                        shards,
                        Map.of(
                                TopicConfig.CLEANUP_POLICY_CONFIG,
                                TopicConfig.CLEANUP_POLICY_DELETE,
                                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                                "LogAppendTime",
                                // So that the broker unpacks what clients pack, and measures that: 12 kB of zstd can
                                // unpack to 400 MB, which no processor survives, nor the next one that tries.
                                TopicConfig.COMPRESSION_TYPE_CONFIG,
                                "uncompressed",
                                TopicConfig.RETENTION_MS_CONFIG,
                                millis(Duration.ofHours(24)))),
                new TopicSpec(
                        ADMISSION_REPLIES,
                        replyPartitions,
                        Map.of(
                                TopicConfig.CLEANUP_POLICY_CONFIG,
                                TopicConfig.CLEANUP_POLICY_DELETE,
                                TopicConfig.RETENTION_MS_CONFIG,
                                millis(Duration.ofMinutes(10)),
                                TopicConfig.SEGMENT_MS_CONFIG,
                                millis(Duration.ofMinutes(5)),
                                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                                Integer.toString(MAX_REPLY_BYTES))),
                new TopicSpec(
                        POLICIES,
                        1,
                        Map.of(
                                // Not compacted: a null under a version's key would take the version away, and who may
                                // write the topic must not be able to do that.
                                TopicConfig.CLEANUP_POLICY_CONFIG,
                                TopicConfig.CLEANUP_POLICY_DELETE,
                                // The end of a key is compared with it, and a writer must not be able to choose it.
                                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                                "LogAppendTime",
                                TopicConfig.RETENTION_MS_CONFIG,
                                "-1",
                                TopicConfig.RETENTION_BYTES_CONFIG,
                                "-1")),
                new TopicSpec(
                        POLICY_STATUS,
                        1,
                        Map.of(
                                TopicConfig.CLEANUP_POLICY_CONFIG,
                                "compact,delete",
                                TopicConfig.RETENTION_MS_CONFIG,
                                millis(Duration.ofDays(7)))),
                new TopicSpec(
                        TENANT_PLANS,
                        shards,
                        Map.of(
                                // The issue time of a signature is compared with it.
                                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                                "LogAppendTime",
                                TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG,
                                millis(COMPACTION_LAG),
                                TopicConfig.CLEANUP_POLICY_CONFIG,
                                TopicConfig.CLEANUP_POLICY_COMPACT,
                                // A shard that was down for longer does not hear of a plan that was deleted by a null.
                                TopicConfig.DELETE_RETENTION_MS_CONFIG,
                                millis(Duration.ofDays(7)))),
                new TopicSpec(
                        QUOTA_ADJUSTMENTS,
                        shards,
                        Map.of(
                                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                                "LogAppendTime",
                                TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG,
                                millis(COMPACTION_LAG),
                                TopicConfig.CLEANUP_POLICY_CONFIG,
                                "compact,delete",
                                TopicConfig.RETENTION_MS_CONFIG,
                                millis(Duration.ofDays(366)))),
                new TopicSpec(
                        DECISION_TRACE,
                        4,
                        Map.of(
                                TopicConfig.CLEANUP_POLICY_CONFIG,
                                TopicConfig.CLEANUP_POLICY_DELETE,
                                TopicConfig.RETENTION_MS_CONFIG,
                                millis(Duration.ofDays(1)))),
                new TopicSpec(
                        DEAD_LETTERS,
                        4,
                        Map.of(
                                TopicConfig.CLEANUP_POLICY_CONFIG,
                                TopicConfig.CLEANUP_POLICY_DELETE,
                                TopicConfig.RETENTION_MS_CONFIG,
                                millis(Duration.ofDays(14)))));
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }
}
