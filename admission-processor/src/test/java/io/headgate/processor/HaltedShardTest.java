package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.account.Action;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Scope;
import io.headgate.core.shard.Account;
import io.headgate.core.shard.Loss;
import io.headgate.core.shard.Tracer;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.ZoneTables;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a shard does when its state and its log do not fit. Drives the processor with offsets of its own choosing. */
@Timeout(30)
class HaltedShardTest {

    private static final int SHARD = 3;
    private static final String TENANT = SampleLog.tenantOf(SHARD, 0);
    private static final long NOW = 1_800_000_000_000L;

    @TempDir
    private Path folder;

    private final RecordingReplies replies = new RecordingReplies();
    private final OwnedShards shards = new OwnedShards();

    private MockProcessorContext<byte[], byte[]> context;
    private KeyValueStore<Bytes, byte[]> store;
    private ShardProcessor processor;

    @BeforeEach
    void start() {
        Properties config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "halted-shard-test");
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1");
        context = new MockProcessorContext<>(config, new TaskId(0, SHARD), folder.toFile());
        store = Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(ShardProcessor.STORE), Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingDisabled()
                .build();
        store.init(context.getStateStoreContext(), store);
        processor = takeOver(SampleLog.KEYS);
    }

    @AfterEach
    void stop() {
        processor.close();
        store.close();
    }

    private ShardProcessor takeOver(ControlKeys keys) {
        ShardProcessor taken = new ShardProcessor(
                keys, replies, shards, new ProcessorMetrics(new SimpleMeterRegistry(), shards), Tracer.NONE);
        taken.init(context);
        return taken;
    }

    private OwnedShard owned() {
        return shards.find(SHARD).orElseThrow();
    }

    private void append(long offset, byte[] value) {
        RecordHeaders headers = new RecordHeaders();
        DrivenShard.ADDRESS.writeTo(headers);
        context.setRecordMetadata("admission-requests", SHARD, offset);
        processor.process(new Record<>(null, value, NOW, headers));
    }

    private void appendBeginning() {
        List<byte[]> beginning = SampleLog.beginning(SHARD, SampleLog.budget(1, 2));
        for (int i = 0; i < beginning.size(); i++) {
            append(i, beginning.get(i));
        }
    }

    private byte[] request() {
        return SampleLog.batch(SampleLog.ask(TENANT));
    }

    /** What an operator does, on another thread; returns when the stream thread can find it. */
    private CompletableFuture<Long> acceptLoss(String author, String reason) throws InterruptedException {
        OwnedShard shard = owned();
        CompletableFuture<Long> result = new CompletableFuture<>();
        Thread operator = new Thread(
                () -> {
                    try {
                        result.complete(shard.acceptLoss(author, reason, 20_000));
                    } catch (TimeoutException | InterruptedException | RuntimeException failed) {
                        result.completeExceptionally(failed);
                    }
                },
                "operator");
        operator.setDaemon(true);
        operator.start();
        while (operator.getState() != Thread.State.TIMED_WAITING && !result.isDone()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return result;
    }

    @Test
    void a_gap_halts_the_shard_and_it_answers_not_ready() {
        appendBeginning();

        append(5, request());

        assertThat(replies.verdicts()).containsExactly(Verdict.NOT_READY);
        assertThat(replies.last().decisions().get(0).reason())
                .isEqualTo("this shard is halted: its state expects offset 3, but the log goes on at 5");
        assertThat(replies.last().decisions().get(0).id()).hasToString("3-5-0");
        assertThat(owned().ready()).isFalse();
        assertThat(owned().view().nextOffset()).isEqualTo(3);
    }

    @Test
    void an_empty_state_with_a_log_that_began_earlier_halts_the_shard() {
        append(17, request());

        assertThat(owned().halted())
                .contains("its state expects offset 0, but the log goes on at 17 (the state is empty)");
    }

    @Test
    void a_halted_shard_folds_nothing_and_buries_nothing() {
        appendBeginning();
        append(5, request());

        append(6, SampleLog.policy(SHARD, 1, 0, SampleLog.budget(2, 1_000)));
        append(7, new byte[3]);
        append(8, request());

        assertThat(owned().view().policyVersion()).isEqualTo(1);
        assertThat(owned().view().nextOffset()).isEqualTo(3);
        assertThat(context.forwarded()).isEmpty();
        assertThat(replies.verdicts()).containsExactly(Verdict.NOT_READY);
    }

    @Test
    void goes_on_at_the_next_record_once_an_operator_accepts_the_loss() throws Exception {
        appendBeginning();
        append(3, request());
        append(10, request());

        CompletableFuture<Long> accepted = acceptLoss("ada", "disk of broker 2 died");
        append(11, SampleLog.batch(SampleLog.ask(TENANT), SampleLog.ask(TENANT)));

        assertThat(accepted.get()).isEqualTo(11);
        assertThat(replies.verdicts()).containsExactly(Verdict.ALLOW, Verdict.DENY);
        assertThat(owned().ready()).isTrue();
        assertThat(owned().view().nextOffset()).isEqualTo(12);
        assertThat(owned().view().losses()).containsExactly(new Loss(4, 11, "ada", "disk of broker 2 died"));
    }

    @Test
    void the_accepted_loss_is_still_known_after_a_restart() throws Exception {
        appendBeginning();
        append(10, request());
        CompletableFuture<Long> accepted = acceptLoss("ada", "known");
        append(11, request());
        assertThat(accepted.get()).isEqualTo(11);

        processor.close();
        processor = takeOver(SampleLog.KEYS);

        assertThat(owned().view().losses()).containsExactly(new Loss(3, 11, "ada", "known"));
        append(12, request());
        assertThat(replies.verdicts()).containsExactly(Verdict.ALLOW);
    }

    @Test
    void a_loss_is_accepted_once_and_a_second_gap_halts_again() throws Exception {
        appendBeginning();
        append(10, request());
        CompletableFuture<Long> accepted = acceptLoss("ada", "known");
        append(11, request());
        assertThat(accepted.get()).isEqualTo(11);

        append(13, request());

        assertThat(replies.verdicts()).containsExactly(Verdict.NOT_READY);
        assertThat(owned().halted()).contains("its state expects offset 12, but the log goes on at 13");
    }

    @Test
    void a_shard_that_is_not_halted_has_no_loss_to_accept() {
        assertThatThrownBy(() -> owned().acceptLoss("ada", "just in case", 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("shard 3 is not halted; there is no loss to accept");
    }

    @Test
    void an_acceptance_that_nothing_came_for_is_withdrawn() {
        appendBeginning();
        append(10, request());
        assertThatThrownBy(() -> owned().acceptLoss("ada", "in vain", 1)).isInstanceOf(TimeoutException.class);

        append(11, request());

        assertThat(replies.verdicts()).containsExactly(Verdict.NOT_READY);
    }

    @Test
    void a_log_that_is_read_from_further_back_is_skipped_until_it_is_where_the_state_stands() {
        appendBeginning();
        append(3, request());
        append(1, request());
        assertThat(owned().ready()).isFalse();
        assertThat(replies.verdicts()).containsExactly(Verdict.NOT_READY);
        append(2, request());
        append(3, request());

        append(4, SampleLog.batch(SampleLog.ask(TENANT), SampleLog.ask(TENANT)));

        assertThat(replies.verdicts()).containsExactly(Verdict.ALLOW, Verdict.DENY);
        assertThat(owned().halted()).isEmpty();
        assertThat(owned().ready()).isTrue();
    }

    @Test
    void what_is_read_again_is_no_loss_to_accept() throws Exception {
        appendBeginning();
        append(3, request());
        append(0, request());

        CompletableFuture<Long> accepted = acceptLoss("ada", "hasty");
        append(1, request());

        assertThat(accepted)
                .failsWithin(20, TimeUnit.SECONDS)
                .withThrowableThat()
                .withMessageContaining("stands at offset 1, before 4");
        assertThat(owned().view().losses()).isEmpty();
        assertThat(owned().view().nextOffset()).isEqualTo(4);
    }

    @Test
    void a_processor_without_the_pinned_key_does_not_take_the_shard() {
        appendBeginning();
        processor.close();

        assertThatThrownBy(() -> takeOver(new ControlKeys(List.of(SampleLog.OTHER_KEY))))
                .isInstanceOf(MissingControlKeyException.class)
                .hasMessageContaining("shard 3 is controlled with key 'a-first'")
                .hasMessageContaining("control.keys.file");
        assertThat(shards.all()).isEmpty();
    }

    /** The state carries everything: after each record another process goes on with it. */
    @Test
    void plans_actions_and_zones_outlive_a_restart_after_every_record() throws Exception {
        appendBeginning();
        String suspended = SampleLog.tenantOf(SHARD, 1);
        Zone tokyo = ZoneTables.of("Asia/Tokyo", 0, NOW);
        Action ban = SampleLog.act("b", TENANT, new Action.Ban(Scope.TENANT, NOW + 60_000));
        List<byte[]> log = List.of(
                SampleLog.zone(SHARD, tokyo),
                SampleLog.plans(SHARD, 4, -1, SampleLog.suspended(suspended)),
                SampleLog.action(SHARD, 2, -1, ban),
                SampleLog.batch(SampleLog.ask(TENANT), SampleLog.ask(suspended)));
        for (int i = 0; i < log.size(); i++) {
            processor.close();
            processor = takeOver(SampleLog.KEYS);
            append(3 + i, log.get(i));
        }

        assertThat(replies.last().decisions())
                .extracting(decision -> decision.denyingRule().orElseThrow())
                .containsExactly("headgate.banned", "headgate.suspended");
        assertThat(owned().view().planSource()).isEqualTo(4);
        assertThat(owned().view().actionSource()).isEqualTo(2);
        assertThat(owned().view().zones()).containsOnlyKeys("Asia/Tokyo", "UTC");
    }

    @Test
    void the_stream_thread_tells_of_an_account_at_the_next_record_even_when_the_shard_is_halted() throws Exception {
        appendBeginning();
        append(3, SampleLog.plans(SHARD, 0, -1, SampleLog.suspended(TENANT)));
        CompletableFuture<Account> answer = new CompletableFuture<>();
        OwnedShard shard = owned();
        Thread operator = new Thread(
                () -> {
                    try {
                        answer.complete(shard.account(TENANT, 20_000));
                    } catch (TimeoutException | InterruptedException | RuntimeException failed) {
                        answer.completeExceptionally(failed);
                    }
                },
                "operator");
        operator.setDaemon(true);
        operator.start();
        while (operator.getState() != Thread.State.TIMED_WAITING && !answer.isDone()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertThat(answer).isNotDone();

        append(9, SampleLog.tick(SHARD, NOW));

        assertThat(owned().halted()).isPresent();
        assertThat(answer.get().tenantPlan()).contains(SampleLog.suspended(TENANT));
    }

    @Test
    void a_question_about_an_account_that_nobody_answers_is_given_up() {
        assertThatThrownBy(() -> owned().account(TENANT, 1)).isInstanceOf(TimeoutException.class);
    }
}
