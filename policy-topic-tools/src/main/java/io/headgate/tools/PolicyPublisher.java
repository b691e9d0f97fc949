package io.headgate.tools;

import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.PolicyVersions.Entry;
import io.headgate.tools.PolicyVersions.Standing;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Publishes versions: compares what is newest with what the author thought it was, and sets the next, as one step. It
 * takes the one right to publish first. So whoever else was about to publish either is done, and is seen, or is fenced
 * and publishes nothing.
 */
public final class PolicyPublisher {

    /** The name that one publisher alone has at a time. */
    static final String NAME = "headgate-policy-publisher";

    private final Cluster cluster;
    private final PolicyTrust trust;

    /**
     * Publishes nothing yet.
     *
     * @param trust whom the readers of the topic believe
     */
    public PolicyPublisher(Cluster cluster, PolicyTrust trust) {
        this.cluster = cluster;
        this.trust = trust;
    }

    /**
     * Where a version stands.
     *
     * @param before whether it was there already, with the same content
     */
    public record Published(long offset, boolean before) {}

    /**
     * Publishes the next version.
     *
     * @param base the version that it builds on; empty: the one before it
     * @throws PolicyConflictException if somebody else published meanwhile
     * @throws CommandFailedException if readers would refuse it, or the cluster does, or it is not known what became of it
     */
    public Published publish(PolicyRecord record, OptionalLong base) throws CommandFailedException {
        try (SoleWriter writer = cluster.soleWriter(NAME)) {
            PolicyVersions seen = PolicyVersions.read(cluster, trust);
            Optional<Entry> newest = seen.newest();
            if (newest.filter(entry -> isSame(entry, record)).isPresent()) {
                return new Published(newest.get().offset(), true);
            }
            checkNewest(newest, record, base);
            Optional<String> refusal = seen.refusalOfNext(record);
            if (refusal.isPresent()) {
                throw new CommandFailedException("version " + record.version()
                        + " cannot be published, every reader would refuse it: " + refusal.get());
            }
            return checked(record, append(writer, record));
        }
    }

    private void checkNewest(Optional<Entry> newest, PolicyRecord record, OptionalLong base) {
        long number = newest.map(Entry::version).orElse(0L);
        if (base.isPresent() && base.getAsLong() != number) {
            throw conflict(
                    record,
                    newest,
                    "it builds on version " + base.getAsLong() + ", and "
                            + (newest.isPresent() ? "that is not the newest any more" : "there is no version yet"));
        }
        if (record.version() <= number) {
            throw conflict(
                    record,
                    newest,
                    "there is " + (record.version() == number ? "one of that number" : "a newer one")
                            + "; if this one is meant to come next, set metadata.version to " + (number + 1));
        }
    }

    private long append(SoleWriter writer, PolicyRecord record) throws CommandFailedException {
        try {
            return writer.append(new ProducerRecord<>(TopicCatalogue.POLICIES, 0, record.key(), record.toBytes()));
        } catch (SupersededException e) {
            throw conflict(record, PolicyVersions.read(cluster, trust).newest(), "somebody else is publishing");
        }
    }

    /** Who may write the topic can write past the one right to publish; then the first of one number counts. */
    private Published checked(PolicyRecord record, long offset) throws CommandFailedException {
        PolicyVersions after = PolicyVersions.read(cluster, trust);
        boolean counts = after.entries().stream()
                .anyMatch(entry -> entry.offset() == offset && entry.standing() == Standing.ACCEPTED);
        if (!counts) {
            throw conflict(record, after.version(record.version()), "another record of that number came first");
        }
        return new Published(offset, false);
    }

    private static boolean isSame(Entry entry, PolicyRecord record) {
        return entry.record().orElseThrow().contentHash().equals(record.contentHash());
    }

    private static PolicyConflictException conflict(PolicyRecord record, Optional<Entry> newest, String why) {
        return new PolicyConflictException("version " + record.version() + " cannot be published: " + why
                + newest.map(entry -> "; somebody else published " + entry.told())
                        .orElse(""));
    }
}
