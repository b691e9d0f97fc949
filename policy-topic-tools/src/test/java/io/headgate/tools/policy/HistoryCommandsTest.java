package io.headgate.tools.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyStatus;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Desk;
import io.headgate.tools.PolicyFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looking at what was published, going back, and going on. */
class HistoryCommandsTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private PolicyDesk at;
    private Desk desk;

    @BeforeEach
    void publishTwo() {
        at = new PolicyDesk(folder);
        desk = at.desk();
        at.publish(PolicyDesk.yaml(1, 20));
        at.publish(PolicyDesk.yaml(2, 40));
    }

    private PolicyDocument newest() {
        var records = desk.cluster().records(TopicCatalogue.POLICIES);
        return PolicyDocument.parse(
                PolicyRecord.fromBytes(records.get(records.size() - 1).value())
                        .document()
                        .getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void list_has_every_record_and_why_one_was_refused() throws Exception {
        desk.cluster().put(TopicCatalogue.POLICIES, 0, new byte[] {1}, new byte[] {2});
        var first = desk.cluster().records(TopicCatalogue.POLICIES).get(0);
        desk.cluster().put(TopicCatalogue.POLICIES, 0, first.key(), first.value());

        assertThat(desk.policy("list")).isZero();

        assertThat(desk.out().lines()).hasSize(5);
        assertThat(desk.out()).contains("accepted", "unsigned", "refused: version 1 is older than version 2");
        assertThat(desk.policy("list", "--output", "json")).isZero();
        JsonNode second = JSON.readTree(desk.out().lines().toList().get(1));
        assertThat(second.path("version").asInt()).isEqualTo(2);
        assertThat(second.path("standing").asText()).isEqualTo("accepted");
    }

    @Test
    void log_says_what_each_version_changed_newest_first() {
        assertThat(desk.policy("log")).isZero();

        List<String> lines = desk.out().lines().toList();
        assertThat(lines.get(0)).startsWith("version 2  offset 1  2026-03-01T10:00:00Z  ann  unsigned");
        assertThat(lines.get(1)).isEqualTo("    why:     because");
        assertThat(lines.get(2)).isEqualTo("    changed: ~rule READ (limit.capacity 20 → 40)");
        assertThat(lines.get(5)).isEqualTo("    changed: the first version");
        assertThat(desk.policy("log", "--limit", "1")).isZero();
        assertThat(desk.out().lines()).hasSize(3);
        assertThat(desk.policy("log", "--limit", "0")).isEqualTo(2);
    }

    @Test
    void show_writes_a_document_that_reads_as_the_same_again() throws Exception {
        for (PolicyDocument document : List.of(newest(), PolicyFile.northstar())) {
            String yaml = PolicyYaml.of(document);

            PolicyDocument again = PolicyFile.read("again.yaml", yaml.getBytes(StandardCharsets.UTF_8));

            assertThat(again.contentHash()).as(yaml).isEqualTo(document.contentHash());
        }
        assertThat(desk.policy("show", "1", "--yaml")).isZero();
        assertThat(desk.out().lines().map(line -> line.replaceAll(":.*", "")).filter(line -> !line.startsWith(" ")))
                .containsExactly("apiVersion", "kind", "metadata", "spec");
        assertThat(PolicyFile.read("one.yaml", desk.out().getBytes(StandardCharsets.UTF_8))
                        .metadata()
                        .version())
                .isEqualTo(1);
    }

    @Test
    void show_says_who_and_why_and_knows_no_other_versions() throws Exception {
        assertThat(desk.policy("show")).isZero();
        assertThat(desk.out()).startsWith("# version 2, at offset 1").contains("# by ann: because", "capacity: 40");
        assertThat(desk.policy("show", "--json")).isZero();
        assertThat(PolicyDocument.parse(desk.out().getBytes(StandardCharsets.UTF_8))
                        .contentHash())
                .isEqualTo(newest().contentHash());
        assertThat(desk.policy("show", "7")).isEqualTo(1);
        assertThat(desk.err()).contains("there is no version 7", "versions 1 to 2");
    }

    @Test
    void diff_tells_versions_and_files_apart() throws Exception {
        assertThat(desk.policy("diff", "1", "2")).isEqualTo(5);
        assertThat(desk.out().lines()).containsExactly("~ rule READ", "    limit.capacity 20 → 40");
        assertThat(desk.policy("diff", "2", "2")).isZero();
        assertThat(desk.out()).isEmpty();

        String file = at.file("three.yaml", PolicyDesk.yaml(3, 40).replace("{perMinute: 60}", "{perMinute: 70}"));
        assertThat(desk.policy("diff", "2", file, "--output", "json")).isEqualTo(5);
        JsonNode change = JSON.readTree(desk.out()).path("changes").get(0);
        assertThat(change.path("part").asText()).isEqualTo("plan");
        assertThat(change.path("name").asText()).isEqualTo("default");
        assertThat(change.path("fields").get(0).path("after").asText()).isEqualTo("70");
        assertThat(desk.policy("diff", "1", "none.yaml")).isEqualTo(1);
    }

    @Test
    void diff_notices_rules_that_come_go_and_change_places() {
        PolicyDocument before = newest();
        var tree = before.tree();
        var rules = tree.withObject("/spec").withArray("/rules");
        JsonNode tenant = rules.remove(0);
        rules.add(tenant);
        PolicyDifference moved = PolicyDifference.between(Optional.of(before), PolicyDocument.of(tree));
        assertThat(moved.lines())
                .containsExactly("~ policy rules", "    order TENANT, READ, TIGHT → READ, TIGHT, TENANT");

        rules.remove(0);
        PolicyDifference gone = PolicyDifference.between(Optional.of(before), PolicyDocument.of(tree));
        assertThat(gone.summary()).startsWith("-rule READ");
        assertThat(PolicyDifference.between(Optional.of(before), before).isEmpty())
                .isTrue();
    }

    @Test
    void rollback_publishes_the_old_rules_as_the_next_version() {
        assertThat(desk.policy("rollback", "1", "--author", "bob", "--reason", "too much", "--unsigned", "--no-wait"))
                .isZero();

        assertThat(desk.err())
                .contains(
                        "version 3 has the rules of version 1; against version 2: ~rule READ (limit.capacity 40 → 20)",
                        "every budget goes on");
        assertThat(newest().metadata().version()).isEqualTo(3);
        assertThat(newest().metadata().author()).isEqualTo("bob");
        assertThat(PolicyDifference.between(Optional.of(newest()), PolicyDocument.of(newest().tree()))
                        .isEmpty())
                .isTrue();
        assertThat(desk.policy("diff", "1", "3")).isZero();
    }

    @Test
    void rollback_does_not_repeat_what_a_version_did_once_and_begins_afresh_only_where_it_must() {
        String once = PolicyDesk.yaml(3, 40)
                .replace("  domain: shop", "  domain: shop\n  effectiveAt: 2026-03-01T09:00:00Z")
                .replace("refill: {tokens: 2, per: 1s}}", "refill: {tokens: 2, per: 1s}}\n      resetBudgets: true");
        at.publish(once);
        at.publish(
                PolicyDesk.yaml(4, 40)
                        .replace(
                                "scope: user\n      match: {routes: [catalog]}\n      algorithm: sliding",
                                "scope: tenant\n      match: {routes: [catalog]}\n      resetBudgets: true\n      algorithm: sliding"));

        assertThat(desk.policy("rollback", "3", "--author", "bob", "--reason", "x", "--unsigned", "--no-wait"))
                .as(desk.err())
                .isZero();

        assertThat(desk.err()).contains("count by something else now: TIGHT");
        assertThat(newest().policy().rule("READ").orElseThrow().resetBudgets()).isFalse();
        assertThat(newest().policy().rule("TIGHT").orElseThrow().resetBudgets()).isTrue();
        assertThat(newest().policy().activation().effectiveAtMillis()).isEmpty();
    }

    @Test
    void rollback_to_the_newest_or_to_nothing_is_refused() {
        assertThat(desk.policy("rollback", "2", "--author", "bob", "--reason", "x", "--unsigned"))
                .isEqualTo(1);
        assertThat(desk.err()).contains("version 2 is the newest");
        assertThat(desk.policy("rollback", "9", "--author", "bob", "--reason", "x", "--unsigned"))
                .isEqualTo(1);
        assertThat(desk.err()).contains("there is no version 9");
        assertThat(newest().metadata().version()).isEqualTo(2);
    }

    @Test
    void promote_writes_the_next_version_with_the_rule_enforced() throws Exception {
        Path out = folder.resolve("next.yaml");

        assertThat(desk.policy("promote", "TIGHT", "--out", out.toString())).isZero();

        PolicyDocument next = PolicyFile.read(out);
        assertThat(next.metadata().version()).isEqualTo(3);
        assertThat(next.metadata().supersedes()).hasValue(2);
        assertThat(next.policy().rule("TIGHT").orElseThrow().shadow()).isFalse();
        assertThat(desk.policy("promote", "TIGHT", "--out", out.toString())).isEqualTo(1);
        assertThat(desk.policy("promote", "READ")).isEqualTo(1);
        assertThat(desk.err()).contains("rule READ is not in shadow in version 2; in shadow are [TIGHT]");
        at.publish(Files.readString(out));
        assertThat(desk.policy("promote", "TIGHT")).isEqualTo(1);
    }

    @Test
    void status_says_who_has_what_and_fails_if_somebody_lags() throws Exception {
        at.allShardsAt(1, 2);
        at.says(PolicyStatus.gateway("edge"), 1, 2, -1, "", 3_000);
        at.says(PolicyStatus.gateway("gone"), 0, 1, -1, "", 90_000);
        assertThat(desk.policy("status")).isZero();
        assertThat(desk.out())
                .startsWith("newest is version 2 by ann (because), at once, for everybody")
                .contains("gateway/edge", "current", "3 s", "gone");

        at.says(PolicyStatus.shard(5), 0, 1, 1, "is not believed", 0);
        assertThat(desk.policy("status")).isEqualTo(3);
        assertThat(desk.out()).contains("behind", "    refused it: is not believed");

        desk.cluster().put(TopicCatalogue.POLICY_STATUS, 0, "shard/5".getBytes(StandardCharsets.UTF_8), null);
        assertThat(desk.policy("status", "--output", "json")).isEqualTo(3);
        JsonNode said = JSON.readTree(desk.out());
        assertThat(said.path("allCurrent").asBoolean()).isFalse();
        assertThat(said.path("members").get(5).path("state").asText()).isEqualTo("silent");
    }
}
