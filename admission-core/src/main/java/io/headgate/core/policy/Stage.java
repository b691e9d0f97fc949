package io.headgate.core.policy;

import java.util.Arrays;

/** A step of admission with a partition key of its own. A request passes the stages in this order. */
public enum Stage {
    /** Before authentication, by address. */
    IP("ip", Scope.IP),
    /** Before authentication, by the name that somebody tries to log in to. */
    TARGET("target", Scope.TARGET),
    /** After authentication, by tenant. */
    TENANT("tenant", Scope.TENANT);

    private final String label;
    private final Scope ownScope;

    Stage(String label, Scope ownScope) {
        this.label = label;
        this.ownScope = ownScope;
    }

    /** The name in documents and on the wire. */
    public String label() {
        return label;
    }

    /** The scope that counts by the stage's partition key and nothing else. */
    public Scope ownScope() {
        return ownScope;
    }

    /**
     * The stage with that name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Stage labelled(String label) {
        return Arrays.stream(values())
                .filter(stage -> stage.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("stage is '" + label + "'; it must be one of "
                        + Arrays.stream(values()).map(Stage::label).toList()));
    }
}
