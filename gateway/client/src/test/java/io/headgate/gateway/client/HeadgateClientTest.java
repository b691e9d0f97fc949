package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.decision.Verdict;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Partitioning;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** The client between its callers and shards that really fold; time passes when a test says so. */
class HeadgateClientTest {

    private final Bench bench = new Bench();

    // ---- the way there and back

    @Test
    void a_call_gets_the_decision_of_its_shard() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas"));
        bench.answerLast();

        Decided decided = (Decided) Bench.now(answer);
        assertThat(decided.allowed()).isTrue();
        assertThat(decided.decision().policyVersion()).isEqualTo(7);
        assertThat(decided.decision().remaining()).hasValue(4);
    }

    @Test
    void over_policy_is_a_decision_and_not_unavailable() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas").withCost(6));
        bench.answerLast();

        Decided decided = (Decided) Bench.now(answer);
        assertThat(decided.allowed()).isFalse();
        assertThat(decided.decision().verdict()).isEqualTo(Verdict.DENY);
        assertThat(decided.decision().denyingRule()).hasValue("P-TENANT");
    }

    @Test
    void a_peek_debits_nothing() {
        CompletableFuture<Answer> peeked = bench.client.peek(Bench.ask("atlas"));
        bench.answerLast();
        CompletableFuture<Answer> admitted = bench.client.admit(Bench.ask("atlas"));
        bench.answerLast();

        assertThat(remaining(peeked)).isEqualTo(5);
        assertThat(remaining(admitted)).isEqualTo(4);
    }

    @Test
    void a_record_goes_to_the_shard_of_its_key_and_names_where_to_reply() {
        Bench eight = new Bench(8, 5, Map.of());

        eight.asked(Bench.ask("atlas"));

        ProducerRecord<byte[], byte[]> record = eight.last();
        assertThat(record.topic()).isEqualTo("admission-requests");
        assertThat(record.partition()).isEqualTo(Partitioning.shardOf("atlas", 8));
        assertThat(record.key()).isEqualTo("atlas".getBytes(StandardCharsets.UTF_8));
        ReplyAddress address = ReplyAddress.readFrom(record.headers()).orElseThrow();
        assertThat(address.topic()).isEqualTo("admission-replies");
        assertThat(address.partition()).hasValue(Bench.REPLY_PARTITION);
        assertThat(address.correlationId()).hasSize(16);
    }

    @Test
    void replies_are_read_from_the_end_of_the_partition() {
        assertThat(bench.consumer.assignment()).hasSize(1);
        assertThat(bench.consumer.position(
                        bench.consumer.assignment().iterator().next()))
                .isEqualTo(Bench.REPLIES_END);
    }

    @Test
    void every_shard_answers_for_its_own_tenants() {
        Bench eight = new Bench(8, 5, Map.of());
        List<CompletableFuture<Answer>> answers = Bench.names(40).stream()
                .map(tenant -> eight.client.admit(Bench.ask(tenant)))
                .toList();

        List<ProducerRecord<byte[], byte[]>> records = eight.sent();
        records.forEach(record -> eight.deliver(eight.shards.reply(record)));
        while (eight.producer.completeNext()) {
            eight.settle();
        }
        eight.sent()
                .subList(records.size(), eight.sent().size())
                .forEach(record -> eight.deliver(eight.shards.reply(record)));

        assertThat(answers).allMatch(answer -> Bench.now(answer).allowed());
    }

    // ---- batches

    @Test
    void an_idle_shard_is_sent_one_call_at_once() {
        bench.asked(Bench.ask("atlas"));

        assertThat(bench.sent()).hasSize(1);
        assertThat(Bench.commands(bench.last())).hasSize(1);
    }

    @Test
    void what_waits_while_a_send_is_under_way_goes_out_as_one_batch() {
        bench.asked(Bench.ask("atlas"));
        bench.settle();
        List<CompletableFuture<Answer>> answers = Bench.names(7).stream()
                .map(tenant -> bench.client.admit(Bench.ask(tenant)))
                .toList();
        assertThat(bench.sent()).hasSize(1);

        bench.acknowledge();

        assertThat(Bench.commands(bench.last()))
                .extracting(command -> command.admission().partitionKey())
                .containsExactlyElementsOf(Bench.names(7));
        bench.answerLast();
        assertThat(answers).allMatch(answer -> Bench.now(answer).allowed());
    }

    @Test
    void a_batch_holds_500_commands_and_the_501st_waits_for_the_next() {
        bench.asked(Bench.ask("atlas"));
        bench.settle();
        Bench.names(501).forEach(tenant -> bench.asked(Bench.ask(tenant)));

        bench.acknowledge();
        bench.acknowledge();

        assertThat(bench.sent())
                .extracting(record -> Bench.commands(record).size())
                .containsExactly(1, 500, 1);
    }

    @Test
    void a_batch_stays_below_what_a_broker_takes() {
        String route = "GET /" + "a".repeat(4_000);
        bench.asked(Bench.ask("atlas"));
        bench.settle();
        Bench.names(200).forEach(tenant -> bench.asked(Ask.of(Caller.unknown().withTenant(tenant), true, route)));

        while (bench.producer.completeNext()) {
            bench.settle();
        }

        assertThat(bench.sent()).hasSizeGreaterThan(2);
        assertThat(bench.sent())
                .allMatch(record -> record.value().length <= Lane.MAX_BATCH_BYTES)
                .extracting(record -> Bench.commands(record).size())
                .satisfies(sizes ->
                        assertThat(sizes.stream().mapToInt(size -> size).sum()).isEqualTo(201));
    }

    @Test
    void numbers_rise_by_one_in_each_shard() {
        for (int i = 0; i < 3; i++) {
            bench.asked(Bench.ask("atlas"));
            bench.answerLast();
        }

        assertThat(bench.sent())
                .extracting(record -> Bench.read(record).attempt().orElseThrow().sequence())
                .containsExactly(0L, 1L, 2L);
    }

    @Test
    void a_shard_that_owes_too_many_answers_is_sent_no_more_until_it_gives_one() {
        Bench patient = new Bench(1, 1_000, Map.of(ClientSettings.DEADLINE_MS, "10000"));
        for (int i = 0; i < Lane.MAX_UNANSWERED; i++) {
            patient.asked(Bench.ask("atlas"));
            patient.acknowledge();
        }
        CompletableFuture<Answer> oneMore = patient.client.admit(Bench.ask("atlas"));
        assertThat(patient.sent()).hasSize(Lane.MAX_UNANSWERED);

        patient.deliver(patient.shards.reply(patient.sent().get(0)));

        assertThat(patient.sent()).hasSize(Lane.MAX_UNANSWERED + 1);
        patient.answerLast();
        assertThat(Bench.now(oneMore).allowed()).isTrue();
    }

    // ---- bounds

    @Test
    void one_call_above_the_bound_is_answered_overloaded_at_once() {
        Bench small = new Bench(1, 5, Map.of(ClientSettings.PENDING_MAX, "3"));
        Bench.names(3).forEach(tenant -> small.asked(Bench.ask(tenant)));

        CompletableFuture<Answer> fourth = small.client.admit(Bench.ask("tenant-4"));

        assertThat(cause(fourth)).isEqualTo(Cause.OVERLOADED);
        assertThat(small.client.pending()).isEqualTo(3);
    }

    @Test
    void an_answer_makes_room_for_another_call() {
        Bench small = new Bench(1, 5, Map.of(ClientSettings.PENDING_MAX, "1"));
        small.asked(Bench.ask("atlas"));
        small.answerLast();

        CompletableFuture<Answer> next = small.client.admit(Bench.ask("atlas"));
        small.answerLast();

        assertThat(Bench.now(next).allowed()).isTrue();
    }

    // ---- deadlines

    @Test
    void a_call_is_answered_at_its_deadline_and_not_before_the_last_tick() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas"));
        bench.acknowledge();

        bench.pass(997);
        assertThat(answer).isNotDone();
        bench.pass(3);

        assertThat(cause(answer)).isEqualTo(Cause.DEADLINE);
        assertThat(bench.client.pending()).isZero();
    }

    @Test
    void a_call_may_bring_its_own_deadline() {
        CompletableFuture<Answer> hasty = bench.client.admit(Bench.ask("atlas").withDeadlineMillis(20));
        CompletableFuture<Answer> patient =
                bench.client.admit(Bench.ask("atlas").withDeadlineMillis(10_000));

        bench.pass(20);
        assertThat(cause(hasty)).isEqualTo(Cause.DEADLINE);
        bench.pass(9_970);
        assertThat(patient).isNotDone();
        bench.pass(10);
        assertThat(cause(patient)).isEqualTo(Cause.DEADLINE);
    }

    @Test
    void a_call_whose_time_is_up_before_it_was_sent_is_not_sent() {
        bench.asked(Bench.ask("atlas"));
        bench.settle();
        bench.asked(Bench.ask("borea").withDeadlineMillis(10));
        CompletableFuture<Answer> other = bench.client.admit(Bench.ask("cetus"));

        bench.pass(10);
        bench.acknowledge();

        assertThat(Bench.commands(bench.last()))
                .extracting(command -> command.admission().partitionKey())
                .containsExactly("cetus");
        bench.answerLast();
        assertThat(Bench.now(other).allowed()).isTrue();
    }

    @Test
    void there_is_no_deadline_on_the_wire_before_a_reply_taught_the_log_time() {
        bench.asked(Bench.ask("atlas"));
        assertThat(Bench.commands(bench.last()).get(0).deadlineMillis()).isEqualTo(Command.NEVER);
        bench.answerLast();

        bench.asked(Bench.ask("atlas"));

        assertThat(Bench.commands(bench.last()).get(0).deadlineMillis())
                .isBetween(bench.logMillis() + 1_000, bench.logMillis() + 1_000 + 100 + 1);
    }

    @Test
    void a_request_that_reaches_the_log_late_is_expired_and_debits_nothing() {
        bench.asked(Bench.ask("atlas"));
        bench.answerLast();
        bench.asked(Bench.ask("atlas"));
        ProducerRecord<byte[], byte[]> late = bench.last();
        bench.acknowledge();
        bench.pass(1_200);
        bench.deliver(bench.shards.reply(late));

        CompletableFuture<Answer> next = bench.client.admit(Bench.ask("atlas"));
        bench.answerLast();

        assertThat(remaining(next)).isEqualTo(3);
    }

    // ---- resends

    @Test
    void a_lost_reply_is_asked_for_again_and_debits_once() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas"));
        bench.acknowledge();
        bench.shards.reply(bench.last()); // and the reply is lost

        bench.pass(400);
        assertThat(bench.sent()).hasSize(2);
        bench.answerLast();

        Decided decided = (Decided) Bench.now(answer);
        assertThat(decided.decision().replayed()).isTrue();
        assertThat(remaining(answer)).isEqualTo(4);
        assertThat(bench.count("ratelimit.client.resends")).isEqualTo(1);
    }

    @Test
    void a_resend_is_the_same_to_the_byte() {
        bench.asked(Bench.ask("atlas"));
        bench.acknowledge();
        bench.pass(400);

        ProducerRecord<byte[], byte[]> first = bench.sent().get(0);
        ProducerRecord<byte[], byte[]> second = bench.sent().get(1);
        assertThat(second.value()).isEqualTo(first.value());
        assertThat(second.key()).isEqualTo(first.key());
        assertThat(second.partition()).isEqualTo(first.partition());
        assertThat(ReplyAddress.readFrom(second.headers()).orElseThrow().correlationId())
                .isEqualTo(ReplyAddress.readFrom(first.headers()).orElseThrow().correlationId());
    }

    @Test
    void a_batch_that_nobody_waits_for_is_not_sent_again() {
        bench.asked(Bench.ask("atlas").withDeadlineMillis(300));
        bench.acknowledge();

        bench.pass(300);
        bench.pass(5_000);

        assertThat(bench.sent()).hasSize(1);
    }

    @Test
    void a_batch_is_sent_again_while_one_of_its_callers_still_waits() {
        bench.asked(Bench.ask("first"));
        bench.settle();
        bench.asked(Bench.ask("hasty").withDeadlineMillis(100));
        CompletableFuture<Answer> patient = bench.client.admit(Bench.ask("patient"));
        bench.answerLast();
        bench.acknowledge();

        bench.pass(100);
        bench.pass(300);

        assertThat(Bench.commands(bench.last())).hasSize(2);
        bench.answerLast();
        assertThat(Bench.now(patient).allowed()).isTrue();
    }

    @Test
    void after_a_failed_send_the_same_batch_goes_first_and_debits_once() {
        CompletableFuture<Answer> seventh = bench.client.admit(Bench.ask("atlas"));
        bench.settle();
        bench.shards.reply(bench.last()); // it is in the log all the same
        CompletableFuture<Answer> eighth = bench.client.admit(Bench.ask("atlas"));
        bench.refuse(new TimeoutException("1 record expired"));
        assertThat(bench.sent()).hasSize(1);

        bench.pass(20);
        assertThat(bench.sent()).hasSize(2);
        bench.answerLast();
        bench.answerLast();

        assertThat(Bench.read(bench.sent().get(1)).attempt())
                .isEqualTo(Bench.read(bench.sent().get(0)).attempt());
        assertThat(remaining(seventh)).isEqualTo(4);
        assertThat(remaining(eighth)).isEqualTo(3);
        assertThat(bench.count("ratelimit.client.send.failures")).isEqualTo(1);
    }

    @Test
    void a_producer_that_throws_is_a_failed_send() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas"));
        bench.producer.sendException = new TimeoutException("no metadata");
        bench.settle();
        bench.producer.sendException = null;

        bench.pass(20);
        bench.answerLast();

        assertThat(Bench.now(answer).allowed()).isTrue();
    }

    @Test
    void a_shard_that_cannot_be_sent_to_goes_on_with_the_next_batch_when_nobody_waits_for_the_failed_one() {
        bench.asked(Bench.ask("atlas").withDeadlineMillis(10));
        bench.refuse(new NotEnoughReplicasException("1 of 2"));
        CompletableFuture<Answer> next = bench.client.admit(Bench.ask("borea"));

        bench.pass(10);
        bench.answerLast();

        assertThat(Bench.now(next).allowed()).isTrue();
        assertThat(bench.sent()).hasSize(2);
    }

    @Test
    void what_kafka_refuses_for_good_fails_at_once_and_the_next_batch_goes_out() {
        CompletableFuture<Answer> refused = bench.client.admit(Bench.ask("atlas"));
        bench.settle();
        CompletableFuture<Answer> next = bench.client.admit(Bench.ask("borea"));

        bench.refuse(new RecordTooLargeException("2 MB"));

        assertThat(cause(refused)).isEqualTo(Cause.SEND_FAILED);
        bench.answerLast();
        assertThat(Bench.now(next).allowed()).isTrue();
    }

    @Test
    void a_gateway_that_may_not_write_says_send_failed() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas"));

        bench.refuse(new TopicAuthorizationException("admission-requests"));

        assertThat(cause(answer)).isEqualTo(Cause.SEND_FAILED);
    }

    // ---- replies of no use

    @Test
    void a_reply_after_the_deadline_is_dropped_and_counted() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas"));
        bench.acknowledge();
        bench.pass(1_000);

        bench.deliver(bench.shards.reply(bench.last()));

        assertThat(cause(answer)).isEqualTo(Cause.DEADLINE);
        assertThat(bench.count("ratelimit.late_replies", "reason", "late")).isEqualTo(1);
    }

    @Test
    void the_second_reply_to_a_batch_is_dropped_and_counted() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas"));
        bench.acknowledge();
        ConsumerRecord<byte[], byte[]> reply = bench.shards.reply(bench.last());

        bench.deliver(reply);
        bench.deliver(bench.shards.again(reply));

        assertThat(Bench.now(answer).allowed()).isTrue();
        assertThat(bench.count("ratelimit.late_replies", "reason", "late")).isEqualTo(1);
    }

    @Test
    void a_reply_may_come_before_kafka_says_that_it_has_the_batch() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas"));
        bench.deliver(bench.shards.reply(bench.last()));
        assertThat(Bench.now(answer).allowed()).isTrue();

        bench.acknowledge();
        bench.pass(5_000);

        assertThat(bench.sent()).hasSize(1);
    }

    @Test
    void a_reply_to_an_earlier_life_of_the_gateway_is_dropped() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas"));
        ReplyAddress ours = ReplyAddress.readFrom(bench.last().headers()).orElseThrow();
        CorrelationId id = CorrelationId.fromBytes(ours.correlationId()).orElseThrow();
        byte[] earlier = new CorrelationId(id.epoch() ^ 1, id.shard(), id.sequence()).toBytes();

        bench.deliver(bench.shards.reply(
                new ReplyAddress(ours.topic(), ours.partition(), earlier), new Reply(0, 1, "not yours", List.of())));

        assertThat(answer).isNotDone();
        assertThat(bench.count("ratelimit.late_replies", "reason", "foreign")).isEqualTo(1);
    }

    @Test
    void a_reply_that_cannot_be_read_or_is_from_another_shard_changes_nothing() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas"));
        bench.acknowledge();
        ReplyAddress ours = ReplyAddress.readFrom(bench.last().headers()).orElseThrow();
        ConsumerRecord<byte[], byte[]> good = bench.shards.reply(ours, new Reply(9, 1, "", List.of()));
        ConsumerRecord<byte[], byte[]> garbage =
                new ConsumerRecord<>(good.topic(), good.partition(), good.offset(), null, new byte[] {1, 2, 3});
        good.headers().forEach(garbage.headers()::add);

        bench.deliver(garbage);
        bench.deliver(bench.shards.reply(ours, new Reply(9, 1, "", List.of())));

        assertThat(answer).isNotDone();
        assertThat(bench.count("ratelimit.late_replies", "reason", "unreadable"))
                .isEqualTo(2);
        bench.deliver(bench.shards.reply(bench.last()));
        assertThat(Bench.now(answer).allowed()).isTrue();
    }

    @Test
    void a_reply_without_decisions_is_unavailable_and_says_why() {
        CompletableFuture<Answer> answer = bench.client.admit(Bench.ask("atlas"));
        ReplyAddress ours = ReplyAddress.readFrom(bench.last().headers()).orElseThrow();

        bench.deliver(bench.shards.reply(ours, new Reply(0, 1, "value cannot be read", List.of())));

        assertThat(Bench.now(answer)).isEqualTo(Unavailable.because(Cause.SHARD, "value cannot be read"));
    }

    @Test
    void a_verdict_that_is_no_decision_is_unavailable_with_what_the_shard_said() {
        Bench two = new Bench(2, 5, Map.of());
        CompletableFuture<Answer> answer = two.client.admit(Bench.ask("atlas"));
        ProducerRecord<byte[], byte[]> record = two.last();
        ReplyAddress address = ReplyAddress.readFrom(record.headers()).orElseThrow();
        ProducerRecord<byte[], byte[]> astray = new ProducerRecord<>(
                record.topic(), 1 - record.partition(), null, record.key(), record.value(), record.headers());

        ConsumerRecord<byte[], byte[]> reply = two.shards.reply(astray);
        two.deliver(two.shards.reply(
                address,
                new Reply(
                        record.partition(),
                        1,
                        "",
                        io.headgate.schemas.ReplyRecords.decode(reply.value()).decisions())));

        Unavailable unavailable = (Unavailable) Bench.now(answer);
        assertThat(unavailable.cause()).isEqualTo(Cause.SHARD);
        assertThat(unavailable.decision().orElseThrow().verdict()).isEqualTo(Verdict.MISROUTED);
        assertThat(unavailable.allowed()).isFalse();
    }

    // ---- close, start, meters

    @Test
    void a_close_answers_every_call_and_takes_no_more() {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        Bench.names(20).forEach(tenant -> answers.add(bench.client.admit(Bench.ask(tenant))));
        bench.settle();

        bench.client.close();
        answers.add(bench.client.admit(Bench.ask("late")));
        answers.add(bench.client.peek(Bench.ask("late")));

        assertThat(answers).allMatch(answer -> cause(answer) == Cause.CLOSED);
        assertThat(bench.client.pending()).isZero();
        assertThat(bench.producer.closed()).isTrue();
    }

    @Test
    void every_call_is_counted_once_under_its_outcome() {
        bench.asked(Bench.ask("atlas"));
        bench.answerLast();
        bench.asked(Bench.ask("atlas").withCost(9));
        bench.answerLast();
        bench.asked(Bench.ask("atlas"));
        bench.pass(1_000);

        assertThat(bench.count("ratelimit.checks", "outcome", "allow", "source", "authority"))
                .isEqualTo(1);
        assertThat(bench.count("ratelimit.checks", "outcome", "deny", "source", "authority"))
                .isEqualTo(1);
        assertThat(bench.count("ratelimit.checks", "outcome", "unavailable", "cause", "deadline"))
                .isEqualTo(1);
        assertThat(bench.registry.get("ratelimit.decision.duration").timer().count())
                .isEqualTo(3);
        assertThat(bench.registry.get("ratelimit.client.pending").gauge().value())
                .isZero();
    }

    @Test
    void a_start_without_topics_says_which_is_missing() {
        MockConsumer<byte[], byte[]> empty = new MockConsumer<>("latest");

        assertThatThrownBy(() -> start(empty, Map.of()))
                .isInstanceOf(ClientStartException.class)
                .hasMessage("there is no topic admission-requests at localhost:1; create the topics first");
    }

    @Test
    void a_reply_partition_that_does_not_exist_is_refused_with_those_that_do() {
        MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("latest");
        Bench.prepare(consumer, 1);

        assertThatThrownBy(() -> start(consumer, Map.of(ClientSettings.REPLY_PARTITION, "8")))
                .isInstanceOf(ClientStartException.class)
                .hasMessageContaining("reply.partition")
                .hasMessageContaining("0 to 7");
    }

    private static HeadgateClient start(MockConsumer<byte[], byte[]> consumer, Map<String, String> settings) {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        MockConsumer<byte[], byte[]> policies = new MockConsumer<>("earliest");
        return new HeadgateClient(
                new ClientSettings(Bench.with(settings)),
                new io.micrometer.core.instrument.simple.SimpleMeterRegistry(),
                producer,
                consumer,
                policies,
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()),
                System::nanoTime,
                Runnable::run,
                Runnable::run,
                new ClientThreads(1, producer, consumer, policies));
    }

    private static long remaining(CompletableFuture<Answer> answer) {
        return ((Decided) Bench.now(answer)).decision().remaining().orElseThrow();
    }

    private static Cause cause(CompletableFuture<Answer> answer) {
        assertThat(answer).isDone();
        return ((Unavailable) Bench.now(answer)).cause();
    }
}
