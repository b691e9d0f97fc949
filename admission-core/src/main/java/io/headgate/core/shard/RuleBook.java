package io.headgate.core.shard;

import io.headgate.core.policy.Rollout.Tenants;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The histories of all rules that the shard may still hold counters of, by rule id. */
record RuleBook(SortedMap<String, RuleHistory> histories) implements StateEntry {

    /** The natural order, without asking of each id whether it has one: every decision looks its rules up. */
    private static final Comparator<String> BY_ID = String::compareTo;

    static final RuleBook EMPTY = new RuleBook(new TreeMap<>());

    /** The most names of tenants that versions are rolled out to, all versions within one round of the sweep together. */
    static final int MAX_NAMES = 20_000;

    RuleBook {
        SortedMap<String, RuleHistory> copy = new TreeMap<>(BY_ID);
        copy.putAll(histories);
        histories = Collections.unmodifiableSortedMap(copy);
    }

    RuleHistory of(String ruleId) {
        return histories.get(ruleId);
    }

    /**
     * The book once a version has taken effect. A rule that is gone keeps its history for as long as it has counters.
     *
     * @throws IllegalArgumentException if limits changed too often for the sweep to keep up
     */
    RuleBook under(PolicyChange change) {
        SortedMap<String, RuleHistory> next = new TreeMap<>(histories);
        List<Tenants> groups = groups();
        change.begun(group -> known(group, groups)).forEach((id, begun) -> {
            RuleHistory history = next.get(id);
            for (Era era : begun.eras()) {
                history = history == null ? new RuleHistory(begun.shadow(), List.of(era)) : history.followedBy(era);
            }
            if (history == null) {
                throw new IllegalStateException("rule " + id + " is in force and has no limit");
            }
            if (history.eras().size() > RuleHistory.MAX_ERAS) {
                throw new IllegalArgumentException(
                        "the limit of rule " + id + " changed more than " + RuleHistory.MAX_ERAS
                                + " times within one round of the sweep; wait a minute and publish again");
            }
            next.put(id, history.as(begun.shadow()));
        });
        RuleBook book = new RuleBook(next);
        int names =
                book.groups().stream().mapToInt(group -> group.tenants().size()).sum();
        if (names > MAX_NAMES) {
            throw new IllegalArgumentException("the versions rolled out within one round of the sweep name " + names
                    + " tenants, above " + MAX_NAMES + "; wait a minute and publish again, or roll out by percent");
        }
        return book;
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

    /** The group, or one equal to it that was seen before. */
    private static Tenants known(Tenants group, List<Tenants> seen) {
        for (Tenants earlier : seen) {
            if (earlier.equals(group)) {
                return earlier;
            }
        }
        seen.add(group);
        return group;
    }

    /** The groups of tenants of all eras, each once. Eras share theirs, so comparing them is quick. */
    private List<Tenants> groups() {
        List<Tenants> groups = new ArrayList<>();
        for (RuleHistory history : histories.values()) {
            for (Era era : history.eras()) {
                era.audience().groups().forEach(group -> known(group, groups));
            }
        }
        return groups;
    }

    @Override
    public byte[] toBytes() {
        List<Tenants> groups = groups();
        ByteWriter out = new ByteWriter().putLong(groups.size());
        for (Tenants group : groups) {
            out.putLong(group.hundredths()).putLong(group.tenants().size());
            group.tenants().forEach(out::putString);
        }
        out.putLong(histories.size());
        histories.forEach((id, history) -> {
            out.putString(id);
            history.writeTo(out, groups);
        });
        return out.toBytes();
    }

    static RuleBook fromBytes(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        List<Tenants> groups = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            groups.add(readGroup(in));
        }
        SortedMap<String, RuleHistory> histories = new TreeMap<>();
        for (int left = in.getInt(); left > 0; left--) {
            String id = in.getString();
            histories.put(id, RuleHistory.readFrom(in, groups));
        }
        return new RuleBook(histories);
    }

    private static Tenants readGroup(ByteReader in) {
        int hundredths = in.getInt();
        SortedSet<String> names = new TreeSet<>();
        for (int left = in.getInt(); left > 0; left--) {
            names.add(in.getString());
        }
        return new Tenants(names, hundredths);
    }
}
