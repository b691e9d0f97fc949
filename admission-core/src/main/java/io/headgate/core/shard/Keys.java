package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.util.Optional;

/**
 * The keys of the state. Those from {@link #SWEPT} on are what the sweep walks over: first all counters, rule by rule,
 * then sessions, their attempts, callers' keys, and a mark for each account that has something to be swept.
 */
final class Keys {

    static final byte[] HEADER = {0x01};
    static final byte[] POLICY = {0x02};
    static final byte[] RULE_BOOK = {0x03};
    static final byte[] ROLLED_OUT = {0x08};
    static final byte[] SWEPT = {0x10};

    /** Above every key. */
    static final byte[] END = {(byte) 0xff};

    static final int TALLY = 0x04;
    static final int ACCOUNT = 0x05;
    static final int ZONE = 0x06;
    static final int KEYED_TALLY = 0x07;
    static final int PENDING_POLICY = 0x09;
    static final int BUCKET = 0x10;
    static final int SESSION = 0x20;
    static final int ATTEMPT = 0x21;
    static final int KEYED = 0x30;
    static final int ACCOUNT_DUE = 0x40;

    /** All zones. */
    static final KeyRange ZONES = new KeyRange(new byte[] {ZONE}, new byte[] {ZONE + 1});

    /** All versions of the policy that wait for their time, in order. */
    static final KeyRange PENDING = new KeyRange(new byte[] {PENDING_POLICY}, new byte[] {PENDING_POLICY + 1});

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
        String owner = admission.partitionKey();
        int room = 2 + ByteWriter.sizeOf(rule.id()) + ByteWriter.sizeOf(owner);
        if (rule.scope() == rule.stage().ownScope()) {
            return Optional.of(new StateKey(owned(rule, owner, room).toBytes()));
        }
        if (rule.scope() == Scope.COMPOSITE) {
            ByteWriter key = owned(rule, owner, 2 * room);
            for (Part part : rule.composite()) {
                String value = admission.part(part, group);
                if (value.isEmpty()) {
                    return Optional.empty();
                }
                key.putString(value);
            }
            return Optional.of(new StateKey(key.toBytes()));
        }
        String value = admission.part(rule.scope(), group);
        return value.isEmpty()
                ? Optional.empty()
                : Optional.of(new StateKey(owned(rule, owner, room + ByteWriter.sizeOf(value))
                        .putString(value)
                        .toBytes()));
    }

    private static ByteWriter owned(Rule rule, String owner, int room) {
        return new ByteWriter(room).put(BUCKET).putString(rule.id()).put(OWN).putString(owner);
    }

    static StateKey overflow(String ruleId) {
        return new StateKey(
                new ByteWriter().put(BUCKET).putString(ruleId).put(OVERFLOW).toBytes());
    }

    static StateKey pending(long version) {
        return new StateKey(
                new ByteWriter().put(PENDING_POLICY).putSortable(version).toBytes());
    }

    static StateKey session(LogRecord.Attempt attempt) {
        return new StateKey(session(SESSION, attempt).toBytes());
    }

    static StateKey attempt(LogRecord.Attempt attempt, int attemptsPerSession) {
        long slot = attempt.sequence() % attemptsPerSession;
        return new StateKey(session(ATTEMPT, attempt).putLong(slot).toBytes());
    }

    /** Whose counter a key is. */
    static BucketOwner ownerOf(byte[] bucketKey) {
        ByteReader in = new ByteReader(bucketKey);
        in.get();
        String ruleId = in.getString();
        boolean overflow = in.get() == OVERFLOW;
        return new BucketOwner(ruleId, overflow ? "" : in.getString(), overflow);
    }

    /**
     * Whose counter a key is.
     *
     * @param partitionKey empty for the overflow bucket, which is nobody's
     */
    record BucketOwner(String ruleId, String partitionKey, boolean overflow) {}

    static StateKey account(String partitionKey) {
        return owned(ACCOUNT, partitionKey);
    }

    static StateKey accountDue(String partitionKey) {
        return owned(ACCOUNT_DUE, partitionKey);
    }

    static StateKey keyedTally(String partitionKey) {
        return owned(KEYED_TALLY, partitionKey);
    }

    /** A caller's key belongs to a user and an API key of a partition key; others may use the same. */
    static StateKey keyed(Admission admission, String callersKey) {
        return new StateKey(new ByteWriter()
                .put(KEYED)
                .putString(admission.partitionKey())
                .putString(admission.identity().user())
                .putString(admission.identity().apiKey())
                .putString(callersKey)
                .toBytes());
    }

    /** The partition key in the key of an account's mark or of a caller's key. */
    static String partitionKeyOf(byte[] key) {
        ByteReader in = new ByteReader(key);
        in.get();
        return in.getString();
    }

    static StateKey zone(String id) {
        return owned(ZONE, id);
    }

    private static StateKey owned(int kind, String name) {
        return new StateKey(new ByteWriter(1 + ByteWriter.sizeOf(name))
                .put(kind)
                .putString(name)
                .toBytes());
    }

    private static ByteWriter session(int kind, LogRecord.Attempt attempt) {
        return new ByteWriter().put(kind).putString(attempt.gateway()).putSortable(attempt.epoch());
    }
}
