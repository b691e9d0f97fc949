package io.headgate.schemas.policy;

import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a rule counts by: a name such as {@code user}, or several parts together, {@code {composite: [user, route,
 * attributes.model]}}.
 *
 * @param parts of a composite; otherwise empty
 */
record ScopeFormat(Scope scope, List<Part> parts) {

    private static final Map<String, Scope> SCOPES = Labels.of(
            Arrays.stream(Scope.values())
                    .filter(scope -> scope != Scope.COMPOSITE)
                    .toArray(Scope[]::new),
            Scope::label);
    private static final Pattern ATTRIBUTE = Pattern.compile("attributes\\.[A-Za-z0-9._-]{1,64}");

    /** Reads {@code scope} of a rule; what its stage is partitioned by, if it does not say. */
    static Optional<ScopeFormat> read(Section rule, Optional<Stage> stage) {
        if (rule.isObject("scope")) {
            return rule.section("scope").flatMap(scope -> composite(scope, stage));
        }
        if (rule.isOneOf("scope", Set.of("global"))) {
            rule.notSupported("scope", "scope global");
            return stage.map(Stage::ownScope).map(named -> new ScopeFormat(named, List.of()));
        }
        Optional<Scope> scope = rule.choice("scope", SCOPES, Map.of());
        return (rule.has("scope") ? scope : stage.map(Stage::ownScope)).map(named -> new ScopeFormat(named, List.of()));
    }

    private static Optional<ScopeFormat> composite(Section section, Optional<Stage> stage) {
        List<String> scopes = SCOPES.keySet().stream()
                .filter(label -> stage.map(Rule::scopesOf)
                        .map(allowed -> allowed.contains(SCOPES.get(label)))
                        .orElse(true))
                .toList();
        String shape = "one of " + scopes + ", or attributes and a name, such as attributes.model";
        Optional<List<String>> labels = section.require("composite", "a list of parts")
                .texts(
                        "composite",
                        shape,
                        label -> scopes.contains(label)
                                || ATTRIBUTE.matcher(label).matches());
        section.close();
        if (labels.isEmpty()) {
            return Optional.empty();
        }
        int count = labels.get().size();
        boolean alike = new HashSet<>(labels.get()).size() < count;
        if (count < 1 || count > Rule.MAX_PARTS || alike) {
            section.problems()
                    .add(
                            section.place("composite"),
                            "is " + labels.get() + "; it must have 1 to " + Rule.MAX_PARTS + " parts, all different");
            return Optional.empty();
        }
        return Optional.of(new ScopeFormat(
                Scope.COMPOSITE, labels.get().stream().map(Part::labelled).toList()));
    }
}
