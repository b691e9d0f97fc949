package io.headgate.tools;

import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.PolicyVersions.Entry;
import io.headgate.tools.PolicyVersions.Standing;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Publishes versions: compares what is newest with what the author thought it was, and sets the next, as one step. It
 * takes the one right to publish first. So whoever else was about to publish either is done, and is seen, or is fenced
 * and publishes nothing.
 */
public final class PolicyPublisher {

    /** The name that one publisher alone has at a time. */
    static final String NAME = "headgate-policy-publisher";

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_EVERY_NANOS = 5_000_000;

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
            Optional<String> refusal = seen.refusalOfNext(record, System.currentTimeMillis());
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
        awaitVisible(record, offset);
        PolicyVersions after = PolicyVersions.read(cluster, trust);
        boolean counts = after.entries().stream()
                .anyMatch(entry -> entry.offset() == offset && entry.standing() == Standing.ACCEPTED);
        if (!counts) {
            throw conflict(record, after.version(record.version()), "another record of that number came first");
        }
        return new Published(offset, false);
    }

    /** A transaction is decided when its coordinator has written so; its readers hear of it a moment later. */
    private void awaitVisible(PolicyRecord record, long offset) throws CommandFailedException {
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        while (cluster.end(TopicCatalogue.POLICIES, 0) <= offset) {
            if (System.nanoTime() > giveUpAt) {
                throw new CommandFailedException("version " + record.version() + " is published, and after "
                        + PATIENCE.toSeconds() + " s no reader can see it yet: something before it on topic "
                        + TopicCatalogue.POLICIES + " holds readers up, such as a transaction that somebody left open");
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
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
