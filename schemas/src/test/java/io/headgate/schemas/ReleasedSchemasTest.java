package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.schemas.wire.ControlRecord;
import io.headgate.schemas.wire.DeadLetter;
import io.headgate.schemas.wire.DecisionTrace;
import io.headgate.schemas.wire.OperatorAction;
import io.headgate.schemas.wire.PolicySnapshot;
import io.headgate.schemas.wire.PolicyStatus;
import io.headgate.schemas.wire.ReplyBatch;
import io.headgate.schemas.wire.RequestBatch;
import io.headgate.schemas.wire.ShardSettingsRecord;
import io.headgate.schemas.wire.TenantPlanBatch;
import io.headgate.schemas.wire.TenantPlanRecord;
import io.headgate.schemas.wire.ZoneTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.generic.GenericData;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.avro.util.RandomData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every record that a release has ever written can be read, and what is written now can be read by every release. */
class ReleasedSchemasTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int RANDOM_RECORDS = 200;

    static List<Class<? extends SpecificRecordBase>> records() {
        return List.of(
                RequestBatch.class,
                ReplyBatch.class,
                ControlRecord.class,
                ShardSettingsRecord.class,
                PolicySnapshot.class,
                PolicyStatus.class,
                DeadLetter.class,
                TenantPlanRecord.class,
                TenantPlanBatch.class,
                OperatorAction.class,
                ZoneTable.class,
                DecisionTrace.class);
    }

    private static Schema current(Class<?> record) {
        return new SpecificData(record.getClassLoader()).getSchema(record);
    }

    private static List<Schema> released(Class<?> record) {
        return ReleasedSchemas.of(record.getSimpleName());
    }

    @ParameterizedTest
    @MethodSource("records")
    void a_changed_schema_is_released_as_a_new_version(Class<?> record) throws IOException {
        List<Schema> released = released(record);

        assertThat(released).isNotEmpty();
        assertThat(meaning(released.get(released.size() - 1)))
                .as(
                        "%s.avsc differs from %s.v%d.avsc. A released file never changes: add v%d with the new schema",
                        record.getSimpleName(), record.getSimpleName(), released.size(), released.size() + 1)
                .isEqualTo(meaning(current(record)));
    }

    @ParameterizedTest
    @MethodSource("records")
    void every_released_schema_can_be_read_and_can_read_what_is_written_now(Class<?> record) {
        for (Schema released : released(record)) {
            assertCompatible(current(record), released);
            assertCompatible(released, current(record));
        }
    }

    private static void assertCompatible(Schema reader, Schema writer) {
        SchemaCompatibility.SchemaPairCompatibility found =
                SchemaCompatibility.checkReaderWriterCompatibility(reader, writer);

        assertThat(found.getType()).as(found.getDescription()).isEqualTo(SchemaCompatibilityType.COMPATIBLE);
    }

    @ParameterizedTest
    @MethodSource("records")
    void bytes_of_every_released_schema_are_read(Class<? extends SpecificRecordBase> record) throws IOException {
        WireFormat<? extends SpecificRecordBase> format = new WireFormat<>(record);
        for (Schema released : released(record)) {
            BinaryMessageEncoder<Object> encoder = new BinaryMessageEncoder<>(GenericData.get(), released);
            for (Object any : new RandomData(released, RANDOM_RECORDS, 7)) {
                ByteBuffer buffer = encoder.encode(any);
                byte[] bytes = new byte[buffer.remaining()];
                buffer.get(bytes);

                assertThat(format.decode(bytes).getSchema()).isEqualTo(current(record));
            }
        }
    }

    @Test
    void nothing_else_is_released() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/main/resources/io/headgate/schemas/released"))) {
            long expected = records().stream()
                    .mapToLong(record -> released(record).size())
                    .sum();

            assertThat(files)
                    .as("a gap in the numbers hides what comes after it")
                    .hasSize(Math.toIntExact(expected));
        }
    }

    /** The schema without comments and without what only matters to generated code. */
    private static JsonNode meaning(Schema schema) throws IOException {
        JsonNode tree = JSON.readTree(schema.toString());
        simplify(tree);
        return JSON.readTree(tree.toString().replace("{\"type\":\"string\"}", "\"string\""));
    }

    private static void simplify(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            object.remove(List.of("doc", "avro.java.string"));
        }
        tree.forEach(ReleasedSchemasTest::simplify);
    }
}
