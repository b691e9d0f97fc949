package io.headgate.schemas.policy;

import static io.headgate.schemas.policy.Documents.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.InvalidPolicyException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The schemas take every document that a reader takes; what they must refuse is tested with the broken policies. */
class DocumentSchemaTest {

    private static final List<String> ODD = List.of(
            "headgate.x",
            "a b",
            "\ud800",
            "1s",
            "10%",
            "150%",
            "gcra",
            "global",
            "ip",
            "concurrency",
            "2027-01-15T08:00:00Z",
            "Mars/Olympus",
            "tenant",
            "local-bounded",
            "calendar",
            "R0");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Schema POLICY = schema(DocumentSchema.policy.text());
    private static final Schema TENANTS = schema(DocumentSchema.tenants.text());

    @ParameterizedTest
    @EnumSource(DocumentSchema.class)
    void a_schema_is_one(DocumentSchema kind) throws IOException {
        JsonNode tree = JSON.readTree(kind.text());
        Schema meta = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(SchemaLocation.of(tree.get("$schema").asText()));

        assertThat(meta.validate(tree)).isEmpty();
    }

    @Test
    void takes_every_policy_that_a_reader_takes() {
        for (int seed = 1; seed <= 1_000; seed++) {
            Random random = new Random(seed);
            ObjectNode document = RandomPolicies.document(random, new ArrayList<>());

            assertThat(PolicyDocument.of(document).policy()).isNotNull();
            assertThat(POLICY.validate(document))
                    .as("seed %d: %s", seed, document)
                    .isEmpty();
        }
    }

    /** Whatever stands in a field, a reader takes the document or names what is wrong; and what it takes a schema takes. */
    @Test
    void a_damaged_document_is_refused_with_its_mistakes_or_taken_by_both() {
        int taken = 0;
        for (int seed = 1; seed <= 5_000; seed++) {
            Random random = new Random(seed);
            ObjectNode document = RandomPolicies.document(random, new ArrayList<>());
            for (int i = random.nextInt(3); i >= 0; i--) {
                damage(document, random);
            }
            try {
                assertThat(PolicyDocument.of(document).policy()).isNotNull();
                taken++;
                assertThat(POLICY.validate(document))
                        .as("seed %d: %s", seed, document)
                        .isEmpty();
            } catch (InvalidPolicyException refused) {
                assertThat(refused.problems()).as("seed %d", seed).isNotEmpty();
            } catch (RuntimeException escaped) {
                throw new AssertionError("seed " + seed + ": " + document, escaped);
            }
        }
        assertThat(taken).isBetween(100, 4_000);
    }

    private static void damage(JsonNode node, Random random) {
        List<JsonNode> values = new ArrayList<>(List.of(
                JSON.nullNode(),
                JSON.getNodeFactory().textNode(""),
                JSON.getNodeFactory().textNode(ODD.get(random.nextInt(ODD.size()))),
                JSON.getNodeFactory().numberNode(random.nextInt(5) - 1),
                JSON.getNodeFactory().numberNode(Long.MAX_VALUE),
                JSON.getNodeFactory().numberNode(0.5),
                JSON.getNodeFactory().booleanNode(random.nextBoolean()),
                JSON.createArrayNode(),
                JSON.createObjectNode()));
        JsonNode value = values.get(random.nextInt(values.size()));
        if (node instanceof ObjectNode object) {
            List<String> names = new ArrayList<>();
            object.fieldNames().forEachRemaining(names::add);
            if (names.isEmpty() || random.nextInt(20) == 0) {
                object.set("x" + random.nextInt(3), value);
                return;
            }
            String name = names.get(random.nextInt(names.size()));
            if (random.nextInt(4) == 0) {
                object.set(name, value);
            } else if (random.nextInt(12) == 0) {
                object.remove(name);
            } else {
                damage(object.get(name), random);
            }
        } else if (node instanceof ArrayNode array && !array.isEmpty()) {
            int at = random.nextInt(array.size());
            if (random.nextInt(4) == 0) {
                array.set(at, value);
            } else {
                damage(array.get(at), random);
            }
        }
    }

    @Test
    void takes_the_canonical_form_of_every_policy() throws IOException {
        for (int seed = 1; seed <= 200; seed++) {
            ObjectNode document = RandomPolicies.document(new Random(seed), new ArrayList<>());
            byte[] canonical = PolicyDocument.of(document).canonicalBytes();

            assertThat(POLICY.validate(JSON.readTree(canonical)))
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @Test
    void takes_all_tenants_that_a_reader_takes() {
        for (int seed = 1; seed <= 500; seed++) {
            Random random = new Random(seed);
            SortedMap<String, Limit> overrides = new TreeMap<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                overrides.put("R" + i, RandomPolicies.limit(random));
            }
            TenantPlan plan = new TenantPlan(
                    "big corp " + seed,
                    RandomPolicies.any(List.of(TenantPlan.Status.ACTIVE, TenantPlan.Status.SUSPENDED), random),
                    "gold",
                    random.nextBoolean(),
                    random.nextBoolean() ? Optional.of("Europe/Zurich") : Optional.empty(),
                    random.nextBoolean() ? Optional.of("eu") : Optional.empty(),
                    overrides);
            ObjectNode document = TenantPlansDocument.written(List.of(plan));

            assertThat(TenantPlansDocument.of(document, Optional.empty())).containsExactly(plan);
            assertThat(TENANTS.validate(document))
                    .as("seed %d: %s", seed, document)
                    .isEmpty();
        }
    }

    @Test
    void refuses_tenants_that_a_reader_refuses() throws IOException {
        for (String tenant : List.of(
                "{'plan':7}",
                "{'plan':'a b'}",
                "{'status':'gone'}",
                "{'zone':'+01:00'}",
                "{'limit':{}}",
                "{'overrides':{'R':{'unlimited':false}}}",
                "{'overrides':{'R':{'algorithm':'gcra'}}}",
                "{'overrides':{'R':{'algorithm':'fixed-window','limit':{'requests':1}}}}",
                "{'overrides':{'R':{'algorithm':'fixed-window','limit':{'requests':-1,'per':'1s'}}}}",
                "{'overrides':{'R':{'algorithm':'unlimited','limit':{'requests':1,'per':'1s'}}}}")) {
            JsonNode document = JSON.readTree(
                    json("{'apiVersion':'headgate.io/v1','kind':'TenantPlans','tenants':{'atlas':" + tenant + "}}"));

            assertThat(TENANTS.validate(document)).as(tenant).isNotEmpty();
            assertThat(Documents.problems(() -> TenantPlansDocument.of(document, Optional.empty())))
                    .as(tenant)
                    .isNotEmpty();
        }
    }

    /** A field that a reader knows and a schema does not would be underlined in an editor for no reason. */
    @Test
    void knows_the_same_fields_as_a_reader() throws IOException {
        JsonNode definitions = JSON.readTree(DocumentSchema.policy.text()).get("$defs");

        assertThat(fields(definitions.get("spec"))).isEqualTo(fieldsOfReader("'domain':'d','rules':[],'?':1", "spec."));
        Set<String> ofRule = fieldsOfReader(
                "'domain':'d','rules':[{'id':'R','stage':'ip','algorithm':'unlimited','?':1}]", "spec.rules[0].");
        ofRule.remove("global"); // which it knows only to say that it is not supported
        assertThat(fields(definitions.get("rule"))).isEqualTo(ofRule);
    }

    private static Set<String> fields(JsonNode definition) {
        Set<String> names = new TreeSet<>();
        definition.get("properties").fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static Set<String> fieldsOfReader(String spec, String place) {
        String problem = Documents.problems(() -> Documents.parse(Documents.document("'name':'n','version':1", spec)))
                .get(0);
        assertThat(problem).startsWith(place);
        String list = problem.substring(problem.lastIndexOf('[') + 1, problem.lastIndexOf(']'));
        return new TreeSet<>(List.of(list.split(", ")));
    }

    private static Schema schema(String text) {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(text, InputFormat.JSON);
    }
}
