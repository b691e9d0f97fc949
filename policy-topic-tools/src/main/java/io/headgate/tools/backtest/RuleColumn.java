package io.headgate.tools.backtest;

/** What is counted of a rule, or of a key of it. */
enum RuleColumn {

    /** Newly denied and newly allowed together. */
    CHANGED,

    /** Denied by the candidate's rule, and allowed by the baseline. */
    NEWLY_DENIED,

    /** Denied by the baseline's rule, and allowed by the candidate. */
    NEWLY_ALLOWED,
    DENIED_BEFORE,
    DENIED_AFTER,
    SHADOW_BEFORE,
    SHADOW_AFTER,
    SOFT_BEFORE,
    SOFT_AFTER;

    static final int COUNT = values().length;
}
