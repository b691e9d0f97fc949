package io.headgate.tools.backtest;

/** What is counted of everybody, of a tenant, of a route, of an address or login name. */
enum Column implements CountColumn {
    REQUESTS(0),
    DENIED_BEFORE(1),
    DENIED_AFTER(2),
    NEWLY_DENIED(3),
    NEWLY_ALLOWED(4),

    /** Neither allowed nor denied: a conflict, an error, too late, in the wrong shard. */
    UNDECIDED_BEFORE(5),
    UNDECIDED_AFTER(6);

    static final int COUNT = values().length;

    private final int place;

    Column(int place) {
        this.place = place;
    }

    @Override
    public int place() {
        return place;
    }
}
