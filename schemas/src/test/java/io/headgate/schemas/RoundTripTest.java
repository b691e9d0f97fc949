package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.LogRecord.Unreadable;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** What is written is read back, field by field. */
class RoundTripTest {

    @Test
    void requests() {
        assertThat(RequestRecords.decode(RequestRecords.encode(Samples.requests())))
                .isEqualTo(Samples.requests());
    }

    @Test
    void requests_of_a_client_without_sessions() {
        Requests plain = new Requests(Optional.empty(), Samples.requests().commands());

        assertThat(RequestRecords.decode(RequestRecords.encode(plain))).isEqualTo(plain);
    }

    @Test
    void as_many_requests_as_a_batch_may_have() {
        Command one = Samples.requests().commands().get(0);
        Requests full = new Requests(Optional.empty(), Collections.nCopies(Requests.MAX_COMMANDS, one));

        assertThat(RequestRecords.decode(RequestRecords.encode(full))).isEqualTo(full);
    }

    @Test
    void replies() {
        assertThat(ReplyRecords.decode(ReplyRecords.encode(Samples.reply()))).isEqualTo(Samples.reply());
    }

    @Test
    void a_reply_without_decisions_says_why() {
        Reply problem = new Reply(5, 1, "value is null", List.of());

        assertThat(ReplyRecords.decode(ReplyRecords.encode(problem))).isEqualTo(problem);
    }

    @Test
    void every_verdict() {
        for (Verdict verdict : Verdict.values()) {
            Reply reply =
                    new Reply(1, 1, "", List.of(Decision.undecided(verdict, new DecisionId(1, 2, 3), 4, "reason")));

            assertThat(ReplyRecords.decode(ReplyRecords.encode(reply))).isEqualTo(reply);
        }
    }

    @Test
    void control_records() {
        for (Control control : Samples.controls()) {
            byte[] bytes = ControlRecords.encode(Samples.SHARD, control, Samples.KEY);

            assertThat(ControlRecords.decode(bytes, Samples.SHARD, Samples::anyName))
                    .usingRecursiveComparison()
                    .isEqualTo(control);
        }
    }

    @Test
    void policies() {
        assertThat(PolicyRecord.fromBytes(Samples.policy().toBytes())).isEqualTo(Samples.policy());
        assertThat(PolicyStatus.fromBytes(Samples.policyStatus().toBytes())).isEqualTo(Samples.policyStatus());
        assertThat(Samples.policy().key()).asString().isEqualTo("northstar/43/" + "0f".repeat(32));
    }

    @Test
    void dead_letters() {
        assertThat(DeadLetterRecord.fromBytes(Samples.deadLetter().toBytes()))
                .usingRecursiveComparison()
                .isEqualTo(Samples.deadLetter());
    }

    @Test
    void a_dead_letter_keeps_the_beginning_of_a_long_value_and_of_a_long_reason() {
        DeadLetterRecord at = DeadLetterRecord.of("t", 0, 0, "r".repeat(2_000), new byte[DeadLetterRecord.MAX_VALUE]);
        DeadLetterRecord past =
                DeadLetterRecord.of("t", 0, 0, "r".repeat(2_001), new byte[DeadLetterRecord.MAX_VALUE + 1]);

        assertThat(at.value()).hasSize(DeadLetterRecord.MAX_VALUE);
        assertThat(past.value()).hasSize(DeadLetterRecord.MAX_VALUE);
        assertThat(past.size()).isEqualTo(DeadLetterRecord.MAX_VALUE + 1);
        assertThat(past.reason()).isEqualTo(at.reason());
        assertThat(DeadLetterRecord.of("t", 0, 0, "null", null).size()).isZero();
    }

    @Test
    void a_shard_log_tells_requests_from_control() {
        assertThat(payload(RequestRecords.encode(Samples.requests()))).isEqualTo(Samples.requests());
        assertThat(payload(ControlRecords.encode(Samples.SHARD, new Control.CaughtUp(), Samples.KEY)))
                .isEqualTo(new Controlled(new Control.CaughtUp()));
        assertThat(payload(Samples.policy().toBytes())).isInstanceOf(Unreadable.class);
        assertThat(payload(null)).isEqualTo(new Unreadable("value is null"));
    }

    @Test
    void a_shard_log_reads_json_where_the_headers_say_so_and_only_there() {
        byte[] json = Samples.requestsInJson();
        byte[] control = ControlRecords.encode(Samples.SHARD, new Control.CaughtUp(), Samples.KEY);

        assertThat(payload(Samples.jsonHeaders(), json)).isEqualTo(Samples.requests());
        assertThat(payload(json)).isInstanceOf(Unreadable.class);
        assertThat(payload(Samples.jsonHeaders(), control)).isInstanceOf(Unreadable.class);
        assertThat(payload(Samples.jsonHeaders(), null)).isEqualTo(new Unreadable("value is null"));
        assertThat(payload(
                        new RecordHeaders().add("contentType", "text/plain".getBytes(StandardCharsets.UTF_8)),
                        RequestRecords.encode(Samples.requests())))
                .isEqualTo(new Unreadable(
                        "header contentType is 'text/plain'; it must be application/json, or not be there for Avro"));
    }

    private static LogRecord.Payload payload(byte[] value) {
        return payload(new RecordHeaders(), value);
    }

    private static LogRecord.Payload payload(Headers headers, byte[] value) {
        return ShardLog.decode(Samples.SHARD, 0, 0, headers, value, Samples::anyName)
                .payload();
    }
}
