package io.headgate.core.policy;

/** What a rule counts by, in order of precedence: the first scope that denies is the one that is named. */
public enum Scope {
    IP("ip"),
    TARGET("target"),
    TENANT("tenant"),
    API_KEY("api-key"),
    USER("user"),
    ROUTE("route");

    private final String label;

    Scope(String label) {
        this.label = label;
    }

    /** The name in documents and on the wire. */
    public String label() {
        return label;
    }
}
