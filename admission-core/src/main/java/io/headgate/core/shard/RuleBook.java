package io.headgate.core.shard;

import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** The histories of all rules that the shard may still hold counters of, by rule id. */
record RuleBook(SortedMap<String, RuleHistory> histories) implements StateEntry {

    static final RuleBook EMPTY = new RuleBook(new TreeMap<>());

    RuleBook {
        histories = Collections.unmodifiableSortedMap(new TreeMap<>(histories));
    }

    RuleHistory of(String ruleId) {
        return histories.get(ruleId);
    }

    /**
     * The book once {@code policy} is in force. A rule that is gone keeps its history for as long as it has counters.
     *
     * @throws IllegalArgumentException if a rule's limit changed too often for the sweep to keep up
     */
    RuleBook under(Policy policy, long offset, long nowMillis) {
        SortedMap<String, RuleHistory> next = new TreeMap<>(histories);
        for (Rule rule : policy.rules()) {
            RuleHistory before = next.get(rule.id());
            RuleHistory after = before == null
                    ? RuleHistory.startingWith(rule, offset, nowMillis)
                    : before.followedBy(rule, offset, nowMillis);
            if (after.eras().size() > RuleHistory.MAX_ERAS) {
                throw new IllegalArgumentException(
                        "the limit of rule " + rule.id() + " changed more than " + RuleHistory.MAX_ERAS
                                + " times within one round of the sweep; wait a minute and publish again");
            }
            next.put(rule.id(), after);
        }
        return new RuleBook(next);
    }

    /** Without the eras of a class of rules that ended before {@code offset}. */
    RuleBook since(long offset, boolean shadow) {
        SortedMap<String, RuleHistory> next = new TreeMap<>(histories);
        next.replaceAll((id, history) -> history.shadow() == shadow ? history.since(offset) : history);
        return new RuleBook(next);
    }

    /** Whether a rule of this book is a shadow rule there and not here, or the other way round. */
    boolean differsInShadow(RuleBook later) {
        return histories.entrySet().stream()
                .anyMatch(entry -> later.of(entry.getKey()) != null
                        && later.of(entry.getKey()).shadow() != entry.getValue().shadow());
    }

    RuleBook without(String ruleId) {
        SortedMap<String, RuleHistory> next = new TreeMap<>(histories);
        next.remove(ruleId);
        return new RuleBook(next);
    }

    @Override
    public byte[] toBytes() {
        ByteWriter out = new ByteWriter().putLong(histories.size());
        histories.forEach((id, history) -> {
            out.putString(id);
            history.writeTo(out);
        });
        return out.toBytes();
    }

    static RuleBook fromBytes(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        SortedMap<String, RuleHistory> histories = new TreeMap<>();
        int size = in.getInt();
        for (int i = 0; i < size; i++) {
            String id = in.getString();
            histories.put(id, RuleHistory.readFrom(in));
        }
        return new RuleBook(histories);
    }
}
