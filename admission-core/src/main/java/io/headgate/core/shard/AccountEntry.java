package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a shard knows of one partition key besides its counters: a tenant's plan, what operators have done, and the terms
 * that followed from them for as long as a counter may have been left under them.
 *
 * @param plan the plan, if there is one
 * @param actions overrides and bans that have not ended, in the order in which they came
 * @param eras oldest first; before the first the terms were the default
 */
record AccountEntry(Optional<TenantPlan> plan, List<Action> actions, List<TermsEra> eras) implements StateEntry {

    /** The most overrides and bans in force at once. */
    static final int MAX_ACTIONS = 200;

    /** Of more changes within one round of the sweep the oldest are forgotten: refill under them is then not exact. */
    static final int MAX_ERAS = 256;

    static final AccountEntry UNKNOWN = new AccountEntry(Optional.empty(), List.of(), List.of());

    AccountEntry {
        actions = List.copyOf(actions);
        eras = List.copyOf(eras);
    }

    Terms terms() {
        return eras.isEmpty() ? Terms.DEFAULT : eras.get(eras.size() - 1).terms();
    }

    /** Offset since which the terms have been what they are; −1 if they have always been. */
    long sinceOffset() {
        return eras.isEmpty() ? -1 : eras.get(eras.size() - 1).fromOffset();
    }

    boolean suspended() {
        return plan.isPresent() && plan.get().status() == TenantPlan.Status.SUSPENDED;
    }

    /** The id of the override that decides a rule's limit: of several the last. */
    Optional<String> overrideOf(Rule rule) {
        for (int i = actions.size() - 1; i >= 0 && !terms().unlimited(); i--) {
            if (actions.get(i).effect() instanceof Action.LimitOverride override
                    && override.ruleId().equals(rule.id())
                    && Terms.applies(override.limit(), rule.limit())) {
                return Optional.of(actions.get(i).id());
            }
        }
        return Optional.empty();
    }

    /** The account as it is at {@code nowMillis}: actions that have ended meanwhile ended when they said. */
    AccountEntry at(long nowMillis, long offset) {
        if (actions.isEmpty()) {
            return this;
        }
        AccountEntry account = this;
        for (Action ended : actions.stream()
                .filter(action -> endOf(action) <= nowMillis)
                .sorted(Comparator.comparingLong(AccountEntry::endOf))
                .toList()) {
            List<Action> left = new ArrayList<>(account.actions);
            left.remove(ended);
            account = account.become(account.plan, left, offset, endOf(ended), true);
        }
        return account;
    }

    AccountEntry with(TenantPlan next, long offset, long nowMillis) {
        if (next.status() == TenantPlan.Status.REMOVED) {
            return new AccountEntry(
                    Optional.empty(), List.of(), List.of(new TermsEra(offset, nowMillis, Terms.DEFAULT, true, false)));
        }
        return become(Optional.of(next), actions, offset, nowMillis, false);
    }

    /** With an override or a ban; one of the same id is replaced. */
    AccountEntry with(Action action, long offset, long nowMillis) {
        List<Action> next = new ArrayList<>(actions);
        next.removeIf(other -> other.id().equals(action.id()));
        next.add(action);
        return become(plan, next, offset, nowMillis, false);
    }

    Optional<AccountEntry> without(String actionId, long offset, long nowMillis) {
        List<Action> left = new ArrayList<>(actions);
        return left.removeIf(action -> action.id().equals(actionId))
                ? Optional.of(become(plan, left, offset, nowMillis, false))
                : Optional.empty();
    }

    /** Without the eras that ended before {@code offset}, when every counter has been brought past it. */
    AccountEntry since(long offset) {
        int first = 0;
        while (first < eras.size() - 1 && eras.get(first + 1).fromOffset() < offset) {
            first++;
        }
        boolean forgettable = first == eras.size() - 1
                && eras.get(first).fromOffset() < offset
                && eras.get(first).terms().equals(Terms.DEFAULT);
        return new AccountEntry(plan, actions, forgettable ? List.of() : eras.subList(first, eras.size()));
    }

    /** Whether the sweep has nothing to do here: nothing ends by itself and no old terms are kept. */
    boolean settled() {
        return actions.isEmpty() && eras.size() <= 1 && (plan.isPresent() || eras.isEmpty());
    }

    /** Log time at which an override or a ban ends. */
    static long endOf(Action action) {
        if (action.effect() instanceof Action.LimitOverride override) {
            return override.untilMillis();
        }
        return ((Action.Ban) action.effect()).untilMillis();
    }

    private AccountEntry become(
            Optional<TenantPlan> nextPlan, List<Action> nextActions, long offset, long atMillis, boolean ended) {
        Terms next = terms(nextPlan, nextActions);
        List<TermsEra> nextEras = new ArrayList<>(eras);
        if (!next.equals(terms())) {
            nextEras.add(new TermsEra(offset, atMillis, next, false, ended));
        }
        while (nextEras.size() > MAX_ERAS) {
            // What was spent before a fresh beginning must not come back with it.
            nextEras.remove(nextEras.get(0).fresh() ? 1 : 0);
        }
        return new AccountEntry(nextPlan, nextActions, nextEras);
    }

    private static Terms terms(Optional<TenantPlan> plan, List<Action> actions) {
        SortedMap<String, List<Limit>> overrides = new TreeMap<>();
        plan.ifPresent(present -> present.overrides().forEach((ruleId, limit) -> add(limit, ruleId, overrides)));
        for (Action action : actions) {
            if (action.effect() instanceof Action.LimitOverride override) {
                add(override.limit(), override.ruleId(), overrides);
            }
        }
        return new Terms(
                plan.map(TenantPlan::plan).orElse(TenantPlan.DEFAULT),
                plan.map(TenantPlan::unlimited).orElse(false),
                plan.flatMap(TenantPlan::zone),
                overrides);
    }

    /** The last comes first; one of each algorithm is enough. */
    private static void add(Limit limit, String ruleId, SortedMap<String, List<Limit>> overrides) {
        List<Limit> limits = overrides.computeIfAbsent(ruleId, none -> new ArrayList<>());
        limits.removeIf(other -> other.algorithm().equals(limit.algorithm()));
        limits.add(0, limit);
    }

    @Override
    public byte[] toBytes() {
        ByteWriter out = new ByteWriter().putBoolean(plan.isPresent());
        plan.ifPresent(present -> AccountCodec.write(out, present));
        out.putLong(actions.size());
        actions.forEach(action -> AccountCodec.write(out, action));
        out.putLong(eras.size());
        eras.forEach(era -> era.writeTo(out));
        return out.toBytes();
    }

    static AccountEntry fromBytes(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        Optional<TenantPlan> plan = in.getBoolean() ? Optional.of(AccountCodec.readPlan(in)) : Optional.empty();
        List<Action> actions = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            actions.add(AccountCodec.readAction(in));
        }
        List<TermsEra> eras = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            eras.add(TermsEra.readFrom(in));
        }
        return new AccountEntry(plan, actions, eras);
    }
}
