package io.headgate.tools.imports;

import io.headgate.core.decision.Identity;
import io.headgate.core.limit.Bounds;
import io.headgate.core.policy.Rule;
import io.headgate.schemas.RateLimitDescriptor;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.imports.PolicyDraft.Limit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Files of limits of Limitador: each limit becomes a rule of its namespace. */
final class LimitadorLimits {

    private static final Set<String> FIELDS =
            new TreeSet<>(Set.of("id", "namespace", "max_value", "seconds", "name", "conditions", "variables"));

    private static final long MOST_SECONDS = 366L * 24 * 60 * 60;

    private final Findings findings;
    private final boolean buckets;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<String, Place> placeOfLimit = new HashMap<>();

    /**
     * Has no file yet.
     *
     * @param buckets whether limits become token buckets; fixed windows otherwise
     */
    LimitadorLimits(Findings findings, boolean buckets) {
        this.findings = findings;
        this.buckets = buckets;
    }

    /** A limit as it stands in a file. */
    private record Entry(
            Place place,
            String namespace,
            long maxValue,
            long seconds,
            String name,
            List<String> conditions,
            List<String> variables) {}

    /** What a rule asks of a request. */
    private record Terms(Map<String, String> attributes, List<String> countedBy) {}

    /** Reads a file. */
    void read(Path file) throws CommandFailedException {
        YamlValue document = YamlFile.read(file, findings);
        for (YamlValue element : document.elements()) {
            element.fields().flatMap(this::entry).ifPresent(entries::add);
        }
    }

    Set<String> namespaces() {
        Set<String> namespaces = new TreeSet<>();
        entries.forEach(entry -> namespaces.add(entry.namespace()));
        return namespaces;
    }

    /** The policy, as far as the limits carry over. */
    PolicyDraft map() {
        PolicyDraft draft = new PolicyDraft();
        Map<String, String> groups = new LinkedHashMap<>();
        for (String namespace : namespaces()) {
            String group = draft.idOf(namespace);
            groups.put(namespace, group);
            draft.addRoute(group, "/" + RateLimitDescriptor.segment(namespace) + "/**");
        }
        for (Entry entry : entries) {
            terms(entry).ifPresent(terms -> {
                String per = entry.seconds() + "s";
                draft.addRule(
                        draft.idOf(label(entry)),
                        groups.get(entry.namespace()),
                        terms.attributes(),
                        terms.countedBy(),
                        buckets && entry.maxValue() > 0
                                ? Limit.bucket(entry.maxValue(), per)
                                : Limit.window(entry.maxValue(), per),
                        false,
                        entry.maxValue() == 0 ? "max_value is 0" : "");
            });
        }
        return draft;
    }

    private Optional<Entry> entry(YamlValue.Fields fields) {
        fields.allow(FIELDS);
        Optional<String> namespace = fields.requiredText("namespace");
        Optional<Long> maxValue = required(fields, "max_value", Bounds.MAX_TOKENS);
        Optional<Long> seconds = required(fields, "seconds", MOST_SECONDS);
        List<String> conditions = texts(fields, "conditions");
        List<String> variables = texts(fields, "variables");
        fields.text("id")
                .ifPresent(id -> findings.remark(
                        fields.place().of("id", fields.line("id")),
                        "does not carry over: rules have ids of their own; decisions are the same"));
        if (namespace.isEmpty() || maxValue.isEmpty() || seconds.isEmpty()) {
            return Optional.empty();
        }
        try {
            Identity.checkTenant(namespace.get());
        } catch (IllegalArgumentException noTenant) {
            findings.mistake(
                    fields.place().of("namespace", fields.line("namespace")),
                    "cannot be a tenant: " + noTenant.getMessage());
        }
        Entry entry = new Entry(
                fields.place(),
                namespace.get(),
                maxValue.get(),
                seconds.get(),
                fields.text("name").orElse(""),
                conditions,
                variables);
        Place first = placeOfLimit.putIfAbsent(identity(entry), fields.place());
        if (first != null) {
            findings.mistake(
                    fields.place(),
                    "is the limit of line " + first.line() + " of " + first.file()
                            + " again: namespace, seconds, conditions and variables; one of them must differ");
        }
        return Optional.of(entry);
    }

    private Optional<Long> required(YamlValue.Fields fields, String name, long most) {
        if (fields.value(name).isEmpty()) {
            findings.mistake(
                    fields.place().of(name, fields.line(name)), "is missing; it must be an integer of 0 to " + most);
        }
        return fields.integer(name, most);
    }

    private static List<String> texts(YamlValue.Fields fields, String name) {
        List<String> texts = new ArrayList<>();
        fields.elements(name).forEach(element -> element.text().ifPresent(texts::add));
        return texts;
    }

    private static String identity(Entry entry) {
        return entry.namespace() + "\n" + entry.seconds() + "\n" + new TreeSet<>(entry.conditions()) + "\n"
                + new TreeSet<>(entry.variables());
    }

    private static String label(Entry entry) {
        String by = entry.variables().isEmpty() ? "" : ".by." + String.join(".", new TreeSet<>(entry.variables()));
        String when = entry.conditions().isEmpty() ? "" : ".if." + String.join(".", new TreeSet<>(entry.conditions()));
        return entry.name().isEmpty() ? entry.namespace() + "." + entry.seconds() + "s" + by + when : entry.name();
    }

    private Optional<Terms> terms(Entry entry) {
        if (entry.seconds() == 0) {
            return dropped(entry, "it has 0 seconds, and no window is that short");
        }
        Set<Integer> descriptors = new TreeSet<>();
        Map<String, String> attributes = new TreeMap<>();
        for (String condition : entry.conditions()) {
            Optional<LimitadorExpression> read = LimitadorExpression.condition(condition);
            if (read.isEmpty()) {
                return dropped(
                        entry,
                        "its condition " + Findings.shown(condition)
                                + " is no equality of an entry and a text, and a rule knows no other");
            }
            Optional<String> problem = problemOf(entry, condition, read.get());
            if (problem.isPresent()) {
                return dropped(entry, problem.get());
            }
            descriptors.add(read.get().descriptor());
            String value = RateLimitDescriptor.attribute(read.get().value());
            String before = attributes.putIfAbsent(read.get().key(), value);
            if (before != null && !before.equals(value)) {
                return dropped(
                        entry,
                        "its conditions ask for two values of "
                                + Findings.shown(read.get().key()) + ", so that it never applies");
            }
        }
        Set<String> countedBy = new TreeSet<>();
        for (String variable : entry.variables()) {
            Optional<LimitadorExpression> read = LimitadorExpression.variable(variable);
            if (read.isEmpty()) {
                return dropped(entry, "its variable " + Findings.shown(variable) + " is no entry of a descriptor");
            }
            Optional<String> problem = problemOf(entry, variable, read.get());
            if (problem.isPresent()) {
                return dropped(entry, problem.get());
            }
            descriptors.add(read.get().descriptor());
            countedBy.add(read.get().key());
        }
        if (descriptors.size() > 1) {
            return dropped(
                    entry,
                    "it looks at the descriptors " + descriptors + " of a request together, and each is"
                            + " asked on its own");
        }
        if (countedBy.size() > Rule.MAX_PARTS) {
            return dropped(
                    entry,
                    "it counts by " + countedBy.size() + " variables; a rule counts by at most " + Rule.MAX_PARTS);
        }
        int descriptor = descriptors.isEmpty() ? 0 : descriptors.iterator().next();
        attributes.put(RateLimitDescriptor.PLACE, Integer.toString(descriptor));
        return Optional.of(new Terms(attributes, List.copyOf(countedBy)));
    }

    private Optional<String> problemOf(Entry entry, String written, LimitadorExpression read) {
        if (!RateLimitDescriptor.isName(read.key())) {
            return Optional.of("the key " + Findings.shown(read.key())
                    + " is not 1 to 64 letters, digits, dots, hyphens and underscores, or begins with entry.");
        }
        if (read.old()) {
            findings.remark(
                    entry.place(),
                    "has " + Findings.shown(written)
                            + ", of a version that had all entries of a request in one: it is taken for the first"
                            + " descriptor");
        }
        return Optional.empty();
    }

    private Optional<Terms> dropped(Entry entry, String why) {
        findings.remark(entry.place(), "does not carry over and is not limited: " + why);
        return Optional.empty();
    }
}
