package io.headgate.core.policy;

/** A step of admission with a partition key of its own. A request passes the stages in this order. */
public enum Stage {
    /** Before authentication, by address. */
    IP("ip"),
    /** Before authentication, by the name that somebody tries to log in to. */
    TARGET("target"),
    /** After authentication, by tenant. */
    TENANT("tenant");

    private final String label;

    Stage(String label) {
        this.label = label;
    }

    /** The name in documents and on the wire. */
    public String label() {
        return label;
    }
}
