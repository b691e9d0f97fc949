package io.headgate.gateway.client;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.gateway.client.Answer.Decided;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A question on its way through its stages, one {@link Call} each, all under one deadline. Only whoever has claimed the
 * present call touches it, so one thread at a time, and what one leaves behind the next one finds: calls are handed over
 * under locks.
 */
final class Question {

    private final Ask ask;
    private final boolean peek;
    private final Identity identity;
    private final List<Stage> stages;
    private final long startNanos;
    private final long deadlineNanos;
    private final CompletableFuture<Answer> future = new CompletableFuture<>();
    private List<Decision> allowed = List.of();

    /**
     * Begins a question.
     *
     * @param ask what is asked
     * @param peek whether to look only
     * @param identity who asks, as it leaves the process
     * @param stages the stages to put it to, in order, at least one
     * @param startNanos when it was asked
     * @param deadlineNanos when it is answered at the latest
     */
    Question(Ask ask, boolean peek, Identity identity, List<Stage> stages, long startNanos, long deadlineNanos) {
        this.ask = ask;
        this.peek = peek;
        this.identity = identity;
        this.stages = stages;
        this.startNanos = startNanos;
        this.deadlineNanos = deadlineNanos;
    }

    /** The stage that it is in. */
    Stage stage() {
        return stages.get(allowed.size());
    }

    /** The stages that have not let it pass, in order. */
    List<Stage> stagesLeft() {
        return stages.subList(allowed.size(), stages.size());
    }

    Ask ask() {
        return ask;
    }

    Identity identity() {
        return identity;
    }

    boolean peek() {
        return peek;
    }

    /** Whether it may be answered from a denial of another just like it. */
    boolean isPlain() {
        return !peek && !ask.explain() && !ask.trace() && ask.idempotencyKey().isEmpty();
    }

    /** Who has its place among those that wait. */
    String placeHolder() {
        return identity.partitionKey(stages.get(stages.size() - 1));
    }

    /** What the shard of the stage that it is in is asked. */
    Admission admission() {
        return ask.admission(stage(), identity);
    }

    /** An admission of this question as a command, with its deadline in log time. */
    Command.Ask command(Admission admission, long deadlineMillis) {
        return new Command.Ask(admission, peek, deadlineMillis, ask.explain(), ask.idempotencyKey(), ask.trace());
    }

    int keyLength() {
        return ask.idempotencyKey().length();
    }

    /** Takes its present stage's answer; says whether it goes on to another stage. */
    boolean passes(Answer answer) {
        if (!answer.allowed() || allowed.size() == stages.size() - 1) {
            return false;
        }
        List<Decision> more = new ArrayList<>(allowed);
        more.add(((Decided) answer).decision());
        allowed = more;
        return true;
    }

    /** The answer to the whole, given that of the stage that it is in. */
    Answer concluded(Answer answer) {
        return answer.after(allowed);
    }

    long startNanos() {
        return startNanos;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    CompletableFuture<Answer> future() {
        return future;
    }
}
