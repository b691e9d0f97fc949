package io.headgate.tools.imports;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.schemas.RateLimitDescriptor;
import io.headgate.schemas.RateLimitDescriptor.Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LimitadorImportTest {

    private static final List<String> KEYS = List.of("req.method", "user_id", "plan");
    private static final List<String> VALUES = List.of("GET", "POST", "", "%", "gold");

    @TempDir
    Path folder;

    /** A limit as the model knows it. */
    private record Limit(Map<String, String> conditions, List<String> variables, long maxValue, long seconds) {

        boolean applies(Map<String, String> entries) {
            return entries.entrySet().containsAll(conditions.entrySet())
                    && entries.keySet().containsAll(variables);
        }

        String counter(Map<String, String> entries, long nowMillis) {
            return System.identityHashCode(this) + "@" + nowMillis / (seconds * 1_000)
                    + variables.stream().map(entries::get).toList();
        }
    }

    @Test
    void random_limits_decide_as_the_model_does() throws Exception {
        int denied = 0;
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            List<Limit> limits = new ArrayList<>();
            StringBuilder yaml = new StringBuilder();
            for (int i = 0; i < 4; i++) {
                limits.add(limit(random, i, yaml));
            }
            Path file = Files.writeString(folder.resolve(seed + ".yaml"), yaml);
            ImportedPolicy imported = ImportedPolicy.ofLimitador(List.of(file), Optional.empty(), false);
            assertThat(imported.remarks()).isEmpty();
            denied += compare(limits, new ImportedShard(imported.document()), random, "seed " + seed + "\n" + yaml);
        }
        assertThat(denied).isGreaterThan(1_000);
    }

    private static Limit limit(Random random, int number, StringBuilder yaml) {
        Map<String, String> conditions = new HashMap<>();
        List<String> variables = new ArrayList<>();
        yaml.append("- namespace: \"ns /1\"\n  name: limit-").append(number).append("\n  conditions: [");
        for (String key : KEYS) {
            if (random.nextInt(3) == 0) {
                String value = VALUES.get(random.nextInt(VALUES.size()));
                conditions.put(key, value);
                yaml.append("\"descriptors[0]['")
                        .append(key)
                        .append("'] == '")
                        .append(value)
                        .append("'\",");
            }
        }
        yaml.append("]\n  variables: [");
        for (String key : KEYS) {
            if (random.nextInt(3) == 0) {
                variables.add(key);
                yaml.append("\"descriptors[0]['").append(key).append("']\",");
            }
        }
        Limit limit = new Limit(conditions, variables, random.nextInt(5), 10 + number);
        yaml.append("]\n  max_value: ")
                .append(limit.maxValue())
                .append("\n  seconds: ")
                .append(limit.seconds());
        yaml.append('\n');
        return limit;
    }

    private static int compare(List<Limit> limits, ImportedShard shard, Random random, String about) {
        Map<String, Long> counters = new HashMap<>();
        long nowMillis = 1_790_000_000_000L;
        int denied = 0;
        for (int i = 0; i < 100; i++) {
            nowMillis += random.nextInt(2_000);
            Map<String, String> entries = new HashMap<>();
            KEYS.stream()
                    .filter(key -> random.nextInt(4) > 0)
                    .forEach(key -> entries.put(key, VALUES.get(random.nextInt(VALUES.size()))));
            entries.put("always", "there");
            long now = nowMillis;
            List<Limit> applying =
                    limits.stream().filter(limit -> limit.applies(entries)).toList();
            boolean admitted = applying.stream()
                    .allMatch(limit -> counters.getOrDefault(limit.counter(entries, now), 0L) < limit.maxValue());
            if (admitted) {
                applying.forEach(limit -> counters.merge(limit.counter(entries, now), 1L, Long::sum));
            }
            List<Entry> asked = entries.entrySet().stream()
                    .map(entry -> new Entry(entry.getKey(), entry.getValue()))
                    .toList();
            Decision decision = shard.ask(new RateLimitDescriptor("ns /1", asked), 0, 1, nowMillis);
            assertThat(decision.verdict())
                    .as(about + ", request " + i + " " + entries)
                    .isEqualTo(admitted ? Verdict.ALLOW : Verdict.DENY);
            assertThat(ImportedShard.rulesOf(decision)).hasSize(applying.size());
            denied += admitted ? 0 : 1;
        }
        return denied;
    }

    @Test
    void the_forms_of_all_versions_are_understood() {
        assertThat(LimitadorExpression.condition("descriptors[0].method == 'GET'"))
                .contains(new LimitadorExpression(0, "method", "GET", false));
        assertThat(LimitadorExpression.condition("descriptors[12]['req.method']==\"it's\""))
                .contains(new LimitadorExpression(12, "req.method", "it's", false));
        assertThat(LimitadorExpression.condition("'GET' == descriptors[0].method"))
                .contains(new LimitadorExpression(0, "method", "GET", false));
        assertThat(LimitadorExpression.condition("method == 'GET'"))
                .contains(new LimitadorExpression(0, "method", "GET", true));
        assertThat(LimitadorExpression.condition("req.method == GET"))
                .contains(new LimitadorExpression(0, "req.method", "GET", true));
        assertThat(LimitadorExpression.variable("descriptors[0].user_id"))
                .contains(new LimitadorExpression(0, "user_id", "", false));
        for (String other : List.of(
                "descriptors[0].method != 'GET'",
                "descriptors[0].path.startsWith('/a')",
                "a == 'b' || c == 'd'",
                "a == 'b\\n'",
                "descriptors[0].a == descriptors[0].b",
                "limit.name == null || a == b",
                "true",
                "")) {
            assertThat(LimitadorExpression.condition(other)).as(other).isEmpty();
        }
        assertThat(LimitadorExpression.variable("int(x) * 3")).isEmpty();
    }

    @Test
    void what_no_rule_can_say_is_listed_and_not_limited() throws Exception {
        Path file = Files.writeString(folder.resolve("limits.yaml"), """
                - {namespace: n, max_value: 1, seconds: 60, conditions: ["descriptors[0].a != 'b'"], variables: []}
                - {namespace: n, max_value: 1, seconds: 60, conditions: ["descriptors[0].a == 'b'"], variables: ["descriptors[1].c"]}
                - {namespace: n, max_value: 1, seconds: 60, conditions: ["a == 'b'"], variables: [size(a)]}
                - {namespace: n, max_value: 1, seconds: 60, conditions: ["a == 'b'"], variables: [], id: x}
                - {namespace: n, max_value: 1, seconds: 60, conditions: ["descriptors[0]['a b'] == 'b'"], variables: []}
                """);

        ImportedPolicy imported = ImportedPolicy.ofLimitador(List.of(file), Optional.empty(), true);

        assertThat(imported.document().policy().rules()).hasSize(1);
        assertThat(imported.remarks().stream().map(remark -> remark.line() + " " + remark.path()))
                .containsExactlyInAnyOrder("1 [0]", "2 [1]", "3 [2]", "3 [2]", "4 [3]", "4 [3].id", "5 [4]");
    }
}
