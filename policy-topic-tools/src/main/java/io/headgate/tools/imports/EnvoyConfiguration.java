package io.headgate.tools.imports;

import io.headgate.core.decision.Identity;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.imports.DescriptorNode.RateLimit;
import io.headgate.tools.imports.DescriptorNode.Unit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Configuration files of envoyproxy/ratelimit: a tree of descriptors for each domain. */
final class EnvoyConfiguration {

    private static final Set<String> ROOT_FIELDS = new TreeSet<>(Set.of("domain", "descriptors"));
    private static final Set<String> DESCRIPTOR_FIELDS = new TreeSet<>(Set.of(
            "key",
            "value",
            "rate_limit",
            "descriptors",
            "shadow_mode",
            "quota_mode",
            "detailed_metric",
            "value_to_metric",
            "share_threshold",
            "metadata",
            "sleep_on_throttle"));
    private static final Set<String> LIMIT_FIELDS =
            new TreeSet<>(Set.of("unit", "requests_per_unit", "unlimited", "name", "replaces", "sleep_on_throttle"));

    private static final long MOST_REQUESTS = 0xFFFF_FFFFL;

    private final Findings findings;
    private final boolean mergesDomains;
    private final Map<String, List<DescriptorNode>> domains = new LinkedHashMap<>();
    private final Map<String, Place> placeOfDomain = new HashMap<>();

    /**
     * Has no file yet.
     *
     * @param mergesDomains whether a domain may stand in several files
     */
    EnvoyConfiguration(Findings findings, boolean mergesDomains) {
        this.findings = findings;
        this.mergesDomains = mergesDomains;
    }

    /** The descriptors of each domain, in the order of the files. */
    Map<String, List<DescriptorNode>> domains() {
        return domains;
    }

    /** Reads a file. */
    void read(Path file) throws CommandFailedException {
        YamlFile.read(file, findings).fields().ifPresent(root -> {
            root.allow(ROOT_FIELDS);
            Optional<String> domain = root.requiredText("domain");
            List<DescriptorNode> descriptors = descriptors(root, List.of());
            domain.ifPresent(name -> add(name, root, descriptors));
        });
    }

    private void add(String domain, YamlValue.Fields root, List<DescriptorNode> descriptors) {
        Place place = root.place().of("domain", root.line("domain"));
        try {
            Identity.checkTenant(domain);
        } catch (IllegalArgumentException noTenant) {
            findings.mistake(place, "cannot be a tenant: " + noTenant.getMessage());
        }
        Place first = placeOfDomain.putIfAbsent(domain, place);
        if (first != null && !mergesDomains) {
            findings.mistake(
                    place,
                    "is " + Findings.shown(domain) + ", as in " + first.file()
                            + "; a domain stands in one file, unless --merge-domains allows more");
        }
        List<DescriptorNode> all = new ArrayList<>(domains.getOrDefault(domain, List.of()));
        all.addAll(descriptors);
        if (first != null) {
            checkDistinct(all);
        }
        domains.put(domain, all);
    }

    private List<DescriptorNode> descriptors(YamlValue.Fields parent, List<DescriptorNode> none) {
        List<DescriptorNode> nodes = new ArrayList<>(none);
        for (YamlValue element : parent.elements("descriptors")) {
            element.fields().flatMap(this::descriptor).ifPresent(nodes::add);
        }
        checkDistinct(nodes);
        return nodes;
    }

    private void checkDistinct(List<DescriptorNode> nodes) {
        Map<String, DescriptorNode> seen = new HashMap<>();
        for (DescriptorNode node : nodes) {
            DescriptorNode first = seen.putIfAbsent(node.lookUpKey(), node);
            if (first != null) {
                findings.mistake(
                        node.place(),
                        "is looked up as " + Findings.shown(node.lookUpKey()) + ", as the one in line "
                                + first.place().line() + " of " + first.place().file()
                                + " is; two of one level must differ");
            }
        }
    }

    private Optional<DescriptorNode> descriptor(YamlValue.Fields fields) {
        fields.allow(DESCRIPTOR_FIELDS);
        Optional<String> key = fields.requiredText("key");
        String value = fields.text("value").orElse("");
        Optional<RateLimit> limit =
                fields.value("rate_limit").flatMap(YamlValue::fields).flatMap(this::limit);
        boolean shadow = fields.flag("shadow_mode");
        boolean quota = fields.flag("quota_mode");
        boolean shared = fields.flag("share_threshold");
        List<DescriptorNode> children = descriptors(fields, List.of());
        if (shared && !value.contains("*") && !key.orElse("*").contains("*")) {
            findings.mistake(place(fields, "share_threshold"), "is true; it needs a value with a *, such as files/*");
        }
        if (limit.isEmpty() && shadow) {
            findings.remark(place(fields, "shadow_mode"), "is true where there is no rate_limit; it does nothing");
        }
        if (quota) {
            findings.remark(
                    place(fields, "quota_mode"),
                    "does not carry over: beyond it a request passes there while another quota of the request is not"
                            + " exceeded; here the rule denies");
        }
        remarkOn(fields);
        return key.map(name -> new DescriptorNode(fields.place(), name, value, limit, shadow, shared, children));
    }

    /** What has no part in a decision, and what no rule can say. */
    private void remarkOn(YamlValue.Fields fields) {
        for (String metric : List.of("detailed_metric", "value_to_metric")) {
            if (fields.flag(metric)) {
                findings.remark(
                        place(fields, metric), "does not carry over: metrics are by rule; decisions are the same");
            }
        }
        if (fields.value("metadata").isPresent()) {
            findings.remark(
                    place(fields, "metadata"),
                    "does not carry over: an answer has no metadata of the rule; decisions are the same");
        }
        if (fields.flag("sleep_on_throttle")) {
            findings.remark(place(fields, "sleep_on_throttle"), "does not carry over: a denial is answered at once");
        }
    }

    private Optional<RateLimit> limit(YamlValue.Fields fields) {
        fields.allow(LIMIT_FIELDS);
        boolean unlimited = fields.flag("unlimited");
        String name = fields.text("name").orElse("");
        Optional<String> unitName = fields.text("unit");
        Optional<Unit> unit = unitName.flatMap(EnvoyConfiguration::unit);
        Optional<Long> requests = fields.integer("requests_per_unit", MOST_REQUESTS);
        checkReplaces(fields, name);
        if (fields.flag("sleep_on_throttle")) {
            findings.remark(place(fields, "sleep_on_throttle"), "does not carry over: a denial is answered at once");
        }
        if (unlimited) {
            unit.ifPresent(some ->
                    findings.mistake(place(fields, "unit"), "is there beside unlimited: true; one of them must go"));
            return Optional.of(new RateLimit(0, Optional.empty(), name));
        }
        if (unit.isEmpty()) {
            findings.mistake(
                    place(fields, "unit"),
                    (unitName.isPresent() ? "is " + Findings.shown(unitName.get()) : "is missing")
                            + "; it must be one of " + units());
            return Optional.empty();
        }
        if (fields.value("requests_per_unit").isEmpty()) {
            findings.remark(
                    place(fields, "requests_per_unit"), "is missing, which is 0 there: the rule denies everything");
        }
        return Optional.of(new RateLimit(requests.orElse(0L), unit, name));
    }

    private void checkReplaces(YamlValue.Fields fields, String name) {
        for (YamlValue element : fields.elements("replaces")) {
            element.fields().ifPresent(replaced -> {
                replaced.allow(Set.of("name"));
                Optional<String> other = replaced.requiredText("name");
                if (other.isPresent() && other.get().equals(name)) {
                    findings.mistake(
                            replaced.place(),
                            "is " + Findings.shown(name) + ", the limit's own name; it must be another");
                }
                other.ifPresent(text -> findings.remark(
                        replaced.place(),
                        "does not carry over: " + Findings.shown(text)
                                + " holds beside this limit where a request matches both"));
            });
        }
    }

    private static Place place(YamlValue.Fields fields, String name) {
        return fields.place().of(name, fields.line(name));
    }

    private static Optional<Unit> unit(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        return Arrays.stream(Unit.values())
                .filter(unit -> unit.name().equals(upper))
                .findFirst();
    }

    private static List<String> units() {
        return Arrays.stream(Unit.values())
                .map(unit -> unit.name().toLowerCase(Locale.ROOT))
                .toList();
    }
}
