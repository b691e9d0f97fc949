package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.KafkaCluster;
import io.headgate.tools.PolicyConflictException;
import io.headgate.tools.PolicyPublisher;
import io.headgate.tools.PolicyVersions;
import io.headgate.tools.PolicyVersions.Standing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Publishing is one step: of several who publish at once, one does, and the others are told. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class PolicyPublisherIT {

    private static final int ROUNDS = Integer.getInteger("headgate.publish.rounds", 200);

    @TempDir
    private Path folder;

    private LocalBroker broker;

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private Cluster cluster() {
        return KafkaCluster.of(Map.of("bootstrap.servers", broker.bootstrapServers()));
    }

    private static PolicyRecord version(long version, String author) {
        return PolicyRecord.of(LoadPolicy.version(version).as(version, author, "because"), List.of());
    }

    private static boolean publishes(Cluster cluster, PolicyRecord record) throws CommandFailedException {
        try {
            return !new PolicyPublisher(cluster, PolicyTrust.ANYBODY)
                    .publish(record, OptionalLong.of(record.version() - 1))
                    .before();
        } catch (PolicyConflictException lost) {
            assertThat(lost).hasMessageContaining("version " + record.version() + " cannot be published");
            return false;
        }
    }

    @Test
    void of_two_who_publish_at_once_exactly_one_does_in_every_round() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        ExecutorService publishers = Executors.newFixedThreadPool(2);
        try (Cluster mine = cluster();
                Cluster others = cluster()) {
            int won = 0;
            for (long version = 1; version <= ROUNDS; version++) {
                List<Future<Boolean>> both = new ArrayList<>();
                both.add(publishers.submit(at(together, mine, version(version, "ann"))));
                both.add(publishers.submit(at(together, others, version(version, "bob"))));
                List<Boolean> results = List.of(both.get(0).get(), both.get(1).get());
                assertThat(results).as("version %d", version).containsOnlyOnce(true);
                won += results.get(0) ? 1 : 0;
            }

            PolicyVersions versions = PolicyVersions.read(mine, PolicyTrust.ANYBODY);
            assertThat(versions.entries()).hasSize(ROUNDS).allMatch(entry -> entry.standing() == Standing.ACCEPTED);
            assertThat(versions.newest().orElseThrow().version()).isEqualTo(ROUNDS);
            System.out.println(ROUNDS + " versions, each published by one of two at once: " + won + " by the first, "
                    + (ROUNDS - won) + " by the second");
        } finally {
            publishers.shutdownNow();
        }
    }

    private static Callable<Boolean> at(CyclicBarrier together, Cluster cluster, PolicyRecord record) {
        return () -> {
            together.await();
            return publishes(cluster, record);
        };
    }

    @Test
    void a_publisher_that_died_in_between_leaves_nothing_and_holds_up_nobody() throws Exception {
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                broker.bootstrapServers(),
                "transactional.id",
                "headgate-policy-publisher",
                "transaction.timeout.ms",
                10_000);
        PolicyRecord lost = version(1, "dead");
        try (KafkaProducer<byte[], byte[]> died =
                        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
                Cluster cluster = cluster()) {
            died.initTransactions();
            died.beginTransaction();
            died.send(new ProducerRecord<>(TopicCatalogue.POLICIES, 0, lost.key(), lost.toBytes()))
                    .get();

            assertThat(PolicyVersions.read(cluster, PolicyTrust.ANYBODY).entries())
                    .isEmpty();
            assertThat(publishes(cluster, version(1, "ann"))).isTrue();
            assertThatThrownBy(died::commitTransaction).isInstanceOf(RuntimeException.class);

            List<PolicyVersions.Entry> entries =
                    PolicyVersions.read(cluster, PolicyTrust.ANYBODY).entries();
            assertThat(entries).hasSize(1);
            assertThat(entries.get(0).record().orElseThrow().author()).isEqualTo("ann");
        }
    }
}
