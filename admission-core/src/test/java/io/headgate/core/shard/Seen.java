package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rollout;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.LogRecord.Requests;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What random logs have brought, so that a generator that has gone stale does not pass for proof. */
final class Seen {

    private static final List<String> EVERYTHING = List.of(
            "ALLOW",
            "CONFLICT",
            "DENY",
            "DENY headgate.banned",
            "DENY headgate.suspended",
            "DENY with a rule",
            "DENY without a hint",
            "ERROR for want of room",
            "EXPIRED",
            "MISROUTED",
            "NOT_READY",
            "action Ban",
            "action Credit",
            "action Lift",
            "action LimitOverride",
            "action Reset",
            "action that is refused",
            "actions named",
            "key repeated",
            "peek",
            "plan ACTIVE",
            "plan REMOVED",
            "plan SUSPENDED",
            "plan unlimited",
            "policy for some routes",
            "policy for some tenants",
            "policy for everybody",
            "policy refused",
            "policy that waits",
            "policy whose time has come",
            "decided by the version rolled out",
            "decided by the version for everybody beside another",
            "repeated batch",
            "shadow denial",
            "soft denial",
            "soft denial without a pace",
            "table",
            "tick");

    private final Map<String, Long> times = new TreeMap<>();
    private long operations;

    /** What came of a record between two views of the shard. */
    void look(LogRecord record, Folded folded, ShardView before, ShardView after) {
        boolean policy = record.payload() instanceof Controlled controlled
                && controlled.control() instanceof Control.ApplyPolicy;
        boolean entered = after.policyVersion() != before.policyVersion()
                || (after.rolledOutVersion() != before.rolledOutVersion() && after.rolledOutVersion() > 0);
        if (policy && !folded.problems().isEmpty()) {
            count("policy refused");
        }
        if (policy && after.pendingVersion() > before.pendingVersion()) {
            count("policy that waits");
        }
        if (!policy && entered) {
            count("policy whose time has come");
        }
        if (after.rolledOutVersion() > 0) {
            for (Decision decision : folded.decisions()) {
                if (!decision.replayed()) {
                    count(
                            decision.policyVersion() == after.rolledOutVersion()
                                    ? "decided by the version rolled out"
                                    : "decided by the version for everybody beside another");
                }
            }
        }
        look(record, folded);
    }

    /** A version that came, for whomever it is. */
    void look(Policy policy) {
        Rollout rollout = policy.activation().rollout();
        if (rollout instanceof Rollout.Everybody) {
            count("policy for everybody");
        } else {
            count(rollout instanceof Rollout.Tenants ? "policy for some tenants" : "policy for some routes");
        }
    }

    private void look(LogRecord record, Folded folded) {
        if (record.payload() instanceof Requests requests) {
            for (int i = 0; i < requests.commands().size(); i++) {
                look(requests, requests.commands().get(i), folded.decisions().get(i));
            }
        } else if (record.payload() instanceof Controlled controlled) {
            look(controlled.control(), folded);
        }
    }

    private void look(Requests requests, Command command, Decision decision) {
        operations++;
        count(decision.verdict().name());
        boolean keyed =
                command instanceof Command.Ask ask && !ask.idempotencyKey().isEmpty();
        if (command instanceof Command.Ask ask && ask.peek()) {
            count("peek");
        }
        if (decision.replayed()) {
            count(requests.attempt().isEmpty() && keyed ? "key repeated" : "repeated batch");
        }
        if (decision.verdict() == Verdict.ERROR && keyed && decision.reason().contains("as many as may be")) {
            count("ERROR for want of room");
        }
        if (decision.verdict() == Verdict.DENY) {
            count(
                    decision.limit().isPresent()
                            ? "DENY with a rule"
                            : "DENY " + decision.denyingRule().orElseThrow());
            if (decision.retryAfterMillis().isEmpty()) {
                count("DENY without a hint");
            }
        }
        if (!decision.shadowDenials().isEmpty()) {
            count("shadow denial");
        }
        if (!decision.softDenials().isEmpty()) {
            count(decision.paceAfterMillis().isPresent() ? "soft denial" : "soft denial without a pace");
        }
        if (!decision.actions().isEmpty()) {
            count("actions named");
        }
    }

    private void look(Control control, Folded folded) {
        operations++;
        if (control instanceof Control.ApplyZone) {
            count("table");
        } else if (control instanceof Control.Tick) {
            count("tick");
        } else if (control instanceof Control.ApplyPlans plans) {
            for (TenantPlan plan : plans.plans()) {
                count("plan " + plan.status());
                if (plan.unlimited()) {
                    count("plan unlimited");
                }
            }
        } else if (control instanceof Control.ApplyAction it) {
            Action.Effect effect = it.action().effect();
            count(
                    folded.problems().isEmpty()
                            ? "action " + effect.getClass().getSimpleName()
                            : "action that is refused");
        }
    }

    private void count(String what) {
        times.merge(what, 1L, Long::sum);
    }

    /** Commands and control records. */
    long operations() {
        return operations;
    }

    void assertThatNothingIsMissing() {
        assertThat(times.keySet()).as("%s", times).containsAll(EVERYTHING);
        EVERYTHING.forEach(what -> assertThat(times.get(what)).as(what).isGreaterThan(100));
    }
}
