package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Trace;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.TraceRecords;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class SamplingTracerTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ProcessorMetrics metrics = new ProcessorMetrics(registry, new OwnedShards());
    private final List<Trace> traced = new ArrayList<>();

    private SamplingTracer tracer(int denials, int allowsOneIn, int requested) {
        return new SamplingTracer(
                new PerSecond(denials, () -> 0),
                allowsOneIn,
                new PerSecond(requested, () -> 0),
                metrics,
                traced::add);
    }

    private static Trace trace(DecisionId id, Verdict verdict) {
        return new Trace(
                id,
                0,
                Stage.TENANT,
                "atlas",
                Optional.empty(),
                verdict,
                1,
                Optional.empty(),
                List.of(),
                List.of());
    }

    /** What the core does with a decision that was not asked to be traced. */
    private static void decide(SamplingTracer tracer, long offset, Verdict verdict) {
        DecisionId id = new DecisionId(3, offset, 0);
        if (tracer.wants(id, verdict)) {
            tracer.take(trace(id, verdict));
        }
    }

    private double dropped(String cause) {
        return registry.get("ratelimit.traces.dropped").tag("cause", cause).counter().count();
    }

    @Test
    void denials_are_traced_up_to_the_cap_and_then_counted() {
        SamplingTracer tracer = tracer(5, 0, 0);

        LongStream.range(0, 8).forEach(offset -> decide(tracer, offset, Verdict.DENY));

        assertThat(traced).hasSize(5);
        assertThat(dropped("cap")).isEqualTo(3);
    }

    @Test
    void shards_share_the_cap() {
        PerSecond denials = new PerSecond(5, () -> 0);
        PerSecond requested = new PerSecond(0, () -> 0);

        for (int shard = 0; shard < 4; shard++) {
            SamplingTracer tracer = new SamplingTracer(denials, 0, requested, metrics, traced::add);
            LongStream.range(0, 2).forEach(offset -> decide(tracer, offset, Verdict.DENY));
        }

        assertThat(traced).hasSize(5);
    }

    @Test
    void about_one_admitted_request_in_so_many_is_traced_and_always_the_same_ones() {
        LongStream.range(0, 10_000).forEach(offset -> decide(tracer(0, 100, 0), offset, Verdict.ALLOW));
        List<Trace> first = List.copyOf(traced);
        traced.clear();
        LongStream.range(0, 10_000).forEach(offset -> decide(tracer(0, 100, 0), offset, Verdict.ALLOW));

        assertThat(first).hasSizeBetween(50, 200);
        assertThat(traced).isEqualTo(first);
    }

    @Test
    void no_admitted_request_is_traced_unless_that_was_set() {
        LongStream.range(0, 10_000).forEach(offset -> decide(tracer(10, 0, 10), offset, Verdict.ALLOW));

        assertThat(traced).isEmpty();
    }

    @Test
    void what_requests_ask_for_is_traced_up_to_a_cap_of_its_own() {
        SamplingTracer tracer = tracer(0, 0, 2);

        LongStream.range(0, 3).forEach(offset -> tracer.take(trace(new DecisionId(3, offset, 0), Verdict.ALLOW)));

        assertThat(traced).hasSize(2);
        assertThat(dropped("cap")).isEqualTo(1);
    }

    @Test
    void a_trace_goes_to_its_topic_under_the_partition_key() {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        TraceOutbox outbox = new TraceOutbox(producer, metrics);
        Trace trace = trace(new DecisionId(3, 7, 1), Verdict.DENY);

        outbox.send(trace);

        ProducerRecord<byte[], byte[]> sent = producer.history().get(0);
        assertThat(sent.topic()).isEqualTo(TopicCatalogue.DECISION_TRACE);
        assertThat(sent.key()).isEqualTo(TraceRecords.key(trace));
        assertThat(sent.value()).isEqualTo(TraceRecords.encode(trace));
        assertThat(registry.get("ratelimit.traces.sent").counter().count()).isEqualTo(1);
    }

    @Test
    void a_trace_that_cannot_be_sent_is_counted_and_nobody_hears_of_it() {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        TraceOutbox outbox = new TraceOutbox(producer, metrics);
        outbox.send(trace(new DecisionId(3, 7, 1), Verdict.DENY));
        producer.errorNext(new KafkaException("no room"));
        producer.sendException = new KafkaException("buffer is full");

        outbox.send(trace(new DecisionId(3, 8, 1), Verdict.DENY));

        assertThat(dropped("send")).isEqualTo(2);
    }
}
