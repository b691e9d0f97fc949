package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import io.headgate.core.policy.Rule;
import java.util.Optional;

/**
 * The keys of the state. Those from {@link #SWEPT} on are what the sweep walks over: first all counters, rule by rule,
 * then sessions, then their attempts.
 */
final class Keys {

    static final byte[] HEADER = {0x01};
    static final byte[] POLICY = {0x02};
    static final byte[] RULE_BOOK = {0x03};
    static final byte[] SWEPT = {0x10};

    /** Above every key. */
    static final byte[] END = {(byte) 0xff};

    static final int TALLY = 0x04;
    static final int BUCKET = 0x10;
    static final int SESSION = 0x20;
    static final int ATTEMPT = 0x21;

    private static final int OWN = 0;
    private static final int OVERFLOW = 1;

    private Keys() {}

    static StateKey tally(String ruleId) {
        return new StateKey(new ByteWriter().put(TALLY).putString(ruleId).toBytes());
    }

    /** Where the counters of a rule are. No other rule's are among them: the id stands behind its length. */
    static KeyRange buckets(String ruleId) {
        byte[] from = new ByteWriter().put(BUCKET).putString(ruleId).toBytes();
        byte[] to = from.clone();
        to[to.length - 1]++;
        return new KeyRange(from, to);
    }

    /** What a rule counts a request by, or nothing if the request lacks it: then the rule does not speak of it. */
    static Optional<StateKey> bucket(Rule rule, Admission admission, Optional<String> group) {
        String part = admission.part(rule.scope(), group);
        if (part.isEmpty()) {
            return Optional.empty();
        }
        ByteWriter key =
                new ByteWriter().put(BUCKET).putString(rule.id()).put(OWN).putString(admission.partitionKey());
        return Optional.of(
                new StateKey((rule.scope() == rule.stage().ownScope() ? key : key.putString(part)).toBytes()));
    }

    static StateKey overflow(String ruleId) {
        return new StateKey(
                new ByteWriter().put(BUCKET).putString(ruleId).put(OVERFLOW).toBytes());
    }

    static StateKey session(LogRecord.Attempt attempt) {
        return new StateKey(session(SESSION, attempt).toBytes());
    }

    static StateKey attempt(LogRecord.Attempt attempt, int attemptsPerSession) {
        long slot = attempt.sequence() % attemptsPerSession;
        return new StateKey(session(ATTEMPT, attempt).putLong(slot).toBytes());
    }

    /** The rule of a counter's key, and whether it is the overflow bucket. */
    static BucketOwner ownerOf(byte[] bucketKey) {
        ByteReader in = new ByteReader(bucketKey);
        in.get();
        return new BucketOwner(in.getString(), in.get() == OVERFLOW);
    }

    record BucketOwner(String ruleId, boolean overflow) {}

    private static ByteWriter session(int kind, LogRecord.Attempt attempt) {
        return new ByteWriter().put(kind).putString(attempt.gateway()).putSortable(attempt.epoch());
    }
}
