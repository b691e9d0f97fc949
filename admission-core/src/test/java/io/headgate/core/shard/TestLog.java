package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Decision;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.shard.LogRecord.Attempt;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The log of shard 0: each record that is appended is folded at once, and what came of it returned. */
public final class TestLog {

    /** One shard, so no key is misrouted. */
    public static final ShardSettings ONE_SHARD = ShardSettings.initial(1, "test-key");

    private final TestPolicies policies = new TestPolicies();
    private final MemoryStore store;
    private Shard shard;
    private long millis;
    private long settingsSource = -1;
    private long policySource = -1;
    private long planSource = -1;
    private long actionSource = -1;
    private Tracer tracer = Tracer.NONE;

    public TestLog() {
        this(new MemoryStore());
    }

    public TestLog(MemoryStore store) {
        this.store = store;
        this.shard = new Shard(0, store, policies);
    }

    /** From now on somebody watches. */
    public TestLog watchedBy(Tracer watcher) {
        tracer = watcher;
        restart();
        return this;
    }

    /** A shard that decides: settings, a policy of version 1 with these rules, caught up, at time 0. */
    public static TestLog under(Rule... rules) {
        return under(ONE_SHARD, TestRules.policy(1, rules));
    }

    public static TestLog under(ShardSettings settings, Policy policy) {
        TestLog log = new TestLog();
        log.settings(settings);
        log.policy(policy);
        log.caughtUp();
        return log;
    }

    /** From now on records are appended at this time. */
    public TestLog at(long nowMillis) {
        millis = nowMillis;
        return this;
    }

    public Folded append(LogRecord.Payload payload) {
        return shard.fold(new LogRecord(shard.view().nextOffset(), millis, payload));
    }

    public Folded control(Control control) {
        return append(new LogRecord.Controlled(control));
    }

    public Folded settings(ShardSettings settings) {
        long previous = settingsSource++;
        return control(new Control.ApplySettings(settingsSource, previous, settings));
    }

    public Folded policy(Policy policy) {
        long previous = policySource++;
        return control(new Control.ApplyPolicy(policySource, previous, document(policy)));
    }

    public byte[] document(Policy policy) {
        return policies.add(policy);
    }

    public Folded plans(TenantPlan... plans) {
        long previous = planSource++;
        return control(new Control.ApplyPlans(planSource, previous, List.of(plans)));
    }

    public Folded act(String id, Caller about, Action.Effect effect) {
        return act(new Action(id, "ops@example.org", "because a test says so", about.subject(), effect));
    }

    public Folded act(Action action) {
        long previous = actionSource++;
        return control(new Control.ApplyAction(actionSource, previous, action));
    }

    public Folded zone(Zone zone) {
        return control(new Control.ApplyZone(zone));
    }

    public Folded caughtUp() {
        return control(new Control.CaughtUp());
    }

    public Folded tick() {
        return control(new Control.Tick(0));
    }

    public Folded send(Command... commands) {
        return append(new LogRecord.Requests(Optional.empty(), List.of(commands)));
    }

    public Folded send(Attempt attempt, Command... commands) {
        return append(new LogRecord.Requests(Optional.of(attempt), List.of(commands)));
    }

    public Decision admit(Caller caller) {
        return send(caller.admit()).decisions().get(0);
    }

    public Decision admit(Caller caller, String idempotencyKey) {
        return send(caller.admitAs(idempotencyKey)).decisions().get(0);
    }

    public Decision peek(Caller caller) {
        return send(caller.peek()).decisions().get(0);
    }

    /** The process dies and another opens the state. */
    public void restart() {
        shard = new Shard(0, store, policies, tracer);
    }

    public Shard shard() {
        return shard;
    }

    public MemoryStore store() {
        return store;
    }

    /** Every entry of the state whose key begins with one of these kinds; all of them without any. */
    SortedMap<String, String> entries(int... kinds) {
        return Dump.of(store, kinds);
    }

    SortedMap<String, String> buckets() {
        return entries(Keys.BUCKET, Keys.TALLY);
    }

    /** Counters of one rule. */
    SortedMap<String, String> buckets(String ruleId) {
        SortedMap<String, String> found = new TreeMap<>(entries(Keys.BUCKET));
        String prefix = Dump.hex(Keys.buckets(ruleId).from());
        found.keySet().removeIf(key -> !key.startsWith(prefix));
        return found;
    }
}
