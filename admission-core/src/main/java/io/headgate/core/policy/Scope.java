package io.headgate.core.policy;

import java.util.Arrays;

/** What a rule counts by, in order of precedence: the first scope that denies is the one that is named. */
public enum Scope {
    IP("ip"),
    TARGET("target"),
    TENANT("tenant"),
    API_KEY("api-key"),
    USER("user"),
    ROUTE("route"),
    /** Several parts of a request together. */
    COMPOSITE("composite");

    private final String label;

    Scope(String label) {
        this.label = label;
    }

    /** The name in documents and on the wire. */
    public String label() {
        return label;
    }

    /**
     * The scope with that name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Scope labelled(String label) {
        return Arrays.stream(values())
                .filter(scope -> scope.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("scope is '" + label + "'; it must be one of "
                        + Arrays.stream(values()).map(Scope::label).toList()));
    }
}
