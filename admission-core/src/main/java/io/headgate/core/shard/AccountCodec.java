package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Plans, and the actions that stay in force, as bytes. */
final class AccountCodec {

    private static final int OVERRIDE = 1;
    private static final int BAN = 2;

    private AccountCodec() {}

    static void write(ByteWriter out, TenantPlan plan) {
        out.putString(plan.tenant())
                .putString(plan.status().name())
                .putString(plan.plan())
                .putBoolean(plan.unlimited())
                .putString(plan.zone().orElse(""))
                .putString(plan.homeRegion().orElse(""))
                .putLong(plan.overrides().size());
        plan.overrides().forEach((ruleId, limit) -> {
            out.putString(ruleId);
            LimitCodec.write(out, limit);
        });
    }

    static TenantPlan readPlan(ByteReader in) {
        String tenant = in.getString();
        TenantPlan.Status status = TenantPlan.Status.valueOf(in.getString());
        String plan = in.getString();
        boolean unlimited = in.getBoolean();
        Optional<String> zone = optional(in.getString());
        Optional<String> homeRegion = optional(in.getString());
        SortedMap<String, Limit> overrides = new TreeMap<>();
        for (int left = in.getInt(); left > 0; left--) {
            overrides.put(in.getString(), LimitCodec.readLimit(in));
        }
        return new TenantPlan(tenant, status, plan, unlimited, zone, homeRegion, overrides);
    }

    static void write(ByteWriter out, Action action) {
        out.putString(action.id()).putString(action.author()).putString(action.reason());
        write(out, action.subject());
        if (action.effect() instanceof Action.LimitOverride override) {
            out.put(OVERRIDE).putString(override.ruleId()).putLong(override.untilMillis());
            LimitCodec.write(out, override.limit());
        } else if (action.effect() instanceof Action.Ban ban) {
            out.put(BAN).putString(ban.scope().label()).putLong(ban.untilMillis());
        } else {
            throw new IllegalStateException("action " + action.id() + " is over at once; it is not stored");
        }
    }

    static Action readAction(ByteReader in) {
        String id = in.getString();
        String author = in.getString();
        String reason = in.getString();
        return new Action(id, author, reason, readSubject(in), readEffect(in));
    }

    private static Action.Effect readEffect(ByteReader in) {
        int kind = in.get();
        if (kind == OVERRIDE) {
            String ruleId = in.getString();
            long untilMillis = in.getLong();
            return new Action.LimitOverride(ruleId, LimitCodec.readLimit(in), untilMillis);
        }
        if (kind == BAN) {
            return new Action.Ban(Scope.labelled(in.getString()), in.getLong());
        }
        throw new IllegalStateException("state names action kind " + kind + ", which this release does not know");
    }

    private static void write(ByteWriter out, Subject subject) {
        Identity identity = subject.identity();
        out.putString(subject.stage().label())
                .putString(identity.tenant())
                .putString(identity.user())
                .putString(identity.apiKey())
                .putString(identity.ip())
                .putString(identity.target())
                .putString(subject.route())
                .putLong(subject.attributes().size());
        subject.attributes().forEach((name, value) -> out.putString(name).putString(value));
    }

    private static Subject readSubject(ByteReader in) {
        Stage stage = Stage.labelled(in.getString());
        Identity identity =
                new Identity(in.getString(), in.getString(), in.getString(), in.getString(), in.getString());
        String route = in.getString();
        Map<String, String> attributes = new TreeMap<>();
        for (int left = in.getInt(); left > 0; left--) {
            attributes.put(in.getString(), in.getString());
        }
        return new Subject(stage, identity, route, attributes);
    }

    private static Optional<String> optional(String value) {
        return Optional.of(value).filter(text -> !text.isEmpty());
    }
}
