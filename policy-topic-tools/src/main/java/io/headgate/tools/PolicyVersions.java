package io.headgate.tools;

import io.headgate.schemas.PolicyHistory;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyRefusal;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The topic of policies as a reader finds it, who believes whom the trust says: every record, and what becomes of it. */
public final class PolicyVersions {

    private final PolicyHistory history;
    private final List<Entry> entries = new ArrayList<>();
    private long end;

    private PolicyVersions(PolicyTrust trust) {
        this.history = new PolicyHistory(trust);
    }

    /** What readers make of a record. */
    public enum Standing {
        /** It is a version. */
        ACCEPTED,
        /** It says what the newest version says already. */
        REPEATED,
        /** It changes nothing for anybody. */
        REFUSED
    }

    /**
     * A record.
     *
     * @param offset where it stands
     * @param writtenMillis when it was written, by the clock of whoever wrote it
     * @param record what it says; empty if that cannot be read
     * @param standing what readers make of it
     * @param refusal why it is refused; empty if it is not
     */
    public record Entry(
            long offset, long writtenMillis, Optional<PolicyRecord> record, Standing standing, String refusal) {

        /** Of an accepted record. */
        public long version() {
            return record.orElseThrow().version();
        }

        /** Of an accepted record. */
        public PolicyDocument document() {
            return PolicyDocument.parse(record.orElseThrow().document().getBytes(StandardCharsets.UTF_8));
        }

        /** Who published it and why, for people: {@code version 7 by ann (the spring sale)}. */
        public String told() {
            PolicyRecord of = record.orElseThrow();
            return "version " + of.version() + " by " + BadLine.shown(of.author(), LONGEST_AUTHOR) + " ("
                    + BadLine.shown(of.reason(), LONGEST_REASON) + ")";
        }

        private static final int LONGEST_AUTHOR = 64;
        private static final int LONGEST_REASON = 200;
    }

    /**
     * Reads the topic up to where it ends now.
     *
     * @throws CommandFailedException if there is no such topic, or the cluster does not answer
     */
    public static PolicyVersions read(Cluster cluster, PolicyTrust trust) throws CommandFailedException {
        cluster.partitions(TopicCatalogue.POLICIES);
        PolicyVersions versions = new PolicyVersions(trust);
        versions.end = cluster.read(TopicCatalogue.POLICIES, 0, 0, versions::take);
        return versions;
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        Optional<String> refusal = history.take(record.offset(), record.timestamp(), record.value())
                .map(PolicyRefusal::reason);
        Standing standing = refusal.isPresent()
                ? Standing.REFUSED
                : history.newest().filter(it -> it.offset() == record.offset()).isPresent()
                        ? Standing.ACCEPTED
                        : Standing.REPEATED;
        entries.add(
                new Entry(record.offset(), record.timestamp(), readable(record.value()), standing, refusal.orElse("")));
    }

    private static Optional<PolicyRecord> readable(byte[] value) {
        try {
            return Optional.ofNullable(value).map(PolicyRecord::fromBytes);
        } catch (UnreadableRecordException foreign) {
            return Optional.empty();
        }
    }

    /** All records, in the order of the log. */
    public List<Entry> entries() {
        return List.copyOf(entries);
    }

    /** Those that are versions, oldest first. */
    public List<Entry> accepted() {
        return entries.stream()
                .filter(entry -> entry.standing() == Standing.ACCEPTED)
                .toList();
    }

    /** The newest version; empty if there is none. */
    public Optional<Entry> newest() {
        List<Entry> accepted = accepted();
        return accepted.isEmpty() ? Optional.empty() : Optional.of(accepted.get(accepted.size() - 1));
    }

    /** One version. */
    public Optional<Entry> version(long number) {
        return accepted().stream().filter(entry -> entry.version() == number).findFirst();
    }

    /** The number that the next version has to have. */
    public long nextNumber() {
        return newest().map(Entry::version).orElse(0L) + 1;
    }

    /** Where the topic ended. */
    public long end() {
        return end;
    }

    /** Why readers would refuse a record that came next; empty if they would take it. May be asked once. */
    Optional<String> refusalOfNext(PolicyRecord record, long nowMillis) {
        return history.take(end, nowMillis, record.toBytes()).map(PolicyRefusal::reason);
    }

    /** What is in force together on the topic. */
    public PolicyHistory history() {
        return history;
    }
}
