package io.headgate.processor;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.ReplyRecords;
import java.util.ArrayList;
import java.util.List;

/** Keeps every reply instead of sending it. */
final class RecordingReplies implements Replies {

    /** A reply and where it would have gone. */
    record Sent(ReplyAddress to, Reply reply) {}

    private final List<Sent> sent = new ArrayList<>();

    @Override
    public void send(ReplyAddress to, byte[] reply) {
        sent.add(new Sent(to, ReplyRecords.decode(reply)));
    }

    List<Sent> all() {
        return List.copyOf(sent);
    }

    Reply last() {
        return sent.get(sent.size() - 1).reply();
    }

    /** The verdicts of the last reply. */
    List<Verdict> verdicts() {
        return last().decisions().stream().map(Decision::verdict).toList();
    }
}
