package io.headgate.tools.policy;

import io.headgate.schemas.PolicyStatus;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.tools.BadLine;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Everybody who goes by policies: every shard, and every gateway that has said so and not stopped. */
final class Fleet {

    private static final int LONGEST_REFUSAL = 300;

    private final Cluster cluster;
    private final int shards;
    private final Map<String, PolicyStatus> said = new TreeMap<>();
    private long readTo;

    /**
     * Asks how many shards there are; what they say is read by {@link #look}.
     *
     * @throws CommandFailedException if a topic is missing, or the cluster does not answer
     */
    Fleet(Cluster cluster) throws CommandFailedException {
        this.cluster = cluster;
        this.shards = cluster.partitions(TopicCatalogue.ADMISSION_REQUESTS);
        cluster.partitions(TopicCatalogue.POLICY_STATUS);
    }

    /**
     * A version that everybody should have.
     *
     * @param offset where it stands; −1 if there is none yet
     * @param version its number; 0 if there is none yet
     */
    record Wanted(long offset, long version) {}

    /**
     * Somebody.
     *
     * @param reporter {@code shard/N} or {@code gateway/NAME}
     * @param status what it said last; empty of a shard that has said nothing, or has no owner now
     */
    record Member(String reporter, Optional<PolicyStatus> status) {

        boolean isShard() {
            return status.map(PolicyStatus::ofShard).orElse(true);
        }

        /** Whether it has been silent for so long that it counts as gone. */
        boolean isGone(long nowMillis) {
            return status.map(it -> it.isStale(nowMillis)).orElse(true);
        }

        /** Whether it goes by a version or a later one, or lets it wait for its time. */
        boolean has(Wanted wanted) {
            return status.filter(it -> it.source() > wanted.offset()
                            || (it.source() == wanted.offset() && goesBy(it, wanted.version())))
                    .isPresent();
        }

        private static boolean goesBy(PolicyStatus status, long version) {
            return status.version() == version || status.rolledOut() == version || status.pending() == version;
        }

        /** Whether nobody need wait for it: a gateway that is not there decides nothing. */
        boolean needs(Wanted wanted, long nowMillis) {
            return !has(wanted) && (isShard() || !isGone(nowMillis));
        }

        /** Why it has not taken over a version, as far as it says. */
        String why(Wanted wanted, long nowMillis) {
            if (status.isEmpty()) {
                return "says nothing; is a processor running that owns it?";
            }
            PolicyStatus it = status.get();
            if (it.refusedSource() == wanted.offset()) {
                return "refused it: " + BadLine.shown(it.refusal(), LONGEST_REFUSAL);
            }
            if (it.source() == wanted.offset()) {
                return "has read it and could not put it in force; the dead letters of its log say why";
            }
            String who = ", on " + BadLine.shown(it.process(), LONGEST_REFUSAL);
            return isGone(nowMillis)
                    ? "has been silent for " + (nowMillis - it.atMillis()) / 1_000 + " s" + who
                    : "is at version " + it.version() + who;
        }
    }

    /** Reads what was said since the last look. */
    void look() throws CommandFailedException {
        readTo = cluster.read(TopicCatalogue.POLICY_STATUS, 0, readTo, this::take);
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null) {
            return;
        }
        String reporter = new String(record.key(), StandardCharsets.UTF_8);
        try {
            if (record.value() == null) {
                said.remove(reporter);
                return;
            }
            PolicyStatus status = PolicyStatus.fromBytes(record.value());
            if (status.reporter().equals(reporter)) {
                said.put(reporter, status);
            }
        } catch (UnreadableRecordException foreign) {
            // Who cannot be understood has said nothing.
        }
    }

    int shards() {
        return shards;
    }

    /** Every shard by its number, then every gateway by its name. */
    List<Member> members() {
        List<Member> members = new ArrayList<>();
        for (int shard = 0; shard < shards; shard++) {
            String reporter = PolicyStatus.shard(shard);
            members.add(new Member(reporter, Optional.ofNullable(said.get(reporter))));
        }
        said.values().stream()
                .filter(status -> !status.ofShard())
                .forEach(status -> members.add(new Member(status.reporter(), Optional.of(status))));
        return members;
    }

    /** Those that have not taken over a version and should have. */
    List<Member> lacking(Wanted wanted, long nowMillis) {
        return members().stream()
                .filter(member -> member.needs(wanted, nowMillis))
                .toList();
    }

    /** How many gateways are there. */
    long gateways(long nowMillis) {
        return members().stream()
                .filter(member -> !member.isShard() && !member.isGone(nowMillis))
                .count();
    }
}
