package io.headgate.core.shard;

import io.headgate.core.limit.Counter;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.UnknownZoneException;
import io.headgate.core.limit.Window;
import io.headgate.core.limit.Zones;
import io.headgate.core.policy.Rule;
import java.util.List;

/**
 * Brings a stored counter to the present. What a counter may spend follows from the rule and from the terms of its
 * partition key, and both change with time; a counter is carried through every change since it was last touched: it earns
 * under each limit for as long as that limit held, and is taken over by the next. So a change need not visit all
 * counters, and it makes no difference whether a full one had been dropped before.
 */
final class Timeline {

    private final String ruleId;
    private final List<Era> eras;
    private final List<TermsEra> termsEras;
    private final Zones tables;

    private int era;
    private int termsEra = -1;

    private Timeline(String ruleId, List<Era> line, AccountEntry account, Zones tables) {
        this.ruleId = ruleId;
        this.eras = line;
        this.termsEras = account.eras();
        this.tables = tables;
    }

    /** A rule's limit now, for the holder of an account, with the tables of the zones that it names. */
    static Limit limitNow(Rule rule, AccountEntry account, Zones tables) {
        return located(account.terms().limitOf(rule), account.terms(), tables);
    }

    /** The same at the end of a line. */
    static Limit limitNow(String ruleId, List<Era> line, AccountEntry account, Zones tables) {
        return located(account.terms().limitOf(ruleId, line.get(line.size() - 1)), account.terms(), tables);
    }

    /** The same; without the tables that are missing. */
    static Limit limitAsNamed(String ruleId, List<Era> line, AccountEntry account, Zones tables) {
        return located(ruleId, line.get(line.size() - 1), account.terms(), tables);
    }

    /**
     * A stored counter as the limit in force took it over, brought to the present if the table that this takes is here.
     *
     * @param line the eras of the rule that the counter has seen
     */
    static Counter settled(
            String ruleId, List<Era> line, AccountEntry account, Zones tables, BucketEntry entry, long nowMillis) {
        return new Timeline(ruleId, line, account, tables).carry(entry, nowMillis);
    }

    private Counter carry(BucketEntry entry, long nowMillis) {
        moveTo(entry.offset());
        Limit limit = limit();
        Counter counter = entry.counter();
        if (eras.get(0).fromOffset() > entry.offset() || !limit.owns(counter)) {
            return now().fresh(nowMillis);
        }
        while (hasNext()) {
            Limit before = limit;
            Change change = next();
            limit = limit();
            if (change.fresh() || !limit.algorithm().equals(before.algorithm())) {
                counter = limit.fresh(change.atMillis());
            } else if (!limit.equals(before)) {
                counter = limit.adopted(advanced(before, counter, change.atMillis()), before, change.atMillis());
            }
        }
        return advanced(limit, counter, nowMillis);
    }

    /** While nobody knows when the windows of a limit end, nothing that was spent is forgotten. */
    private static Counter advanced(Limit limit, Counter counter, long millis) {
        return lacksTable(limit) ? counter : limit.advanced(counter, millis);
    }

    private static boolean lacksTable(Limit limit) {
        return limit instanceof FixedWindowLimit windowed && windowed.window() instanceof Window.Calendar;
    }

    private record Change(long atMillis, boolean fresh) {}

    /** Goes to what was in force when the log stood at {@code offset}. */
    private void moveTo(long offset) {
        while (era < eras.size() - 1 && eras.get(era + 1).fromOffset() <= offset) {
            era++;
        }
        while (termsEra < termsEras.size() - 1 && termsEras.get(termsEra + 1).fromOffset() <= offset) {
            termsEra++;
        }
    }

    private Limit limit() {
        Terms terms = termsEra < 0 ? Terms.DEFAULT : termsEras.get(termsEra).terms();
        return located(ruleId, eras.get(era), terms, tables);
    }

    private static Limit located(String ruleId, Era era, Terms terms, Zones tables) {
        Limit named = terms.limitOf(ruleId, era);
        try {
            return located(named, terms, tables);
        } catch (UnknownZoneException notYet) {
            return named;
        }
    }

    private Limit now() {
        era = eras.size() - 1;
        termsEra = termsEras.size() - 1;
        return limit();
    }

    private boolean hasNext() {
        return era < eras.size() - 1 || termsEra < termsEras.size() - 1;
    }

    private Change next() {
        if (ruleIsNext()) {
            Era before = eras.get(era);
            Era began = eras.get(++era);
            return new Change(began.fromMillis(), began.beginsAnewAfter(before));
        }
        TermsEra began = termsEras.get(++termsEra);
        return new Change(began.fromMillis(), began.fresh());
    }

    /**
     * The earlier change comes first; of two at one time what ended by itself, then the one that the log told first, and
     * of two with one record the version whose time had come.
     */
    private boolean ruleIsNext() {
        if (era == eras.size() - 1 || termsEra == termsEras.size() - 1) {
            return era < eras.size() - 1;
        }
        Era rule = eras.get(era + 1);
        TermsEra terms = termsEras.get(termsEra + 1);
        return rule.fromMillis() != terms.fromMillis()
                ? rule.fromMillis() < terms.fromMillis()
                : !terms.ended() && rule.fromOffset() <= terms.fromOffset();
    }

    private static Limit located(Limit limit, Terms terms, Zones tables) {
        return limit.in(name -> tables.named(
                name.equals(Window.Calendar.OF_TENANT) ? terms.zone().orElse("UTC") : name));
    }
}
