package io.headgate.core.limit;

/** How a token bucket earns tokens back. */
public enum Refill {
    /** Continuously: half the period earns half the tokens. */
    GREEDY("greedy"),
    /** All at once when a period ends; periods are laid end to end from the epoch. */
    INTERVAL("interval");

    private final String label;

    Refill(String label) {
        this.label = label;
    }

    /** The name in documents. */
    public String label() {
        return label;
    }
}
