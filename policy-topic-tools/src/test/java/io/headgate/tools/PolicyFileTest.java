package io.headgate.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.policy.PlanReview;
import io.headgate.schemas.policy.PolicyDocument;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyFileTest {

    private static final String GOOD = """
            apiVersion: headgate.io/v1
            kind: PolicySnapshot
            metadata: {name: n, version: 1}
            spec:
              domain: d
              rules:
                - id: R
                  stage: ip
                  algorithm: fixed-window
                  limit: {requests: 20, per: 10s}
            """;

    @TempDir
    Path folder;

    @Test
    void reads_the_northstar_example() throws PolicyFileException {
        PolicyDocument document = PolicyFile.northstar();

        Policy policy = document.policy();
        assertThat(policy.version()).isEqualTo(43);
        assertThat(policy.rules())
                .extracting(Rule::id)
                .containsExactly("P-ANON", "P-LOGIN", "P-READ", "P-TENANT", "P-EXPORT.rate", "P-READ-TIGHT");
        assertThat(policy.plans()).containsExactly("enterprise", "standard");
        assertThat(policy.rules(Stage.TENANT).get(0).limit()).isEqualTo(new FixedWindowLimit(60, 60_000));
        assertThat(policy.rules(Stage.TENANT).get(0).byPlan())
                .isEqualTo(Map.of(
                        "standard", new FixedWindowLimit(300, 60_000),
                        "enterprise", new FixedWindowLimit(1_000, 60_000)));
        assertThat(policy.idempotency()).isEqualTo(new Idempotency(60_000, 100_000));
        assertThat(policy.rules(Stage.TENANT).get(0).cost()).isEqualTo(new Cost.FromRoute());
        assertThat(policy.rules().get(5).shadow()).isTrue();
        assertThat(policy.routes().costOf(Optional.of("report-export"))).isEqualTo(10);
        assertThat(PolicyFile.read(Path.of("examples/northstar.policy.yaml")).contentHash())
                .isEqualTo(document.contentHash());
    }

    @Test
    void refuses_of_the_whole_northstar_policy_only_what_is_not_there_yet() throws IOException {
        byte[] draft = Files.readAllBytes(Path.of("src/test/resources/northstar.draft.policy.yaml"));

        assertThat(message("draft.yaml", draft).lines())
                .hasSize(4)
                .allMatch(line -> line.contains(" is not supported by this version: "));
    }

    @Test
    void reads_the_tenants_of_the_example() throws PolicyFileException {
        Policy policy = PolicyFile.northstar().policy();

        List<TenantPlan> tenants = TenantsFile.read(Path.of("examples/tenants.yaml"), Optional.of(policy));

        assertThat(tenants).extracting(TenantPlan::tenant).containsExactly("atlas", "birch", "cedar");
        assertThat(tenants.get(1).overrides())
                .isEqualTo(Map.of("P-EXPORT.rate", new TokenBucketLimit(40, 4, 1_000), "P-READ", new Unlimited()));
        assertThat(tenants).allMatch(plan -> PlanReview.of(plan, policy).isEmpty());
    }

    @Test
    void reads_json_by_the_name_of_the_file() throws IOException, PolicyFileException {
        byte[] canonical = PolicyFile.northstar().canonicalBytes();
        Path file = Files.write(folder.resolve("northstar.JSON"), canonical);

        assertThat(PolicyFile.read(file).canonicalBytes()).isEqualTo(canonical);
    }

    @Test
    void reads_yaml_as_windows_editors_write_it() throws PolicyFileException {
        String windows = "\ufeff" + GOOD.replace("\n", "\r\n");

        assertThat(read(windows).contentHash()).isEqualTo(read(GOOD).contentHash());
    }

    @Test
    void names_the_file_in_every_line_about_what_the_document_says() {
        assertThat(message(GOOD.replace("20, per: 10s", "0x14, per: 10")))
                .isEqualTo(
                        "p.yaml:10: spec.rules[0].limit.requests is 0x14; it must be an integer of 0 to 1000000000000\n"
                                + "p.yaml:10: spec.rules[0].limit.per is 10; it must be a duration: a positive integer with ms, s, m,"
                                + " h or d, such as 10s");
        assertThat(message(GOOD.replace("domain: d", "domain: d\n  domain: e")))
                .isEqualTo("p.yaml:5: spec.domain stands twice, again in line 6; a field may stand once");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "024",
                "1_000",
                "+20",
                "0b11",
                "20.0",
                "2e1",
                ".5",
                ".nan",
                "yes",
                "~",
                "'20'",
                "!!str 20",
                "!!binary aGk="
            })
    void takes_nothing_but_a_plain_decimal_integer(String written) {
        assertThat(message(GOOD.replace("requests: 20", "requests: " + written)))
                .startsWith("p.yaml:10: spec.rules[0].limit.requests is ")
                .endsWith("; it must be an integer of 0 to 1000000000000");
    }

    @Test
    void names_the_line_of_a_syntax_error() {
        assertThat(message("a: 1\n\tb: 2\n"))
                .startsWith("p.yaml:2: is not YAML: found character '\\t(TAB)' that cannot start any token.");
        assertThat(message("a:\n  b: 'x\n"))
                .isEqualTo(
                        "p.yaml:3: is not YAML: found unexpected end of stream (while scanning a quoted scalar that begins in"
                                + " line 2)");
        assertThat(message("a: 1\nb: \u0007\n"))
                .isEqualTo("p.yaml:2: has the character U+0007, which YAML does not allow");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "# nothing\n"})
    void says_that_a_file_is_empty(String text) {
        assertThat(message(text)).isEqualTo("p.yaml: is empty; it must hold a document");
    }

    @Test
    void refuses_a_second_document() {
        assertThat(message(GOOD + "---\n" + GOOD))
                .isEqualTo("p.yaml:12: begins another document; there must be one alone");
    }

    @Test
    void refuses_an_alias_before_it_stands_for_anything() {
        assertThat(message("a: &x [1]\nb: *x\n"))
                .isEqualTo("p.yaml:2: has the alias *x; aliases are not allowed, write it out");
        assertThat(message("a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n"))
                .isEqualTo("p.yaml:2: has the alias *a; aliases are not allowed, write it out");
    }

    @Test
    void refuses_bytes_that_are_not_utf_8() {
        byte[] latin = "a: 1\nb: é\n".getBytes(StandardCharsets.ISO_8859_1);

        assertThat(message("p.yaml", latin)).isEqualTo("p.yaml:2: is not UTF-8; save the file in that encoding");
    }

    @Test
    void refuses_what_is_too_long_or_too_deep() throws PolicyFileException {
        String full = GOOD + "#".repeat(PolicyDocument.MAX_BYTES - GOOD.length());

        assertThat(read(full).policy().rules()).hasSize(1);
        assertThat(message(full + "#")).isEqualTo("p.yaml: has more than 524288 bytes, which a document may have");
        assertThat(message("[".repeat(33))).contains("nesting depth (33)");
        assertThat(message("[".repeat(500_000))).contains("nesting depth (33)");
        assertThat(message("- ".repeat(250_000))).contains("nesting depth (33)");
    }

    @Test
    void says_what_is_wrong_with_a_file_that_cannot_be_opened() {
        Path gone = folder.resolve("gone.yaml");

        assertThat(catchThrowableOfType(PolicyFileException.class, () -> PolicyFile.read(gone)))
                .hasMessage(gone + ": does not exist");
        assertThat(catchThrowableOfType(PolicyFileException.class, () -> PolicyFile.read(folder)))
                .hasMessageStartingWith(folder + ": cannot be read: ");
    }

    @Test
    void answers_any_damage_with_a_message_that_names_the_file() throws PolicyFileException {
        byte[] good = PolicyFile.northstar().canonicalBytes();
        for (int seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            byte[] bad = (seed % 2 == 0 ? GOOD.getBytes(StandardCharsets.UTF_8) : good).clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                bad[random.nextInt(bad.length)] =
                        (byte) "\t\n :{}[]&*!|>'\"%@`,?-#0x.e\u0001".charAt(random.nextInt(27));
            }
            for (String name : new String[] {"p.yaml", "p.json"}) {
                try {
                    PolicyFile.read(name, bad);
                } catch (PolicyFileException e) {
                    assertThat(e.getMessage().lines())
                            .as("seed %d", seed)
                            .allMatch(line -> line.startsWith(name + ":"));
                }
            }
        }
    }

    private static PolicyDocument read(String yaml) throws PolicyFileException {
        return PolicyFile.read("p.yaml", yaml.getBytes(StandardCharsets.UTF_8));
    }

    private static String message(String yaml) {
        return message("p.yaml", yaml.getBytes(StandardCharsets.UTF_8));
    }

    private static String message(String name, byte[] content) {
        return catchThrowableOfType(PolicyFileException.class, () -> PolicyFile.read(name, content))
                .getMessage();
    }
}
