package io.headgate.schemas;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.wire.ActionKind;
import io.headgate.schemas.wire.OperatorAction;
import java.nio.charset.StandardCharsets;

/** Operators' actions as they stand on {@code quota-adjustments}. */
public final class ActionRecords {

    private static final WireFormat<OperatorAction> FORMAT = new WireFormat<>(OperatorAction.class);

    private ActionRecords() {}

    /** The record's key. */
    public static byte[] key(Action action) {
        return action.id().getBytes(StandardCharsets.UTF_8);
    }

    public static byte[] encode(Action action) {
        Identity who = action.subject().identity();
        OperatorAction.Builder record = OperatorAction.newBuilder()
                .setId(action.id())
                .setAuthor(action.author())
                .setReason(action.reason())
                .setStage(action.subject().stage().label())
                .setTenant(who.tenant())
                .setUser(who.user())
                .setApiKey(who.apiKey())
                .setIp(who.ip())
                .setTarget(who.target())
                .setRoute(action.subject().route())
                .setAttributes(action.subject().attributes());
        write(record, action.effect());
        return FORMAT.encode(record.build());
    }

    /**
     * Reads a record of {@code quota-adjustments}.
     *
     * @throws UnreadableRecordException if there is no action in the bytes, naming what is wrong with it
     */
    public static Action decode(byte[] bytes) {
        OperatorAction record = FORMAT.decode(bytes);
        try {
            Subject subject = new Subject(
                    Stage.labelled(record.getStage()),
                    new Identity(
                            record.getTenant(),
                            record.getUser(),
                            record.getApiKey(),
                            record.getIp(),
                            record.getTarget()),
                    record.getRoute(),
                    record.getAttributes());
            return new Action(record.getId(), record.getAuthor(), record.getReason(), subject, effect(record));
        } catch (IllegalArgumentException outOfRange) {
            throw new UnreadableRecordException("action: " + outOfRange.getMessage());
        }
    }

    private static void write(OperatorAction.Builder record, Action.Effect effect) {
        if (effect instanceof Action.LimitOverride it) {
            record.setKind(ActionKind.OVERRIDE)
                    .setRuleId(it.ruleId())
                    .setLimit(LimitRecords.toWire(it.limit()))
                    .setUntilMillis(it.untilMillis());
        } else if (effect instanceof Action.Ban it) {
            record.setKind(ActionKind.BAN).setScope(it.scope().label()).setUntilMillis(it.untilMillis());
        } else if (effect instanceof Action.Lift it) {
            record.setKind(ActionKind.LIFT).setActionId(it.actionId());
        } else if (effect instanceof Action.Reset it) {
            record.setKind(ActionKind.RESET).setRuleId(it.ruleId());
        } else if (effect instanceof Action.Credit it) {
            record.setKind(ActionKind.CREDIT).setRuleId(it.ruleId()).setTokens(it.tokens());
        }
    }

    private static Action.Effect effect(OperatorAction record) {
        return switch (record.getKind()) {
            case OVERRIDE -> {
                if (record.getLimit() == null) {
                    throw new IllegalArgumentException("limit is missing; an override sets one");
                }
                yield new Action.LimitOverride(
                        record.getRuleId(), LimitRecords.fromWire(record.getLimit()), record.getUntilMillis());
            }
            case BAN -> new Action.Ban(Scope.labelled(record.getScope()), record.getUntilMillis());
            case LIFT -> new Action.Lift(record.getActionId());
            case RESET -> new Action.Reset(record.getRuleId());
            case CREDIT -> new Action.Credit(record.getRuleId(), record.getTokens());
            case UNKNOWN -> throw new IllegalArgumentException("kind is not one that this release knows");
        };
    }
}
