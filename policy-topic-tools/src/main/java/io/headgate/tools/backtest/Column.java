package io.headgate.tools.backtest;

/** What is counted of everybody, of a tenant, of a route, of an address or login name. */
enum Column {
    REQUESTS,
    DENIED_BEFORE,
    DENIED_AFTER,
    NEWLY_DENIED,
    NEWLY_ALLOWED,

    /** Neither allowed nor denied: a conflict, an error, too late, in the wrong shard. */
    UNDECIDED_BEFORE,
    UNDECIDED_AFTER;

    static final int COUNT = values().length;
}
