package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.schemas.PolicyStatusReports.Refused;
import io.headgate.schemas.PolicyStatusReports.Versions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class PolicyStatusReportsTest {

    private static final long NOW = 1_800_000_000_000L;
    private static final Versions ONE = new Versions(4, 1, 0, 0);
    private static final Versions TWO = new Versions(5, 1, 2, 3);

    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final PolicyStatusReports reports = new PolicyStatusReports(producer, 10_000);

    private void say(Versions versions, long millis) {
        reports.say("shard/1", versions, Optional.empty(), NOW + millis);
    }

    private List<String> said() {
        return producer.history().stream().map(PolicyStatusReportsTest::text).toList();
    }

    private static String text(ProducerRecord<byte[], byte[]> record) {
        String key = new String(record.key(), StandardCharsets.UTF_8);
        if (record.value() == null) {
            return key + " stopped";
        }
        PolicyStatus status = PolicyStatus.fromBytes(record.value());
        return status.reporter() + " " + status.source() + " " + status.version() + " " + status.rolledOut() + " "
                + status.pending() + " " + status.refusedSource() + " " + status.refusal() + " at "
                + (status.atMillis() - NOW);
    }

    @Test
    void a_change_is_said_at_once_and_the_rest_at_intervals() {
        say(ONE, 0);
        say(ONE, 9_999);
        say(ONE, 10_000);
        say(TWO, 10_001);
        reports.say("shard/1", TWO, Optional.of(new Refused(6, "is broken")), NOW + 10_002);

        assertThat(said())
                .containsExactly(
                        "shard/1 4 1 0 0 -1  at 0",
                        "shard/1 4 1 0 0 -1  at 10000",
                        "shard/1 5 1 2 3 -1  at 10001",
                        "shard/1 5 1 2 3 6 is broken at 10002");
    }

    @Test
    void of_a_reporter_that_has_gone_it_says_so_once() {
        say(ONE, 0);
        reports.say("shard/2", ONE, Optional.empty(), NOW);
        reports.keepOnly(Set.of("shard/2"), NOW + 1);
        reports.keepOnly(Set.of("shard/2"), NOW + 2);
        reports.close();

        assertThat(said().subList(2, said().size())).containsExactly("shard/1 stopped", "shard/2 stopped");
        assertThat(producer.closed()).isTrue();
    }

    @Test
    void what_finds_no_way_out_is_said_again_a_little_later() {
        producer.sendException = new TimeoutException("no topic");
        say(ONE, 0);
        producer.sendException = null;
        say(ONE, 1);
        assertThat(said()).isEmpty();

        say(ONE, 250);
        assertThat(said()).hasSize(1);
    }

    @Test
    void without_a_topic_it_asks_no_more_often_than_it_would_speak() {
        producer.sendException = new TimeoutException("no topic");
        for (int millis = 0; millis < 60_000; millis += 50) {
            say(ONE, millis);
        }
        producer.sendException = null;
        say(ONE, 60_000);
        assertThat(said()).isEmpty();
        say(ONE, 70_000);
        assertThat(said()).hasSize(1);
    }

    @Test
    void what_was_taken_and_then_lost_is_said_again() {
        MockProducer<byte[], byte[]> slow =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        PolicyStatusReports over = new PolicyStatusReports(slow, 10_000);
        over.say("shard/1", ONE, Optional.empty(), NOW);
        slow.errorNext(new TimeoutException("lost"));

        over.say("shard/1", ONE, Optional.empty(), NOW + 1);

        assertThat(slow.history()).hasSize(2);
    }

    @Test
    void a_long_refusal_is_cut() {
        reports.say("shard/1", ONE, Optional.of(new Refused(6, "x".repeat(5_000))), NOW);

        assertThat(PolicyStatus.fromBytes(producer.history().get(0).value()).refusal())
                .hasSize(1_000)
                .endsWith("x…");
    }
}
