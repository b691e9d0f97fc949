package io.headgate.tools.imports;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Desk;
import io.headgate.tools.PolicyFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImportCommandTest {

    private static final String EXAMPLE = "src/test/resources/envoy-ratelimit/example-";

    private final Desk desk = new Desk();

    @TempDir
    Path folder;

    @Test
    void writes_a_policy_that_reads_well() throws Exception {
        int code = envoy(EXAMPLE + "2.yaml");

        assertThat(code).as(desk.err()).isZero();
        assertThat(desk.err()).isEmpty();
        PolicyDocument document = PolicyFile.read("out.yaml", desk.out().getBytes(StandardCharsets.UTF_8));
        assertThat(document.metadata().domain()).isEqualTo("messaging");
        assertThat(desk.out())
                .contains("message_type_marketing.to_number")
                .contains("/messaging/message_type/marketing/to_number/{to_number}")
                .contains("attributes.to_number");
    }

    @Test
    void limits_become_token_buckets_if_asked() throws Exception {
        Path out = folder.resolve("policy.json");

        assertThat(envoy(EXAMPLE + "3.yaml", "--as", "token-bucket", "--out", out.toString(), "--domain", "edge"))
                .as(desk.err())
                .isZero();

        PolicyDocument document = PolicyFile.read(out);
        assertThat(document.metadata().domain()).isEqualTo("edge");
        assertThat(document.policy().rule("remote_address").orElseThrow().limit())
                .isInstanceOf(TokenBucketLimit.class);
        assertThat(document.policy()
                        .rule("remote_address_50.0.0.5")
                        .orElseThrow()
                        .limit()
                        .tokens())
                .isZero();
        assertThat(envoy(EXAMPLE + "3.yaml", "--out", out.toString())).isEqualTo(1);
        assertThat(desk.err()).contains(out + ": exists already");
    }

    @Test
    void remarks_come_as_json_if_asked_and_strict_refuses_them() throws Exception {
        assertThat(envoy(EXAMPLE + "9.yaml", "--output", "json")).isZero();
        JsonNode report = new ObjectMapper().readTree(desk.err());
        assertThat(report.path("domain").asText()).isEqualTo("example9");
        assertThat(report.path("remarks").get(0).path("line").asInt()).isEqualTo(4);

        assertThat(envoy(EXAMPLE + "9.yaml", "--strict")).isEqualTo(1);
        assertThat(desk.out()).isEmpty();
        assertThat(desk.err()).contains("1 things do not carry over; nothing is written");
    }

    @Test
    void several_domains_need_a_name_and_keep_apart() throws Exception {
        assertThat(envoy(EXAMPLE + "1.yaml", EXAMPLE + "2.yaml")).isEqualTo(1);
        assertThat(desk.err()).contains("say with --domain");

        assertThat(envoy(EXAMPLE + "1.yaml", EXAMPLE + "2.yaml", "--domain", "all"))
                .as(desk.err())
                .isZero();
        assertThat(desk.out()).contains("mongo_cps.database_users").contains("messaging.to_number");
    }

    @Test
    void all_mistakes_are_told_at_once_with_their_lines() throws Exception {
        String file = file("""
                domain: d
                extra: 1
                descriptors:
                  - key: a
                    rate_limit: {unit: fortnight, requests_per_unit: 1}
                  - key: a
                    rate_limit: {unit: second, requests_per_unit: -1}
                  - value: x
                  - key: b
                    value: c
                    share_threshold: true
                    rate_limit: {unit: second, unlimited: true}
                  - key: c
                    key: c
                    shadow_mode: 1
                    rate_limit: {unit: day, requests_per_unit: 4294967296, name: n, replaces: [{name: n}, {name: ""}]}
                  - just text
                """);

        assertThat(envoy(file)).isEqualTo(1);

        assertThat(desk.err().lines().map(line -> line.substring(file.length())))
                .anyMatch(line -> line.startsWith(":2: extra is not a field of the format"))
                .anyMatch(line ->
                        line.startsWith(":5: descriptors[0].rate_limit.unit is 'fortnight'; it must be one of [second"))
                .anyMatch(line -> line.startsWith(":6: descriptors[1] is looked up as 'a', as the one in line 4"))
                .anyMatch(line -> line.startsWith(":7: descriptors[1].rate_limit.requests_per_unit is '-1'"))
                .anyMatch(line -> line.startsWith(":8: descriptors[2].key is missing"))
                .anyMatch(line -> line.startsWith(":11: descriptors[3].share_threshold is true; it needs"))
                .anyMatch(line -> line.startsWith(":12: descriptors[3].rate_limit.unit is there beside unlimited"))
                .anyMatch(line -> line.startsWith(":14: descriptors[4].key stands twice, first in line 13"))
                .anyMatch(line -> line.startsWith(":15: descriptors[4].shadow_mode is '1'; it must be true or false"))
                .anyMatch(line -> line.startsWith(":16: descriptors[4].rate_limit.requests_per_unit is '4294967296'"))
                .anyMatch(line -> line.contains("replaces[0] is 'n', the limit's own name"))
                .anyMatch(line -> line.contains("replaces[1].name is missing or empty"))
                .anyMatch(line -> line.startsWith(":17: descriptors[5] is 'just text'; it must be an object"));
    }

    @Test
    void hostile_files_are_refused_with_a_reason() throws Exception {
        assertThat(refused("")).contains("is empty");
        assertThat(refused("domain: d\n---\ndomain: e\n")).contains(":3: begins another document");
        assertThat(refused("domain: &x d\ndescriptors: [{key: *x}]\n")).contains(":2: has the alias *x");
        assertThat(refused("domain: d\n\tdescriptors: []\n")).contains(":2: is not YAML");
        assertThat(refused("domain: d\ndescriptors: " + "[".repeat(1_000))).contains("is not YAML");
        assertThat(refused("descriptors: []\n")).contains("domain is missing or empty");
        assertThat(refused("domain: 'ip:1'\n")).contains("cannot be a tenant");
        assertThat(refused("[]")).contains("document is a list; it must be an object");
        Path binary = folder.resolve("binary.yaml");
        Files.write(binary, new byte[] {'a', ':', (byte) 0xff});
        assertThat(envoy(binary.toString())).isEqualTo(1);
        assertThat(desk.err()).contains("is not UTF-8");
        Files.write(binary, new byte[YamlFile.MAX_BYTES + 1]);
        assertThat(envoy(binary.toString(), folder.resolve("nowhere").toString()))
                .isEqualTo(1);
        assertThat(desk.err())
                .contains("has more than 4194304 bytes")
                .contains("nowhere: cannot be read: does not exist");
    }

    @Test
    void bounds_of_the_format_are_told_where_they_are_passed() throws Exception {
        StringBuilder deep = new StringBuilder("domain: d\n");
        for (int i = 0; i < 12; i++) {
            deep.append("    ".repeat(i))
                    .append("descriptors:\n")
                    .append("    ".repeat(i))
                    .append("  - key: k\n");
            deep.append("    ".repeat(i)).append("    rate_limit: {unit: day, requests_per_unit: 1}\n");
        }
        assertThat(envoy(file(deep.toString()))).as(desk.err()).isZero();
        assertThat(desk.err().lines()).hasSize(4).allMatch(line -> line.contains("a rule counts by at most 8"));

        StringBuilder wide = new StringBuilder("domain: d\ndescriptors:\n");
        for (int i = 0; i <= 1_000; i++) {
            wide.append("  - {key: k, value: v").append(i).append(", rate_limit: {unit: day, requests_per_unit: 1}}\n");
        }
        assertThat(envoy(file(wide.toString()))).isEqualTo(1);
        assertThat(desk.err()).contains("there are 1001 limits to import; a policy may have 1000 rules");
    }

    private String refused(String yaml) throws IOException {
        assertThat(envoy(file(yaml))).isEqualTo(1);
        return desk.err();
    }

    private String file(String yaml) throws IOException {
        return Files.writeString(folder.resolve("limits.yaml"), yaml).toString();
    }

    private int envoy(String... args) {
        String[] all = new String[args.length + 3];
        System.arraycopy(new String[] {"policy", "import", "envoy-ratelimit"}, 0, all, 0, 3);
        System.arraycopy(args, 0, all, 3, args.length);
        return desk.run(all);
    }
}
