package io.headgate.processor;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.schemas.ContentType;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.ReplyRecords;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Keeps every reply instead of sending it: what is in Avro as it was meant, what is in JSON as it was written. */
final class RecordingReplies implements Replies {

    /** A reply and where it would have gone. */
    record Sent(ReplyAddress to, Reply reply) {}

    private final List<Sent> sent = new ArrayList<>();
    private final List<String> sentInJson = new ArrayList<>();

    @Override
    public void send(ReplyAddress to, ContentType written, byte[] reply) {
        if (written == ContentType.JSON) {
            sentInJson.add(new String(reply, StandardCharsets.UTF_8));
        } else {
            sent.add(new Sent(to, ReplyRecords.decode(reply)));
        }
    }

    List<String> inJson() {
        return List.copyOf(sentInJson);
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
