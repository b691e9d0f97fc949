package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Verdict;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.ShardSettings;
import io.headgate.core.shard.ShardView;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlRecords;
import io.headgate.schemas.DeadLetterRecord;
import io.headgate.schemas.ReplyAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShardTopologyTest {

    private static final String TENANT = SampleLog.tenantOf(0, 0);

    @TempDir
    private Path folder;

    private DrivenShard shard;

    @BeforeEach
    void start() {
        shard = new DrivenShard(folder);
    }

    @AfterEach
    void stop() {
        shard.close();
    }

    @Test
    void answers_every_command_where_the_request_says() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 2)));

        shard.append(SampleLog.batch(SampleLog.ask(TENANT), SampleLog.ask(TENANT), SampleLog.ask(TENANT)));

        assertThat(shard.replies.verdicts()).containsExactly(Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY);
        RecordingReplies.Sent sent = shard.replies.all().get(0);
        assertThat(sent.to().topic()).isEqualTo(DrivenShard.ADDRESS.topic());
        assertThat(sent.to().partition()).isEqualTo(OptionalInt.of(3));
        assertThat(sent.to().correlationId()).isEqualTo(DrivenShard.ADDRESS.correlationId());
        assertThat(sent.reply().logTimeMillis()).isEqualTo(shard.nowMillis());
        assertThat(sent.reply().decisions().get(2).id()).hasToString("0-3-2");
        assertThat(shard.deadLetters()).isEmpty();
    }

    @Test
    void answers_not_ready_until_it_knows_settings_policy_and_that_it_is_caught_up() {
        for (byte[] control : SampleLog.beginning(0, SampleLog.budget(1, 2))) {
            shard.append(SampleLog.batch(SampleLog.ask(TENANT)));
            assertThat(shard.replies.verdicts()).containsExactly(Verdict.NOT_READY);
            assertThat(shard.owned().ready()).isFalse();
            shard.append(control);
        }

        shard.append(SampleLog.batch(SampleLog.ask(TENANT)));

        assertThat(shard.replies.verdicts()).containsExactly(Verdict.ALLOW);
        assertThat(shard.owned().ready()).isTrue();
    }

    @Test
    void control_records_are_not_answered() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 2)));

        assertThat(shard.replies.all()).isEmpty();
    }

    @Test
    void a_request_without_an_address_is_decided_and_not_answered() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 1)));

        shard.append(SampleLog.batch(SampleLog.ask(TENANT)), new RecordHeaders());

        assertThat(shard.replies.all()).isEmpty();
        shard.append(SampleLog.batch(SampleLog.ask(TENANT)));
        assertThat(shard.replies.verdicts()).containsExactly(Verdict.DENY);
    }

    @Test
    void a_bad_address_costs_the_reply_and_not_the_shard() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 2)));
        RecordHeaders threeBytes = new RecordHeaders();
        threeBytes.add(ReplyAddress.REPLY_TOPIC, "admission-replies".getBytes(StandardCharsets.UTF_8));
        threeBytes.add(ReplyAddress.REPLY_PARTITION, new byte[3]);
        RecordHeaders longCorrelation = new RecordHeaders();
        new ReplyAddress("admission-replies", OptionalInt.of(0), new byte[ReplyAddress.MAX_CORRELATION_ID + 1])
                .writeTo(longCorrelation);

        shard.append(SampleLog.batch(SampleLog.ask(TENANT)), threeBytes);
        shard.append(SampleLog.batch(SampleLog.ask(TENANT)), longCorrelation);

        assertThat(shard.replies.all()).isEmpty();
        assertThat(shard.count("ratelimit.replies.dropped", "cause", "address")).isEqualTo(2);
        shard.append(SampleLog.batch(SampleLog.ask(TENANT)));
        assertThat(shard.replies.verdicts()).containsExactly(Verdict.DENY);
    }

    @Test
    void a_request_in_the_wrong_shard_debits_nothing() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 1)));
        Map<String, String> before = shard.stateWithoutHeader();

        shard.append(SampleLog.batch(SampleLog.ask(SampleLog.tenantOf(5, 0))));

        assertThat(shard.replies.verdicts()).containsExactly(Verdict.MISROUTED);
        assertThat(shard.replies.last().decisions().get(0).reason()).contains("belongs to shard 5");
        assertThat(shard.stateWithoutHeader()).isEqualTo(before);
    }

    @Test
    void a_request_appended_after_its_deadline_debits_nothing() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 1)));
        Map<String, String> before = shard.stateWithoutHeader();

        shard.append(SampleLog.batch(SampleLog.ask(TENANT, 1, shard.nowMillis() - 1)));

        assertThat(shard.replies.verdicts()).containsExactly(Verdict.EXPIRED);
        assertThat(shard.stateWithoutHeader()).isEqualTo(before);
    }

    @Test
    void a_batch_that_comes_again_is_answered_again_and_debits_nothing() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 1)));
        byte[] batch = SampleLog.batch("g1", 0, SampleLog.ask(TENANT), SampleLog.ask(TENANT));
        shard.append(batch);

        shard.append(batch);

        assertThat(shard.replies.verdicts()).containsExactly(Verdict.ALLOW, Verdict.DENY);
        assertThat(shard.replies.last().decisions()).allMatch(decision -> decision.replayed());
        assertThat(shard.replies.last().decisions().get(0).id()).hasToString("0-3-0");
        assertThat(shard.count("ratelimit.request.duplicates")).isEqualTo(2);
    }

    @Test
    void what_cannot_be_read_is_answered_with_the_reason_and_buried_with_it() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 5)));
        byte[] good = SampleLog.batch(SampleLog.ask(TENANT));
        byte[] random = new byte[200];
        new Random(7).nextBytes(random);
        byte[] otherSchema = good.clone();
        otherSchema[4] ^= 1;
        Map<String, byte[]> hostile = Map.of(
                "9 bytes",
                new byte[9],
                "0 bytes",
                new byte[0],
                "200 bytes",
                random,
                (good.length - 3) + " bytes",
                Arrays.copyOf(good, good.length - 3),
                good.length + " bytes",
                otherSchema,
                "501 commands",
                SampleLog.oneCommandTooMany(TENANT));

        hostile.forEach((told, value) -> {
            shard.append(value);

            assertThat(shard.replies.last().decisions()).isEmpty();
            assertThat(shard.replies.last().problem()).contains(told);
            DeadLetterRecord letter = shard.deadLetters().get(0);
            assertThat(letter.reason()).isEqualTo(shard.replies.last().problem());
            assertThat(letter.topic()).isEqualTo("admission-requests");
            assertThat(letter.offset()).isEqualTo(shard.owned().view().nextOffset() - 1);
            assertThat(letter.size()).isEqualTo(value.length);
            assertThat(letter.value()).isEqualTo(value);
        });

        shard.append(good);
        assertThat(shard.replies.verdicts()).containsExactly(Verdict.ALLOW);
        assertThat(shard.count("ratelimit.dead_letters")).isEqualTo(hostile.size());
    }

    @Test
    void a_null_value_is_a_dead_letter() {
        shard.append(null);

        assertThat(shard.deadLetters()).extracting(DeadLetterRecord::reason).containsExactly("value is null");
        assertThat(shard.owned().view().nextOffset()).isEqualTo(1);
    }

    @Test
    void of_a_long_value_the_dead_letter_keeps_the_beginning() {
        shard.append(new byte[DeadLetterRecord.MAX_VALUE + 1]);

        DeadLetterRecord letter = shard.deadLetters().get(0);
        assertThat(letter.size()).isEqualTo(DeadLetterRecord.MAX_VALUE + 1);
        assertThat(letter.value()).hasSize(DeadLetterRecord.MAX_VALUE);
    }

    @Test
    void a_control_record_that_is_not_genuine_changes_nothing() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 5)));
        Control newPolicy =
                new Control.ApplyPolicy(1, 0, SampleLog.budget(2, 1_000).canonicalBytes());
        byte[] genuine = ControlRecords.encode(0, newPolicy, SampleLog.KEY);
        ControlKey forger = SampleLog.key(SampleLog.KEY.id(), 99);
        byte[] withoutCode = Arrays.copyOf(genuine, genuine.length - 32);
        withoutCode[withoutCode.length - 1] = 0; // the length of the code
        Map<String, byte[]> forged = Map.of(
                "its code does not fit", ControlRecords.encode(0, newPolicy, forger),
                "not genuine: its code", withoutCode,
                "is for shard 1, not for shard 0", ControlRecords.encode(1, newPolicy, SampleLog.KEY),
                "names key 'b-second'; this shard accepts 'a-first' only",
                        ControlRecords.encode(0, newPolicy, SampleLog.OTHER_KEY),
                "names key 'nobody'", ControlRecords.encode(0, newPolicy, SampleLog.key("nobody", 1)));

        forged.forEach((told, value) -> {
            Map<String, String> before = shard.stateWithoutHeader();
            ShardView viewBefore = shard.owned().view();
            shard.append(value);

            assertThat(shard.deadLetters())
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.reason()).contains(told));
            assertThat(shard.stateWithoutHeader()).isEqualTo(before);
            assertThat(shard.owned().view())
                    .isEqualTo(new ShardView(
                            viewBefore.nextOffset() + 1,
                            viewBefore.logTimeMillis(),
                            viewBefore.settings(),
                            viewBefore.settingsSource(),
                            viewBefore.policySource(),
                            viewBefore.planSource(),
                            viewBefore.actionSource(),
                            viewBefore.zones(),
                            viewBefore.policyVersion(),
                            viewBefore.rolledOutVersion(),
                            viewBefore.pendingVersion(),
                            viewBefore.caughtUp(),
                            viewBefore.losses()));
        });

        shard.append(genuine);
        assertThat(shard.owned().view().policyVersion()).isEqualTo(2);
    }

    @Test
    void a_shard_without_settings_takes_no_control_from_a_key_that_nobody_here_holds() {
        ShardSettings forgers = ShardSettings.initial(SampleLog.SHARDS, "forger");

        shard.append(ControlRecords.encode(0, new Control.ApplySettings(0, -1, forgers), SampleLog.key("forger", 1)));

        assertThat(shard.deadLetters())
                .singleElement()
                .satisfies(
                        letter -> assertThat(letter.reason()).contains("names key 'forger', which nobody here holds"));
        assertThat(shard.owned().view().settings()).isEmpty();
    }

    @Test
    void the_pinned_key_changes_when_a_record_signed_with_the_old_one_says_so() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 5)));
        ShardSettings rotated = ShardSettings.initial(SampleLog.SHARDS, SampleLog.OTHER_KEY.id());
        shard.append(ControlRecords.encode(0, new Control.ApplySettings(1, 0, rotated), SampleLog.KEY));

        shard.append(SampleLog.tick(0, shard.nowMillis()));
        assertThat(shard.deadLetters())
                .singleElement()
                .satisfies(letter -> assertThat(letter.reason())
                        .contains("names key 'a-first'; this shard accepts 'b-second' only"));
        shard.append(ControlRecords.encode(0, new Control.Tick(0), SampleLog.OTHER_KEY));
        assertThat(shard.deadLetters()).isEmpty();
    }

    @Test
    void a_policy_that_cannot_be_read_is_a_dead_letter_and_the_one_in_force_stays() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 5)));

        shard.append(ControlRecords.encode(
                0, new Control.ApplyPolicy(1, 0, "{}".getBytes(StandardCharsets.UTF_8)), SampleLog.KEY));

        assertThat(shard.deadLetters())
                .singleElement()
                .satisfies(letter -> assertThat(letter.reason()).startsWith("policy at offset 1 is refused"));
        assertThat(shard.owned().view().policyVersion()).isEqualTo(1);
        assertThat(shard.owned().view().policySource()).isEqualTo(1);
    }

    @Test
    void budgets_refill_by_the_time_of_the_log_which_never_goes_back() {
        shard.appendAll(SampleLog.beginning(
                0,
                SampleLog.document(
                        1,
                        "northstar",
                        "{\"id\":\"rate\",\"stage\":\"tenant\",\"algorithm\":\"token-bucket\","
                                + "\"limit\":{\"capacity\":1,\"refill\":{\"tokens\":1,\"per\":\"1s\"}}}")));
        List<Long> steps = List.of(0L, 999L, 1L, -600_000L, 1_000L, 599_999L, 1L);
        List<Verdict> verdicts = steps.stream()
                .map(step -> {
                    shard.passMillis(step);
                    shard.append(SampleLog.batch(SampleLog.ask(TENANT)));
                    return shard.replies.verdicts().get(0);
                })
                .toList();

        assertThat(verdicts)
                .containsExactly(
                        Verdict.ALLOW,
                        Verdict.DENY,
                        Verdict.ALLOW,
                        Verdict.DENY,
                        Verdict.DENY,
                        Verdict.DENY,
                        Verdict.ALLOW);
    }

    @Test
    void a_malformed_command_is_answered_error_and_its_neighbours_stand() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 5)));
        byte[] two = SampleLog.batch(SampleLog.ask(TENANT), SampleLog.ask(TENANT, 1, Command.NEVER));
        byte[] ofAnotherCost = SampleLog.batch(SampleLog.ask(TENANT), SampleLog.ask(TENANT, 2, Command.NEVER));
        // The cost of the second command: -1, in zigzag 01, where 1 was.
        two[Arrays.mismatch(two, ofAnotherCost)] = 0x01;

        shard.append(two);

        assertThat(shard.replies.verdicts()).containsExactly(Verdict.ALLOW, Verdict.ERROR);
        assertThat(shard.replies.last().decisions().get(1).reason()).contains("cost is -1; it must be 0 to");
        assertThat(shard.deadLetters()).isEmpty();
    }

    // ---- JSON

    private void appendJson(byte[] value, String contentType) {
        RecordHeaders headers = new RecordHeaders();
        DrivenShard.ADDRESS.writeTo(headers);
        headers.add("contentType", contentType.getBytes(StandardCharsets.UTF_8));
        shard.append(value, headers);
    }

    private void appendJson(String json) {
        appendJson(json.getBytes(StandardCharsets.UTF_8), "application/json");
    }

    private String lastInJson() {
        List<String> replies = shard.replies.inJson();
        return replies.get(replies.size() - 1);
    }

    @Test
    void who_asks_in_json_is_answered_in_json_and_spends_from_the_same_budget() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 3)));

        appendJson("{\"commands\":[{\"tenant\":\"" + TENANT + "\"},{\"tenant\":7},{\"tenant\":\"" + TENANT + "\"}]}");
        shard.append(SampleLog.batch(SampleLog.ask(TENANT), SampleLog.ask(TENANT)));
        appendJson("{\"tenant\":\"" + TENANT + "\"}");

        assertThat(shard.replies.inJson().get(0))
                .isEqualTo("{\"decisions\":[" + allowed("0-3-0", 2) + ","
                        + "{\"actions\":[],\"decisionId\":\"0-3-1\",\"policyVersion\":1,"
                        + "\"reason\":\"tenant is 7; it must be a string\",\"replayed\":false,\"rules\":[],"
                        + "\"shadowDenials\":[],\"softDenials\":[],\"verdict\":\"ERROR\"},"
                        + allowed("0-3-2", 1) + "],\"logTimeMillis\":" + shard.nowMillis()
                        + ",\"problem\":\"\",\"shard\":0}");
        assertThat(shard.replies.verdicts()).containsExactly(Verdict.ALLOW, Verdict.DENY);
        assertThat(lastInJson()).contains("\"denyingRule\":\"budget\"", "\"verdict\":\"DENY\"");
        assertThat(shard.deadLetters()).isEmpty();
    }

    private static String allowed(String id, int remaining) {
        return "{\"actions\":[],\"decisionId\":\"" + id + "\",\"limit\":3,\"policyVersion\":1,\"reason\":\"\","
                + "\"remaining\":" + remaining + ",\"replayed\":false,\"rules\":[],\"shadowDenials\":[],"
                + "\"softDenials\":[],\"verdict\":\"ALLOW\"}";
    }

    @Test
    void json_that_cannot_be_read_is_answered_with_its_place_and_buried() {
        appendJson("{\"tenant\":\n}");

        String told = "value cannot be read as JSON: line 2, column 1: here is '}'; a value must begin";
        assertThat(lastInJson()).contains("\"decisions\":[],", "\"problem\":\"" + told + "\"");
        assertThat(shard.deadLetters()).extracting(DeadLetterRecord::reason).containsExactly(told);
    }

    @Test
    void another_content_type_is_answered_with_those_that_there_are() {
        appendJson(SampleLog.batch(SampleLog.ask(TENANT)), "application/xml");

        assertThat(lastInJson())
                .contains("header contentType is 'application/xml'; it must be application/json, or not be there for"
                        + " Avro");
        assertThat(shard.deadLetters()).hasSize(1);
    }

    /** Whatever a stranger calls JSON: it is answered, and the shard goes on. */
    @Test
    void no_bytes_end_the_fold() {
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 2)));
        Random random = new Random(11);
        byte[] good = ("{\"attempt\":{\"gateway\":\"g\",\"epoch\":1,\"sequence\":2},\"commands\":[{\"tenant\":\""
                        + TENANT
                        + "\",\"op\":\"peek\",\"cost\":1,\"attributes\":{\"a\":\"\\u00e9\"},\"idempotencyKey\":\"k\"}]}")
                .getBytes(StandardCharsets.UTF_8);
        int records = 3_000;
        for (int i = 0; i < records; i++) {
            byte[] bytes = good.clone();
            if (i % 3 == 0) {
                bytes = new byte[random.nextInt(100)];
                random.nextBytes(bytes);
            } else {
                for (int change = random.nextInt(4); change >= 0; change--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
                }
            }
            appendJson(bytes, "application/json");
        }

        assertThat(shard.replies.inJson()).hasSize(records);
        assertThat(shard.owned().view().nextOffset()).isEqualTo(3 + records);
        shard.append(SampleLog.batch(SampleLog.ask(TENANT)));
        assertThat(shard.replies.verdicts()).containsExactly(Verdict.ALLOW);
    }
}
