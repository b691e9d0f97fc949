package io.headgate.tools.backtest;

/** What is counted of a rule, or of a key of it. */
enum RuleColumn implements CountColumn {

    /** Newly denied and newly allowed together. */
    CHANGED(0),

    /** Denied by the candidate's rule, and allowed by the baseline. */
    NEWLY_DENIED(1),

    /** Denied by the baseline's rule, and allowed by the candidate. */
    NEWLY_ALLOWED(2),
    DENIED_BEFORE(3),
    DENIED_AFTER(4),
    SHADOW_BEFORE(5),
    SHADOW_AFTER(6),
    SOFT_BEFORE(7),
    SOFT_AFTER(8);

    static final int COUNT = values().length;

    private final int place;

    RuleColumn(int place) {
        this.place = place;
    }

    @Override
    public int place() {
        return place;
    }
}
