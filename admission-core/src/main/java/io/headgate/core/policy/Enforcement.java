package io.headgate.core.policy;

/** What a rule's denial does. */
public enum Enforcement {
    /** It denies the request. */
    ENFORCE("enforce"),
    /** It is reported and changes no verdict and no other rule's state. */
    SHADOW("shadow");

    private final String label;

    Enforcement(String label) {
        this.label = label;
    }

    /** The name in documents. */
    public String label() {
        return label;
    }
}
