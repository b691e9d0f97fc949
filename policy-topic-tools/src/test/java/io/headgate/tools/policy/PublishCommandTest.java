package io.headgate.tools.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyStatus;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.SealedPolicy;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.tools.Desk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishCommandTest {

    @TempDir
    private Path folder;

    private PolicyDesk at;
    private Desk desk;

    @BeforeEach
    void sitDown() {
        at = new PolicyDesk(folder);
        desk = at.desk();
    }

    private List<PolicyRecord> onTopic() {
        return desk.cluster().records(TopicCatalogue.POLICIES).stream()
                .map(record -> PolicyRecord.fromBytes(record.value()))
                .toList();
    }

    @Test
    void author_and_reason_go_into_the_document() {
        assertThat(at.publishing(PolicyDesk.yaml(1, 20), "--no-wait")).isZero();

        PolicyRecord record = onTopic().get(0);
        PolicyDocument document = PolicyDocument.parse(record.document().getBytes(StandardCharsets.UTF_8));
        assertThat(document.metadata().author()).isEqualTo("ann");
        assertThat(document.metadata().reason()).isEqualTo("because");
        assertThat(record.contentHash()).isEqualTo(document.contentHash());
        assertThat(desk.out()).isEqualTo("version 1 of shop is published, at offset 0\n");
    }

    @Test
    void a_version_that_is_there_is_not_published_twice() {
        at.publish(PolicyDesk.yaml(1, 20));

        assertThat(at.publishing(PolicyDesk.yaml(1, 20), "--no-wait")).isZero();

        assertThat(onTopic()).hasSize(1);
        assertThat(desk.out()).contains("is on the topic already");
    }

    @Test
    void another_content_under_a_number_that_is_taken_is_a_conflict_that_names_who_has_it() {
        at.publish(PolicyDesk.yaml(1, 20));

        assertThat(at.publishing(PolicyDesk.yaml(1, 30), "--no-wait")).isEqualTo(4);

        assertThat(desk.err())
                .contains("there is one of that number", "set metadata.version to 2", "version 1 by ann (because)");
        assertThat(onTopic()).hasSize(1);
    }

    @Test
    void a_gap_is_refused_as_every_reader_would() {
        at.publish(PolicyDesk.yaml(1, 20));

        assertThat(at.publishing(PolicyDesk.yaml(3, 30), "--no-wait")).isEqualTo(1);

        assertThat(desk.err()).contains("every reader would refuse it", "it must be 2");
    }

    @Test
    void a_base_that_is_not_the_newest_any_more_is_a_conflict() {
        at.publish(PolicyDesk.yaml(1, 20));
        at.publish(PolicyDesk.yaml(2, 30));

        assertThat(at.publishing(PolicyDesk.yaml(3, 40), "--no-wait", "--base", "1"))
                .isEqualTo(4);
        assertThat(desk.err()).contains("it builds on version 1", "somebody else published version 2 by ann");

        String superseding = PolicyDesk.yaml(3, 40).replace("version: 3", "version: 3, supersedes: 1");
        assertThat(at.publishing(superseding, "--no-wait")).isEqualTo(4);
        assertThat(at.publishing(PolicyDesk.yaml(3, 40), "--no-wait", "--base", "2"))
                .isZero();
    }

    @Test
    void next_takes_the_number_from_the_topic() {
        at.publish(PolicyDesk.yaml(1, 20));

        assertThat(at.publishing(PolicyDesk.yaml(1, 30), "--no-wait", "--next")).isZero();

        assertThat(onTopic()).extracting(PolicyRecord::version).containsExactly(1L, 2L);
    }

    @Test
    void who_is_overtaken_while_publishing_publishes_nothing() {
        at.publish(PolicyDesk.yaml(1, 20));
        desk.cluster().beforeNextAppend(() -> desk.cluster().soleWriter("headgate-policy-publisher"));

        assertThat(at.publishing(PolicyDesk.yaml(2, 30), "--no-wait")).isEqualTo(4);

        assertThat(desk.err()).contains("somebody else is publishing");
        assertThat(onTopic()).hasSize(1);
    }

    @Test
    void a_record_that_slipped_in_without_the_right_to_is_noticed() {
        PolicyRecord other = PolicyRecord.of(
                PolicyDocument.parse(json(PolicyDesk.yaml(1, 99))).as(1, "eve", "slipped in"), List.of());
        desk.cluster()
                .beforeNextAppend(() -> desk.cluster().put(TopicCatalogue.POLICIES, 0, other.key(), other.toBytes()));

        assertThat(at.publishing(PolicyDesk.yaml(1, 20), "--no-wait")).isEqualTo(4);

        assertThat(desk.err()).contains("another record of that number came first", "by eve (slipped in)");
    }

    private byte[] json(String yaml) {
        at.publish(yaml);
        String json = onTopic().get(0).document();
        desk.cluster().records(TopicCatalogue.POLICIES);
        desk.cluster().delete(TopicCatalogue.POLICIES);
        at = new PolicyDesk(folder);
        desk = at.desk();
        return json.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void waits_until_everybody_has_it_and_says_how_many_that_are() throws Exception {
        at.allShardsAt(0, 1);
        at.says(PolicyStatus.gateway("edge"), 0, 1, -1, "", 0);
        at.says(PolicyStatus.gateway("long gone"), -1, 0, -1, "", 60_000);

        assertThat(at.publishing(PolicyDesk.yaml(1, 20), "--output", "json")).isZero();

        JsonNode said = new ObjectMapper().readTree(desk.out());
        assertThat(said.path("takenOver").asBoolean()).isTrue();
        assertThat(said.path("shards").asInt()).isEqualTo(Desk.SHARDS);
        assertThat(said.path("gateways").asInt()).isEqualTo(1);
        assertThat(said.path("offset").asInt()).isZero();
    }

    @Test
    void names_who_has_not_taken_it_over_in_time_and_why() {
        at.allShardsAt(0, 1);
        at.says(PolicyStatus.shard(3), -1, 0, 0, "signature of nobody", 0);
        at.says(PolicyStatus.shard(4), -1, 0, -1, "", 45_000);
        at.says(PolicyStatus.gateway("edge"), -1, 0, -1, "", 0);

        assertThat(at.publishing(PolicyDesk.yaml(1, 20), "--wait", "10ms")).isEqualTo(3);

        assertThat(desk.out()).startsWith("version 1 of shop is published");
        assertThat(desk.err())
                .contains(
                        "3 have not taken it over",
                        "shard/3 refused it: signature of nobody",
                        "shard/4 has been silent for 45 s, on 7@host",
                        "gateway/edge is at version 0, on 7@host");
    }

    @Test
    void who_has_read_it_and_could_not_put_it_in_force_has_not_taken_it_over() {
        at.publish(PolicyDesk.yaml(1, 20));
        at.allShardsAt(1, 2);
        at.says(PolicyStatus.shard(3), 1, 1, -1, "", 1_000);

        assertThat(at.publishing(PolicyDesk.yaml(2, 30), "--wait", "1ms")).isEqualTo(3);

        assertThat(desk.err())
                .contains("1 have not taken it over")
                .contains("shard/3 has read it and could not put it in force");
    }

    @Test
    void without_the_topic_of_statuses_it_says_that_it_does_not_know() {
        desk.cluster().delete(TopicCatalogue.POLICY_STATUS);

        assertThat(at.publishing(PolicyDesk.yaml(1, 20))).isEqualTo(3);

        assertThat(desk.err()).contains("who has taken it over is not known", "policy-status");
        assertThat(onTopic()).hasSize(1);
    }

    @Test
    void signs_with_a_key_and_publishes_what_was_sealed_as_it_is() throws Exception {
        SigningKey key = SigningKey.newPair("ann-2026").signingKey();
        Path keyFile = folder.resolve("ann.pem");
        key.write(keyFile);
        String file = at.file("one.yaml", PolicyDesk.yaml(1, 20));

        assertThat(desk.policy(
                        "publish", file, "--key", keyFile.toString(), "--author", "ann", "--reason", "x", "--no-wait"))
                .isZero();
        assertThat(onTopic().get(0).signatures()).extracting("keyId").containsExactly("ann-2026");

        PolicyDocument second = PolicyDocument.parse(onTopic().get(0).document().getBytes(StandardCharsets.UTF_8))
                .as(2, "bob", "sealed");
        Path sealed = Files.write(
                folder.resolve("two.sealed.json"), new SealedPolicy(second, List.of(key.sign(second))).toBytes());
        assertThat(desk.policy("publish", sealed.toString(), "--author", "eve", "--no-wait"))
                .isEqualTo(2);
        assertThat(desk.err()).contains("what is signed cannot be changed");
        assertThat(desk.policy("publish", sealed.toString(), "--no-wait"))
                .as(desk.err())
                .isZero();
        assertThat(onTopic().get(1).author()).isEqualTo("bob");
        assertThat(onTopic().get(1).signatures()).containsExactly(key.sign(second));
    }

    @Test
    void what_is_missing_is_wrong_usage() {
        String file = at.file("one.yaml", PolicyDesk.yaml(1, 20));

        assertThat(desk.policy("publish", file, "--author", "ann", "--reason", "x"))
                .isEqualTo(2);
        assertThat(desk.err()).contains("nobody signs", "--key FILE", "--unsigned");
        assertThat(desk.policy("publish", file, "--unsigned", "--reason", "x")).isEqualTo(2);
        assertThat(desk.err()).contains("'--author'", "metadata.author");
        assertThat(desk.policy("publish", file, "--unsigned", "--author", "ann", "--reason", "x", "--wait", "soon"))
                .isEqualTo(2);
        assertThat(desk.err()).contains("--wait", "--no-wait");
        assertThat(onTopic()).isEmpty();
    }

    @Test
    void a_file_with_mistakes_is_refused_with_all_of_them() {
        String file = at.file("bad.yaml", PolicyDesk.yaml(1, -4).replace("per: 10s", "per: soon"));

        assertThat(desk.policy("publish", file, "--unsigned", "--author", "ann", "--reason", "x"))
                .isEqualTo(1);

        assertThat(desk.err()).contains("capacity", "-4", "per", "soon");
        assertThat(onTopic()).isEmpty();
    }
}
