package io.headgate.core.shard;

import io.headgate.core.account.TenantPlan;

/** The accounts of a shard, within one record. */
final class Accounts {

    private final WorkingSet state;
    private final long offset;
    private final long nowMillis;

    Accounts(WorkingSet state, long offset, long nowMillis) {
        this.state = state;
        this.offset = offset;
        this.nowMillis = nowMillis;
    }

    /** The account of a partition key as it is now. */
    AccountEntry of(String partitionKey) {
        if (partitionKey.isEmpty()) {
            return AccountEntry.UNKNOWN;
        }
        AccountEntry stored =
                state.get(Keys.account(partitionKey), AccountEntry::fromBytes).orElse(AccountEntry.UNKNOWN);
        AccountEntry now = stored.at(nowMillis, offset);
        if (!now.actions().equals(stored.actions())) {
            put(partitionKey, now);
        }
        return now;
    }

    void put(String partitionKey, AccountEntry account) {
        if (account.equals(AccountEntry.UNKNOWN)) {
            state.delete(Keys.account(partitionKey));
        } else {
            state.put(Keys.account(partitionKey), account);
        }
        if (!account.settled()) {
            state.put(Keys.accountDue(partitionKey), Due.MARK);
        }
    }

    void apply(TenantPlan plan) {
        put(plan.tenant(), of(plan.tenant()).with(plan, offset, nowMillis));
    }

    /** Forgets old terms, and the account with them if there is nothing else in it. */
    void sweep(String partitionKey, long seenOffset) {
        AccountEntry before = of(partitionKey);
        AccountEntry after = before.since(seenOffset);
        if (!after.equals(before)) {
            put(partitionKey, after);
        }
        if (after.settled()) {
            state.delete(Keys.accountDue(partitionKey));
        }
    }

    /** Says of an account that the sweep has something to do. */
    record Due() implements StateEntry {

        static final Due MARK = new Due();

        @Override
        public byte[] toBytes() {
            return new byte[] {1};
        }
    }
}
