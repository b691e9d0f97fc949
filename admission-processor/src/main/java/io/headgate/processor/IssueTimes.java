package io.headgate.processor;

import io.headgate.schemas.trust.TrustedKeys;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * When the genuine records that were appended lately were issued, so that one of them which is appended again does not
 * count again. A record stands in the log within {@link TrustedKeys#MOST_DELAY_MILLIS} of its issue, so a copy that
 * could pass stands within {@link #WINDOW_MILLIS} of it, and older ones are forgotten.
 */
final class IssueTimes {

    /** How far back what counts depends on, in ms of append time. */
    static final long WINDOW_MILLIS = 2 * TrustedKeys.MOST_DELAY_MILLIS;

    /** The newest of each key, those appended first before the others. */
    private final Map<ByteBuffer, Issued> newest = new LinkedHashMap<>();

    private record Issued(long atMillis, long offset, long appendedAtMillis) {}

    /**
     * Takes a genuine record, in the order of the log; a record that was taken may be taken again.
     *
     * @return why it does not count: an earlier record of its key was issued then or later; empty if it does
     */
    Optional<String> take(byte[] key, long issuedAtMillis, long offset, long appendedAtMillis) {
        forgetBefore(appendedAtMillis - WINDOW_MILLIS);
        ByteBuffer name = ByteBuffer.wrap(key);
        Issued before = newest.get(name);
        if (before != null && before.offset() < offset && issuedAtMillis <= before.atMillis()) {
            return Optional.of("it was issued at " + Instant.ofEpochMilli(issuedAtMillis)
                    + ", and the record of its key at offset " + before.offset() + " at "
                    + Instant.ofEpochMilli(before.atMillis()) + "; it comes again, or too late");
        }
        newest.remove(name);
        newest.put(name, new Issued(issuedAtMillis, offset, appendedAtMillis));
        return Optional.empty();
    }

    void clear() {
        newest.clear();
    }

    private void forgetBefore(long appendedAtMillis) {
        Iterator<Issued> oldestFirst = newest.values().iterator();
        while (oldestFirst.hasNext() && oldestFirst.next().appendedAtMillis() < appendedAtMillis) {
            oldestFirst.remove();
        }
    }
}
