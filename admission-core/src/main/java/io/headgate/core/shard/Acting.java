package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.InForce;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import java.util.Optional;

/** Carries out one action of an operator. */
final class Acting {

    private final Optional<InForce> inForce;
    private final Accounts accounts;
    private final Buckets buckets;
    private final long offset;
    private final long nowMillis;

    Acting(Optional<InForce> inForce, Accounts accounts, Buckets buckets, long offset, long nowMillis) {
        this.inForce = inForce;
        this.accounts = accounts;
        this.buckets = buckets;
        this.offset = offset;
        this.nowMillis = nowMillis;
    }

    /** Why it cannot be carried out, in words; empty when it was. */
    Optional<String> act(Action action) {
        String partitionKey = action.subject().partitionKey();
        AccountEntry account = accounts.of(partitionKey);
        if (action.effect() instanceof Action.Lift lift) {
            Optional<AccountEntry> lifted = account.without(lift.actionId(), offset, nowMillis);
            lifted.ifPresent(without -> accounts.put(partitionKey, without));
            return lifted.isPresent()
                    ? Optional.empty()
                    : Optional.of("it lifts '" + lift.actionId() + "', and no action of that id is in force there");
        }
        if (action.effect() instanceof Action.Reset reset) {
            return onCounter(action, reset.ruleId(), (rule, key) -> buckets.reset(rule, key));
        }
        if (action.effect() instanceof Action.Credit credit) {
            return onCounter(
                    action, credit.ruleId(), (rule, key) -> buckets.credit(rule, key, account, credit.tokens()));
        }
        return keep(action, partitionKey, account);
    }

    /** One that has ended already only replaces: it is read again by a shard that begins anew. */
    private Optional<String> keep(Action action, String partitionKey, AccountEntry account) {
        if (AccountEntry.endOf(action) <= nowMillis) {
            account.without(action.id(), offset, nowMillis).ifPresent(without -> accounts.put(partitionKey, without));
            return Optional.empty();
        }
        AccountEntry next = account.with(action, offset, nowMillis);
        if (next.actions().size() > AccountEntry.MAX_ACTIONS) {
            return Optional.of(AccountEntry.MAX_ACTIONS + " overrides and bans are in force there, as many as may be");
        }
        accounts.put(partitionKey, next);
        return Optional.empty();
    }

    @FunctionalInterface
    private interface OnCounter {
        void act(Rule rule, StateKey key);
    }

    private Optional<String> onCounter(Action action, String ruleId, OnCounter change) {
        if (inForce.isEmpty()) {
            return Optional.of("this shard has no policy yet");
        }
        Admission whose = action.subject().asAdmission();
        Policy policy = inForce.get().counting(Identity.tenantOf(whose.partitionKey()), ruleId);
        Optional<Rule> rule = policy.rule(ruleId)
                .filter(found -> found.stage() == action.subject().stage());
        if (rule.isEmpty()) {
            return Optional.of("there is no rule '" + ruleId + "' in stage '"
                    + action.subject().stage().label() + "'");
        }
        Optional<StateKey> key = Keys.bucket(rule.get(), whose, policy.routes().groupOf(whose.route()));
        if (key.isEmpty()) {
            return Optional.of(
                    "rule " + ruleId + " counts by " + rule.get().scope().label() + ", which is not named in full");
        }
        change.act(rule.get(), key.get());
        return Optional.empty();
    }
}
