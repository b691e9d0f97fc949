package io.headgate.tools.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.headgate.schemas.policy.DocumentSchema;
import io.headgate.tools.Desk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Policies that are broken, each in a way of its own, and what their author is told. The answer to {@code NN-name.yaml}
 * stands in {@code NN-name.txt}; after a change on purpose, run this test with {@code -Dheadgate.golden=write} and read
 * the differences.
 */
class BrokenPoliciesTest {

    private static final Path FOLDER = Path.of("src/test/resources/broken");
    private static final boolean WRITE = "write".equals(System.getProperty("headgate.golden"));

    /** What is wrong with these is known only to whoever compares fields, counts exactly or reads the text itself. */
    private static final Set<String> BEYOND_A_SCHEMA = Set.of(
            "cost-above-capacity",
            "cost-above-limit-of-a-plan",
            "cost-of-endpoint-above-limit",
            "effective-on-no-day",
            "fallback-above-limit",
            "fallback-above-smallest-plan",
            "fallback-faster-than-limit",
            "no-plans-at-all",
            "octal-hexadecimal-and-underscores",
            "plan-quantity-that-does-not-exist",
            "refill-zero-without-reason",
            "route-groups-that-do-not-exist",
            "soft-beyond-counting",
            "supersedes-itself",
            "two-documents",
            "two-routes-for-one-request",
            "two-rules-of-one-id",
            "yes-and-no");

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("files")
    void every_broken_policy_is_refused_with_an_answer_that_its_author_can_act_on(String name) throws IOException {
        Path golden = FOLDER.resolve(name.replaceAll("\\.(yaml|json)$", ".txt"));
        Desk desk = new Desk();

        int exitCode = desk.run("policy", "validate", FOLDER.resolve(name).toString());

        String answer = desk.err().replace(FOLDER + "/", "");
        if (WRITE) {
            Files.writeString(golden, answer);
        }
        assertThat(exitCode).as(answer).isEqualTo(1);
        assertThat(desk.out()).isEmpty();
        assertThat(answer.lines()).isNotEmpty().allMatch(line -> line.startsWith(name + ":"));
        assertThat(answer).isEqualTo(Files.readString(golden));
    }

    @Test
    void there_are_more_than_forty_of_them() {
        assertThat(files()).hasSizeGreaterThan(40);
    }

    @Test
    void no_answer_is_without_its_question() throws IOException {
        Set<String> answered = new TreeSet<>();
        files().forEach(name -> answered.add(name.replaceAll("\\.(yaml|json)$", ".txt")));
        try (Stream<Path> all = Files.list(FOLDER)) {
            assertThat(all.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".txt")))
                    .containsExactlyInAnyOrderElementsOf(answered);
        }
    }

    @Test
    void a_schema_refuses_every_one_that_is_broken_in_a_way_that_a_schema_can_know() {
        Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(DocumentSchema.policy.text(), InputFormat.JSON);
        Set<String> passed = new TreeSet<>();
        files().forEach(name -> {
            try {
                JsonNode tree = mapper(name).readTree(Files.readAllBytes(FOLDER.resolve(name)));
                if (!tree.isMissingNode() && schema.validate(tree).isEmpty()) {
                    passed.add(name.replaceAll("^[0-9]+-|\\.[a-z]+$", ""));
                }
            } catch (IOException noTree) {
                assertThat(noTree).isNotNull(); // an editor says so without a schema
            }
        });

        assertThat(passed).isEqualTo(BEYOND_A_SCHEMA);
    }

    @Test
    void ten_megabytes_are_refused_before_they_are_read() throws IOException {
        byte[] large = new byte[10 * 1024 * 1024];
        Arrays.fill(large, (byte) 'x');
        Path file = Files.write(folder.resolve("large.yaml"), large);
        Desk desk = new Desk();

        assertThat(desk.run("policy", "validate", file.toString())).isEqualTo(1);
        assertThat(desk.err())
                .isEqualTo(file + ": has more than 524288 bytes, which a document may have" + System.lineSeparator());
    }

    static List<String> files() {
        try (Stream<Path> all = Files.list(FOLDER)) {
            return all.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".txt"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectMapper mapper(String name) {
        return name.endsWith(".json") ? new ObjectMapper() : new ObjectMapper(new YAMLFactory());
    }
}
