package io.headgate.cluster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class EchoLaneTest {

    private static final long DEADLINE = 1_000;

    /** A batch that was sent. */
    private record Sent(long sequence, int calls, Consumer<Exception> over) {}

    private final List<Sent> sent = new ArrayList<>();
    private final EchoLane lane =
            new EchoLane(3, (shard, sequence, calls, over) -> sent.add(new Sent(sequence, calls, over)), Runnable::run);

    private List<CompletableFuture<Outcome>> ask(int times) {
        return IntStream.range(0, times)
                .mapToObj(i -> {
                    CompletableFuture<Outcome> future = new CompletableFuture<>();
                    lane.add(new EchoLane.Call(DEADLINE, future));
                    return future;
                })
                .toList();
    }

    @Test
    void what_waits_while_a_send_is_under_way_goes_out_together() {
        ask(4);
        assertThat(sent).extracting(Sent::calls).containsExactly(1);

        sent.get(0).over().accept(null);

        assertThat(sent).extracting(Sent::calls).containsExactly(1, 3);
    }

    @Test
    void a_batch_has_as_many_calls_as_a_client_s_at_most() {
        ask(502);

        sent.get(0).over().accept(null);
        sent.get(1).over().accept(null);

        assertThat(sent).extracting(Sent::calls).containsExactly(1, 500, 1);
    }

    @Test
    void an_echo_ends_the_calls_of_its_batch_and_no_others() {
        List<CompletableFuture<Outcome>> calls = ask(3);
        sent.get(0).over().accept(null);

        lane.answered(sent.get(1).sequence(), DEADLINE);

        assertThat(calls.get(0)).isNotDone();
        assertThat(calls.get(1)).isCompletedWithValue(Outcome.ECHO);
        assertThat(calls.get(2)).isCompletedWithValue(Outcome.ECHO);
    }

    @Test
    void an_echo_after_the_deadline_is_no_answer() {
        CompletableFuture<Outcome> call = ask(1).get(0);

        lane.answered(0, DEADLINE + 1);

        assertThat(call).isCompletedWithValue(Outcome.unanswered("DEADLINE"));
    }

    @Test
    void calls_expire_whether_they_wait_or_went_out() {
        List<CompletableFuture<Outcome>> calls = ask(3);

        lane.expire(DEADLINE);
        assertThat(calls).noneMatch(CompletableFuture::isDone);
        lane.expire(DEADLINE + 1);

        assertThat(calls).allSatisfy(call -> assertThat(call).isCompletedWithValue(Outcome.unanswered("DEADLINE")));
    }

    @Test
    void a_failed_send_fails_its_calls_and_the_next_goes_out() {
        List<CompletableFuture<Outcome>> calls = ask(2);

        sent.get(0).over().accept(new TimeoutException("the broker is away"));

        assertThat(calls.get(0)).isCompletedWithValue(Outcome.unanswered("SEND_FAILED"));
        assertThat(calls.get(1)).isNotDone();
        assertThat(sent).hasSize(2);
    }

    @Test
    void sends_no_more_while_as_many_batches_are_unanswered_as_for_a_client() {
        for (int i = 0; i < 129; i++) {
            ask(1);
            sent.get(sent.size() - 1).over().accept(null);
        }
        assertThat(sent).hasSize(128);

        lane.answered(5, 0);

        assertThat(sent).hasSize(129);
    }
}
