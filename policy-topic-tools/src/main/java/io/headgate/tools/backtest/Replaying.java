package io.headgate.tools.backtest;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Decision;
import io.headgate.core.policy.Policy;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.ZoneTables;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.ZoneNames;
import io.headgate.tools.OfflineShard;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** One shard's log, folded again under one policy from no counters on. */
final class Replaying implements Side<ShardRecord> {

    private final OfflineShard shard;

    private Replaying(OfflineShard shard) {
        this.shard = shard;
    }

    /** Begins with nobody having spent anything. */
    static Replaying begin(int number, int shards, PolicyDocument document) {
        Policy policy = OfflineShard.atOnce(document.policy());
        OfflineShard shard = new OfflineShard(number, settings(shards), policy, document.canonicalBytes());
        shard.know(known(ZoneNames.zones(policy)));
        return new Replaying(shard);
    }

    static Replaying readFrom(DataInput in, int number, int shards, PolicyDocument document) throws IOException {
        Policy policy = OfflineShard.atOnce(document.policy());
        return new Replaying(OfflineShard.readFrom(in, number, settings(shards), policy));
    }

    void writeTo(DataOutput out) throws IOException {
        shard.writeTo(out);
    }

    private static ShardSettings settings(int shards) {
        return ShardSettings.initial(shards, "none");
    }

    /** Takes plans that it begins with. */
    void begin(Control.ApplyPlans plans) {
        know(plans.plans());
        shard.fold(new LogRecord.Controlled(plans));
    }

    /** Decides from here on. */
    void open() {
        shard.control(new Control.CaughtUp());
    }

    @Override
    public List<List<Decision>> decide(ShardRecord record) {
        if (record.payload() instanceof LogRecord.Controlled controlled) {
            shard.advance(record.timeMillis(), 0);
            apply(controlled.control());
            return List.of();
        }
        LogRecord.Requests requests = (LogRecord.Requests) record.payload();
        shard.advance(record.timeMillis(), requests.commands().size());
        List<Decision> decisions = shard.fold(requests).decisions();
        List<List<Decision>> ofEach = new ArrayList<>(decisions.size());
        for (Decision decision : decisions) {
            ofEach.add(List.of(decision));
        }
        return ofEach;
    }

    /**
     * What was written to the log for the shard that was, told to this one. Its chain of records is another, so each is
     * told as the first of its kind that is known; repeats are still told apart. The policy is this one's own, and so are
     * its ticks.
     */
    private void apply(Control control) {
        if (control instanceof Control.ApplyPlans plans) {
            know(plans.plans());
            tell(new Control.ApplyPlans(plans.source(), -1, plans.plans()));
        } else if (control instanceof Control.ApplyAction action) {
            tell(new Control.ApplyAction(action.source(), -1, action.action()));
        } else if (control instanceof Control.ApplySettings settings) {
            tell(new Control.ApplySettings(settings.source() + 1, -1, settings.settings()));
        } else if (control instanceof Control.ApplyZone zone) {
            tell(zone);
        }
    }

    /** A shard may refuse it, as it did then. */
    private void tell(Control control) {
        shard.fold(new LogRecord.Controlled(control));
    }

    private void know(Collection<TenantPlan> plans) {
        for (TenantPlan plan : plans) {
            Set<String> named = ZoneNames.zones(plan);
            if (!named.isEmpty()) {
                shard.know(known(named));
            }
        }
    }

    private static Set<String> known(Set<String> names) {
        Set<String> known = new TreeSet<>(names);
        known.removeIf(name -> !ZoneTables.knows(name));
        return known;
    }
}
