package io.headgate.schemas.policy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Tenants' plans as people write them, headgate.io/v1 of kind TenantPlans. On their topic every plan is a record of its
 * own; a document is only a convenient way to write and to show a few.
 */
public final class TenantPlansDocument {

    /** The most tenants in one document. */
    public static final int MAX_TENANTS = 10_000;

    private static final String KIND = "TenantPlans";
    private static final String TENANTS = "tenants";

    private static final Map<String, TenantPlan.Status> STATUSES =
            Labels.of(TenantPlan.Status.values(), TenantPlansDocument::label);

    private final Problems problems;
    private final Optional<Policy> policy;

    private TenantPlansDocument(Problems problems, Optional<Policy> policy) {
        this.problems = problems;
        this.policy = policy;
    }

    /**
     * Reads a document in JSON.
     *
     * @param policy tells the algorithm of a rule where an override names none
     * @return the plans in the order of the document
     * @throws InvalidPolicyException naming every mistake; of syntax errors the first
     */
    public static List<TenantPlan> parse(byte[] json, Optional<Policy> policy) {
        return JsonText.read(json, parser -> read(parser, policy));
    }

    /**
     * Reads a document from a parser that stands before it and has nothing else.
     *
     * @throws InvalidPolicyException naming every mistake
     * @throws IOException if the parser can find no document there
     */
    public static List<TenantPlan> read(JsonParser parser, Optional<Policy> policy) throws IOException {
        Problems problems = new Problems();
        return read(StrictTree.read(parser, problems), problems, policy);
    }

    /**
     * Reads a document whose author is at hand to correct it: the time zones that it names have to exist, too.
     *
     * @throws InvalidPolicyException naming every mistake
     * @throws IOException if the parser can find no document there
     */
    public static List<TenantPlan> readAuthored(JsonParser parser, Optional<Policy> policy) throws IOException {
        Problems problems = new Problems();
        JsonNode tree = StrictTree.read(parser, problems);
        problems.addAll(ZoneNames.unknownInPlans(tree));
        return read(tree, problems, policy);
    }

    /**
     * Reads a document that is a tree already.
     *
     * @throws InvalidPolicyException naming every mistake
     */
    public static List<TenantPlan> of(JsonNode tree, Optional<Policy> policy) {
        return read(tree, new Problems(), policy);
    }

    /** The document of these plans; of two of one tenant the later one stays. */
    public static ObjectNode written(List<TenantPlan> plans) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("apiVersion", PolicyFormat.API_VERSION).put("kind", KIND);
        ObjectNode tenants = document.putObject(TENANTS);
        plans.forEach(plan -> tenants.set(plan.tenant(), written(plan)));
        return document;
    }

    /** What stands under a tenant's name; what a plan leaves to a default is left out. */
    public static ObjectNode written(TenantPlan plan) {
        ObjectNode tenant = JsonNodeFactory.instance.objectNode().put("plan", plan.plan());
        if (plan.status() != TenantPlan.Status.ACTIVE) {
            tenant.put("status", label(plan.status()));
        }
        if (plan.unlimited()) {
            tenant.put("unlimited", true);
        }
        plan.zone().ifPresent(zone -> tenant.put("zone", zone));
        plan.homeRegion().ifPresent(region -> tenant.put("homeRegion", region));
        if (!plan.overrides().isEmpty()) {
            ObjectNode overrides = tenant.putObject("overrides");
            plan.overrides().forEach((rule, limit) -> overrides.set(rule, LimitFormat.writtenOverride(limit)));
        }
        return tenant;
    }

    private static List<TenantPlan> read(JsonNode tree, Problems problems, Optional<Policy> policy) {
        TenantPlansDocument document = new TenantPlansDocument(problems, policy);
        List<TenantPlan> plans =
                Section.root(tree, problems).map(document::readAll).orElse(List.of());
        problems.throwIfAny();
        return plans;
    }

    private List<TenantPlan> readAll(Section document) {
        document.requiredChoice("apiVersion", Labels.of(List.of(PolicyFormat.API_VERSION)), Map.of());
        document.requiredChoice("kind", Labels.of(List.of(KIND)), Map.of());
        List<TenantPlan> plans = new ArrayList<>();
        document.requiredSection(TENANTS).ifPresent(tenants -> {
            List<String> names = tenants.ownTexts(Identity.MAX_LENGTH);
            if (names.size() > MAX_TENANTS) {
                problems.add(TENANTS, "has " + names.size() + " tenants; at most " + MAX_TENANTS + " are allowed");
                return;
            }
            names.forEach(tenant -> tenants.section(tenant)
                    .flatMap(section -> readPlan(tenant, section))
                    .ifPresent(plans::add));
        });
        document.close();
        return plans;
    }

    private Optional<TenantPlan> readPlan(String tenant, Section section) {
        String plan = section.name("plan").orElse(TenantPlan.DEFAULT);
        TenantPlan.Status status = section.choice("status", STATUSES, Map.of()).orElse(TenantPlan.Status.ACTIVE);
        boolean unlimited = section.flag("unlimited").orElse(false);
        Optional<String> zone = section.shapedText("zone", ZoneNames.SHAPE, ZoneNames::isName);
        Optional<String> region = section.name("homeRegion");
        SortedMap<String, Limit> overrides = new TreeMap<>();
        section.section("overrides").ifPresent(own -> {
            for (String rule : own.ownNames()) {
                own.section(rule)
                        .flatMap(override -> LimitFormat.ofOverride(override, algorithmOf(rule), whyUnknown(rule)))
                        .ifPresent(limit -> overrides.put(rule, limit));
            }
        });
        section.close();
        try {
            return Optional.of(new TenantPlan(tenant, status, plan, unlimited, zone, region, overrides));
        } catch (IllegalArgumentException refused) {
            problems.addRefused(section.place(), refused);
            return Optional.empty();
        }
    }

    private Optional<String> algorithmOf(String rule) {
        return policy.flatMap(present -> present.rule(rule)).map(Rule::limit).map(Limit::algorithm);
    }

    private String whyUnknown(String rule) {
        return policy.map(present -> "the policy has no rule '" + rule + "' to take it from")
                .orElse("no policy is given to take it from");
    }

    private static String label(TenantPlan.Status status) {
        return status.name().toLowerCase(Locale.ROOT);
    }
}
