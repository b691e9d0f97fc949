package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PolicyHistoryTest {

    private final PolicyHistory history = new PolicyHistory(PolicyTrust.ANYBODY);

    private Optional<String> take(long offset, byte[] value) {
        return history.take(offset, 1_800_000_000_000L, value).map(PolicyRefusal::reason);
    }

    private static PolicyDocument budget(long version, long tokens) {
        return document(
                version,
                "northstar",
                "{\"id\":\"budget\",\"stage\":\"tenant\",\"algorithm\":\"token-bucket\",\"reason\":\"a fixed sum\","
                        + "\"limit\":{\"capacity\":" + tokens + ",\"refill\":{\"tokens\":0,\"per\":\"1s\"}}}");
    }

    private static PolicyDocument document(long version, String domain, String rules) {
        String json =
                "{\"apiVersion\":\"headgate.io/v1\",\"kind\":\"PolicySnapshot\",\"metadata\":{\"name\":\"sample\","
                        + "\"version\":" + version + "},\"spec\":{\"domain\":\"" + domain + "\",\"rules\":[" + rules
                        + "]}}";
        return PolicyDocument.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] record(PolicyDocument document) {
        return PolicyRecord.of(document, List.of()).toBytes();
    }

    private static byte[] version(long version, long tokens) {
        return record(budget(version, tokens));
    }

    /** Vector V46-policy-version-order of the engine's vectors. */
    @Test
    void versions_only_go_up_and_a_bad_record_leaves_the_last_good_one() {
        List<byte[]> records = List.of(
                version(42, 10),
                version(41, 10),
                "not a policy".getBytes(StandardCharsets.UTF_8),
                version(43, 1),
                version(43, 1),
                version(43, 2),
                version(44, 10));
        List<Long> active = new ArrayList<>();
        List<String> refusals = new ArrayList<>();
        for (int offset = 0; offset < records.size(); offset++) {
            refusals.add(take(offset, records.get(offset)).orElse(""));
            active.add(history.newest().orElseThrow().version());
        }

        assertThat(active).containsExactly(42L, 42L, 42L, 43L, 43L, 43L, 44L);
        assertThat(refusals.get(0)).isEmpty();
        assertThat(refusals.get(1)).isEqualTo("version 41 is older than version 42");
        assertThat(refusals.get(2)).contains("cannot be read");
        assertThat(refusals.subList(3, 5)).containsOnly("");
        assertThat(refusals.get(5)).isEqualTo("version 43 exists with other content");
        assertThat(refusals.get(6)).isEmpty();
        assertThat(history.after(0))
                .extracting(PolicyHistory.Accepted::offset)
                .as("a duplicate is not applied again")
                .containsExactly(3L, 6L);
    }

    @Test
    void an_old_shard_gets_every_version_it_lacks_in_order() {
        take(10, version(1, 1));
        take(20, version(2, 2));
        take(30, version(3, 3));

        assertThat(history.after(10))
                .extracting(PolicyHistory.Accepted::version)
                .containsExactly(2L, 3L);
        assertThat(history.after(15))
                .extracting(PolicyHistory.Accepted::version)
                .containsExactly(2L, 3L);
        assertThat(history.after(30)).isEmpty();
    }

    @Test
    void a_new_shard_begins_with_the_newest() {
        assertThat(history.after(-1)).isEmpty();
        take(0, version(1, 1));
        take(1, version(2, 2));

        assertThat(history.after(-1))
                .extracting(PolicyHistory.Accepted::version)
                .containsExactly(2L);
    }

    @Test
    void a_content_hash_that_does_not_fit_is_refused() {
        PolicyDocument document = budget(1, 1);
        PolicyRecord record = new PolicyRecord(
                "northstar",
                1,
                budget(1, 2).contentHash(),
                "",
                "",
                new String(document.canonicalBytes(), StandardCharsets.UTF_8),
                List.of());

        assertThat(take(0, record.toBytes())).contains("content hash does not fit the document");
    }

    @Test
    void a_record_that_contradicts_its_document_is_refused() {
        PolicyDocument document = budget(1, 1);
        PolicyRecord record = new PolicyRecord(
                "northstar",
                7,
                document.contentHash(),
                "",
                "",
                new String(document.canonicalBytes(), StandardCharsets.UTF_8),
                List.of());

        assertThat(take(0, record.toBytes()))
                .contains("record says version 7 of 'northstar', its document version 1 of 'northstar'");
    }

    @Test
    void a_topic_is_for_one_domain() {
        assertThat(take(0, version(1, 1))).isEmpty();

        Optional<String> refusal = take(1, record(document(2, "elsewhere", "")));

        assertThat(refusal).contains("domain is 'elsewhere'; this topic is for 'northstar'");
    }

    @Test
    void an_invalid_document_is_refused_with_its_mistakes() {
        String broken = "{\"apiVersion\":\"headgate.io/v1\"}";
        PolicyRecord record = new PolicyRecord("northstar", 1, "00", "", "", broken, List.of());

        assertThat(take(0, record.toBytes()).orElseThrow()).contains("kind");
        assertThat(history.newest()).isEmpty();
    }

    @Test
    void a_deleted_record_is_refused_and_the_last_good_one_stays() {
        take(0, version(1, 1));

        assertThat(take(1, null)).contains("value is null; policies are never deleted");
        assertThat(history.newest().orElseThrow().version()).isEqualTo(1);
    }

    @Test
    void a_reader_that_keeps_the_newest_alone_refuses_what_any_other_refuses() {
        take(0, version(41, 1));
        take(1, version(42, 1));

        history.forgetOlder();

        assertThat(history.after(-1))
                .extracting(PolicyHistory.Accepted::version)
                .containsExactly(42L);
        assertThat(history.after(0)).hasSize(1);
        assertThat(take(2, version(41, 1))).contains("version 41 is older than version 42");
        assertThat(take(3, version(42, 2))).contains("version 42 exists with other content");
        assertThat(take(4, version(43, 1))).isEmpty();
        assertThat(history.newest().orElseThrow().version()).isEqualTo(43);
    }
}
