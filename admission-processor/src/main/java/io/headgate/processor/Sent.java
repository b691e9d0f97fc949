package io.headgate.processor;

import io.headgate.core.shard.ShardView;

/** What has become of a control record that was sent to a shard's log. Set by the producer's thread. */
final class Sent {

    private static final long UNDER_WAY = -1;
    private static final long FAILED = -2;

    private volatile long offset = UNDER_WAY;

    void standsAt(long logOffset) {
        offset = logOffset;
    }

    /** It could not be appended, or nobody knows whether it was. */
    void fail() {
        offset = FAILED;
    }

    boolean failed() {
        return offset == FAILED;
    }

    /** Whether the shard has come past it: what it has not applied by then, it never will. */
    boolean passedBy(ShardView view) {
        long at = offset;
        return at >= 0 && view.nextOffset() > at;
    }
}
