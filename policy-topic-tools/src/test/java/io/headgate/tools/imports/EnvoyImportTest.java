package io.headgate.tools.imports;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.schemas.RateLimitDescriptor;
import io.headgate.schemas.RateLimitDescriptor.Entry;
import io.headgate.tools.imports.EnvoyModel.Outcome;
import io.headgate.tools.imports.ImportedPolicy.Remark;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An imported policy beside a model of the service that it was written for. */
class EnvoyImportTest {

    private static final long START_MILLIS = 1_790_000_000_123L;
    private static final Path EXAMPLES = Path.of("src/test/resources/envoy-ratelimit");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example-1",
                "example-2",
                "example-3",
                "example-4",
                "example-4-b",
                "example-5",
                "example-6",
                "example-7",
                "example-8",
                "example-9",
                "example-9-b",
                "example-9-c",
                "example-10",
                "example-10-b",
                "example-11",
                "example-11-b",
                "environment"
            })
    void every_example_of_the_readme_decides_as_the_model_does(String example) throws Exception {
        Path file = EXAMPLES.resolve(example + ".yaml");
        for (int seed = 0; seed < 20; seed++) {
            compare(file, false, seed, 600);
            compare(file, true, seed, 600);
        }
    }

    @Test
    void what_does_not_carry_over_of_the_examples_is_listed() throws Exception {
        assertThat(remarks("example-9"))
                .singleElement()
                .asString()
                .contains("example-9.yaml:4: descriptors[0] does not");
        assertThat(remarks("example-7"))
                .singleElement()
                .asString()
                .contains("rate_limit.replaces[0] does not carry over: 'specific_limit' holds beside this limit");
        assertThat(remarks("example-8")).singleElement().asString().contains("detailed_metric does not carry over");
        assertThat(remarks("example-10")).hasSize(2);
        assertThat(remarks("example-11")).hasSize(2);
        assertThat(remarks("example-2")).isEmpty();
        assertThat(remarks("environment").stream().map(Remark::path))
                .contains("descriptors[5].quota_mode", "descriptors[5].metadata");
    }

    @Test
    void random_configurations_decide_as_the_model_does() throws Exception {
        int limited = 0;
        for (int seed = 0; seed < 300; seed++) {
            Path file = folder.resolve("random-" + seed + ".yaml");
            Files.writeString(file, new RandomConfiguration(new Random(seed)).yaml());
            limited += compare(file, false, seed, 200);
        }
        assertThat(limited).as("requests that were beyond a limit").isGreaterThan(1_000);
    }

    /** There every attempt counts, here a denial debits nothing: so with several hits at once more may pass. */
    @Test
    void a_request_of_several_hits_that_is_denied_leaves_room_for_a_smaller_one() throws Exception {
        Path file = EXAMPLES.resolve("example-2.yaml");
        EnvoyModel model = new EnvoyModel(Files.readString(file));
        ImportedShard shard = new ImportedShard(imported(file).document());
        List<Entry> entries = List.of(new Entry("to_number", "1"));
        RateLimitDescriptor descriptor = new RateLimitDescriptor("messaging", entries);

        assertThat(model.ask(entries, 99, START_MILLIS).denied()).isFalse();
        assertThat(model.ask(entries, 2, START_MILLIS).denied()).isTrue();
        assertThat(model.ask(entries, 1, START_MILLIS).denied()).isTrue();
        assertThat(shard.ask(descriptor, 0, 99, START_MILLIS).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(shard.ask(descriptor, 0, 2, START_MILLIS).verdict()).isEqualTo(Verdict.DENY);
        assertThat(shard.ask(descriptor, 0, 1, START_MILLIS).verdict()).isEqualTo(Verdict.ALLOW);
    }

    private ImportedPolicy imported(Path file) throws Exception {
        return ImportedPolicy.ofEnvoy(List.of(file), Optional.of("test"), false, false);
    }

    private List<Remark> remarks(String example) throws Exception {
        return imported(EXAMPLES.resolve(example + ".yaml")).remarks();
    }

    /** Asks both the same; how many requests were beyond a limit. */
    private int compare(Path file, boolean oneAtATime, int seed, int requests) throws Exception {
        EnvoyModel model = new EnvoyModel(Files.readString(file));
        ImportedPolicy imported = imported(file);
        ImportedShard shard = new ImportedShard(imported.document());
        Random random = new Random(seed);
        EnvoyRequests source = new EnvoyRequests(model.root(), random);
        IdentityHashMap<JsonNode, String> ruleOfNode = new IdentityHashMap<>();
        long nowMillis = START_MILLIS;
        int exceeded = 0;
        List<Entry> entries = source.next();
        for (int i = 0; i < requests; i++) {
            entries = oneAtATime && random.nextInt(60) > 0 ? entries : source.next();
            nowMillis += random.nextInt(20) == 0 ? random.nextLong(1L << random.nextInt(36)) : random.nextInt(20);
            Outcome expected = model.ask(entries, 1, nowMillis);
            if (expected.found().pattern()) {
                continue;
            }
            Decision decision =
                    shard.ask(new RateLimitDescriptor(model.domain(), entries), random.nextInt(3), 1, nowMillis);
            String asked = file + ", seed " + seed + ", request " + i + " " + entries + " at " + nowMillis;
            List<String> rules = ImportedShard.rulesOf(decision);
            assertThat(rules).as(asked).hasSize(expected.found().limited() ? 1 : 0);
            assertThat(decision.verdict()).as(asked).isEqualTo(expected.denied() ? Verdict.DENY : Verdict.ALLOW);
            boolean shadow = expected.exceeded() && !expected.denied();
            assertThat(decision.shadowDenials()).as(asked).isEqualTo(shadow ? rules : List.of());
            expected.found().node().ifPresent(node -> {
                String rule = ruleOfNode.computeIfAbsent(node, unseen -> rules.get(0));
                assertThat(rules.get(0)).as(asked).isEqualTo(rule);
            });
            exceeded += expected.exceeded() ? 1 : 0;
        }
        assertThat(new TreeSet<>(ruleOfNode.values()))
                .as("one rule a descriptor")
                .hasSize(ruleOfNode.size());
        return exceeded;
    }
}
