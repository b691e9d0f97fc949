package io.headgate.schemas.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.limit.Bounds;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Conduct;
import io.headgate.core.policy.FailMode;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Route;
import io.headgate.core.policy.RouteTable;
import io.headgate.core.policy.Rule;
import io.headgate.schemas.policy.PolicyDocument.Metadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The document format headgate.io/v1, {@code docs/policy-format.md}. What cannot be read is noted and replaced by
 * something harmless, so that the checks of the whole policy still run over the rest.
 */
final class PolicyFormat {

    static final int LONGEST_OWNER = 256;
    static final int LONGEST_REASON = 1_024;

    /** How many keys a rule remembers in one shard if the document does not say. */
    static final long DEFAULT_BUCKETS_PER_RULE_AND_SHARD = 1_000_000;

    static final String API_VERSION = "headgate.io/v1";
    private static final String KIND = "PolicySnapshot";
    private static final String CARDINALITY = "cardinality";
    private static final String BUCKETS = "bucketsPerRuleAndShard";
    private static final String IDEMPOTENCY = "idempotency";
    private static final String RETENTION = "retention";
    private static final String KEYS = "keysPerTenant";

    /** {@link Idempotency#DEFAULT}, as a document writes it. */
    private static final String DEFAULT_RETENTION = "60s";

    private final Problems problems;

    private PolicyFormat(Problems problems) {
        this.problems = problems;
    }

    /** What a document says. */
    record Content(Metadata metadata, Policy policy) {}

    /** The content, if the whole document is there; it is worth something only if no problem was noted. */
    static Optional<Content> read(Section document, Problems problems) {
        return new PolicyFormat(problems).read(document);
    }

    private Optional<Content> read(Section document) {
        document.requiredChoice("apiVersion", Map.of(API_VERSION, API_VERSION), Map.of());
        document.requiredChoice("kind", Map.of(KIND, KIND), Map.of());
        Optional<Section> head = document.requiredSection("metadata");
        Optional<Section> spec = document.requiredSection("spec");
        document.close();

        String domain = spec.flatMap(body -> body.requiredName("domain")).orElse("");
        Metadata metadata = head.map(section -> readMetadata(section, domain))
                .orElse(new Metadata("", domain, 1, OptionalLong.empty(), "", "", ""));
        return spec.flatMap(body -> readSpec(body, metadata)).map(policy -> new Content(metadata, policy));
    }

    /**
     * The document with the defaults of its cardinality and its idempotency written out: a number that decides is in the
     * record, so that a later release with another default reads the same policy. So are those of the gateways' conduct,
     * where a document speaks of it at all.
     */
    static JsonNode withDefaultsWritten(JsonNode document) {
        ObjectNode written = document.deepCopy();
        ObjectNode spec = written.withObjectProperty("spec");
        ObjectNode cardinality = spec.withObjectProperty(CARDINALITY);
        if (!cardinality.has(BUCKETS)) {
            cardinality.put(BUCKETS, DEFAULT_BUCKETS_PER_RULE_AND_SHARD);
        }
        ObjectNode idempotency = spec.withObjectProperty(IDEMPOTENCY);
        if (!idempotency.has(RETENTION)) {
            idempotency.put(RETENTION, DEFAULT_RETENTION);
        }
        if (!idempotency.has(KEYS)) {
            idempotency.put(KEYS, Idempotency.DEFAULT.keysPerTenant());
        }
        ConductFormat.writeDefaults(spec);
        return written;
    }

    private Metadata readMetadata(Section section, String domain) {
        String name = section.requiredName("name").orElse("");
        Optional<Long> version = section.requiredInteger("version", 1, Long.MAX_VALUE);
        Optional<Long> supersedes = section.integer("supersedes", 1, Long.MAX_VALUE);
        String owner = section.text("owner", LONGEST_OWNER).orElse("");
        String author = section.text("author", LONGEST_OWNER).orElse("");
        String reason = section.text("reason", LONGEST_REASON).orElse("");
        section.close();
        if (version.isPresent() && supersedes.isPresent() && supersedes.get() >= version.get()) {
            problems.add(
                    section.place("supersedes"),
                    "is " + supersedes.get() + "; it must be below the version, " + version.get());
        }
        return new Metadata(
                name,
                domain,
                version.orElse(1L),
                supersedes.map(OptionalLong::of).orElseGet(OptionalLong::empty),
                owner,
                author,
                reason);
    }

    private Optional<Policy> readSpec(Section spec, Metadata metadata) {
        List<Route> routes = spec.section("routes").map(RoutesFormat::read).orElse(List.of());
        PlanTable plans = PlanTable.of(spec);
        List<Rule> rules = new ArrayList<>();
        spec.require("rules", "a list").sections("rules").ifPresent(sections -> {
            for (Optional<Section> section : sections) {
                rules.add(RuleFormat.read(section, plans, rules.size()));
            }
        });
        Map<String, Long> costs = new TreeMap<>();
        SortedMap<String, FailMode> failModes = new TreeMap<>();
        SortedMap<String, Limit> exempt = new TreeMap<>();
        spec.section("endpoints").ifPresent(section -> readEndpoints(section, costs, failModes, exempt));
        long buckets = spec.section(CARDINALITY)
                .flatMap(PolicyFormat::readCardinality)
                .orElse(DEFAULT_BUCKETS_PER_RULE_AND_SHARD);
        Idempotency idempotency =
                spec.section(IDEMPOTENCY).map(PolicyFormat::readIdempotency).orElse(Idempotency.DEFAULT);
        Conduct conduct = ConductFormat.read(spec, failModes, exempt);
        Activation activation = ActivationFormat.read(spec);
        spec.close();
        if (spec.has("routes") && !spec.isObject("routes")) {
            return Optional.empty(); // or every group that a rule names would be a mistake of its own
        }
        try {
            return Optional.of(new Policy(
                    metadata.name(),
                    metadata.version(),
                    new RouteTable(routes, costs),
                    rules,
                    plans.plans(),
                    idempotency,
                    buckets,
                    activation,
                    conduct));
        } catch (InvalidPolicyException e) {
            problems.addAll(e.problems());
            return Optional.empty();
        }
    }

    private static Optional<Long> readCardinality(Section section) {
        Optional<Long> buckets = section.integer(BUCKETS, 1, Policy.MAX_BUCKETS_PER_RULE);
        section.close();
        return buckets;
    }

    private static Idempotency readIdempotency(Section section) {
        Optional<Long> retention = section.durationMillis(
                RETENTION, Idempotency.LEAST_RETENTION_MILLIS, Idempotency.MOST_RETENTION_MILLIS);
        Optional<Long> keys = section.integer(KEYS, 1, Idempotency.MOST_KEYS);
        section.close();
        return new Idempotency(
                retention.orElse(Idempotency.DEFAULT.retentionMillis()),
                keys.orElse(Idempotency.DEFAULT.keysPerTenant()));
    }

    private static void readEndpoints(
            Section section, Map<String, Long> costs, Map<String, FailMode> failModes, Map<String, Limit> exempt) {
        for (String group : section.ownNames()) {
            section.section(group).ifPresent(endpoint -> {
                costs.put(group, endpoint.integer("cost", 0, Bounds.MAX_TOKENS).orElse(1L));
                FailModeFormat.ofEndpoint(endpoint).ifPresent(failMode -> failModes.put(group, failMode));
                boolean both = endpoint.has("exempt") && endpoint.has("failMode");
                if (both) {
                    endpoint.problems()
                            .add(
                                    endpoint.place("exempt"),
                                    "stands beside failMode; nobody is asked about an exempt endpoint, so it needs none");
                }
                endpoint.section("exempt")
                        .flatMap(PolicyFormat::readExempt)
                        .filter(cap -> !both)
                        .ifPresent(cap -> exempt.put(group, cap));
                endpoint.close();
            });
        }
    }

    /** The cap of each gateway on an endpoint that no shard is asked about. */
    private static Optional<Limit> readExempt(Section exempt) {
        Optional<Limit> cap = LimitFormat.ofGateway(exempt, "limit", Optional.empty());
        exempt.close();
        return cap;
    }
}
