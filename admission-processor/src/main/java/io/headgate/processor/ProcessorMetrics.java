package io.headgate.processor;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.schemas.PolicyRefusal;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** What a processor counts. Never a tenant, a user or any other identifier. */
final class ProcessorMetrics {

    private final MeterRegistry registry;
    private final Map<Verdict, Counter> decisions = new EnumMap<>(Verdict.class);
    private final Counter replayed;
    private final Counter repliesSent;
    private final Counter overflowed;
    private final Counter deadLetters;
    private final Map<PolicyRefusal.Cause, Counter> policiesRefused = new EnumMap<>(PolicyRefusal.Cause.class);
    private final Counter plansApplied;
    private final Counter plansRefused;
    private final Counter actionsApplied;
    private final Counter actionsRefused;
    private final Counter tracesSent;
    private final ShadowTally shadow;

    ProcessorMetrics(MeterRegistry registry, OwnedShards shards) {
        this.registry = registry;
        this.shadow = new ShadowTally(registry);
        for (Verdict verdict : Verdict.values()) {
            decisions.put(
                    verdict,
                    Counter.builder("ratelimit.shard.decisions")
                            .description("Decisions, by verdict; those folded again after a crash count again")
                            .tag("verdict", verdict.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
        replayed = counter("ratelimit.request.duplicates", "Answers repeated to a batch that came again");
        repliesSent = counter("ratelimit.replies.sent", "Reply records that the broker has taken");
        overflowed =
                counter("ratelimit.overflow.debits", "Debits of overflow buckets, because a rule's cap was reached");
        deadLetters = counter("ratelimit.dead_letters", "Records and commands that became dead letters");
        for (PolicyRefusal.Cause cause : PolicyRefusal.Cause.values()) {
            policiesRefused.put(
                    cause,
                    Counter.builder("ratelimit.policy.rejected")
                            .description("Records of the topic of policies that the owner refused to append, by cause")
                            .tag("cause", cause.label())
                            .register(registry));
        }
        plansApplied = counter("ratelimit.plans.applied", "Plans of tenants that owned shards have applied");
        plansRefused = counter("ratelimit.plans.refused", "Records of tenant-plans that the owner refused to append");
        actionsApplied = counter("ratelimit.actions.applied", "Operators' actions that owned shards have carried out");
        actionsRefused =
                counter("ratelimit.actions.refused", "Records of quota-adjustments that the owner refused to append");
        tracesSent = counter("ratelimit.traces.sent", "Traces of decisions that the broker has taken");
        Gauge.builder("ratelimit.shards.owned", shards, it -> it.all().size())
                .description("Shards that this process owns")
                .register(registry);
        Gauge.builder(
                        "ratelimit.shards.halted",
                        shards,
                        it -> it.all().stream()
                                .filter(shard -> shard.halted().isPresent())
                                .count())
                .description("Owned shards that decide nothing because log and state do not fit")
                .register(registry);
        Gauge.builder(
                        "ratelimit.policy.version",
                        shards,
                        it -> it.all().stream()
                                .mapToLong(shard -> shard.view().policyVersion())
                                .min()
                                .orElse(0))
                .description("The oldest policy version in force in an owned shard")
                .register(registry);
    }

    void decided(Iterable<Decision> made) {
        for (Decision decision : made) {
            decisions.get(decision.verdict()).increment();
            if (decision.replayed()) {
                replayed.increment();
            } else {
                decision.denyingRule().ifPresent(rule -> evaluated(rule, "deny"));
                decision.shadowDenials().forEach(rule -> evaluated(rule, "would_deny"));
            }
        }
    }

    ShadowTally shadow() {
        return shadow;
    }

    void replySent() {
        repliesSent.increment();
    }

    void replyDropped(String cause) {
        registry.counter("ratelimit.replies.dropped", "cause", cause).increment();
    }

    void overflowed(int debits) {
        overflowed.increment(debits);
    }

    void deadLetter() {
        deadLetters.increment();
    }

    void policyRefused(PolicyRefusal.Cause cause) {
        policiesRefused.get(cause).increment();
    }

    void plansApplied(int plans) {
        plansApplied.increment(plans);
    }

    void planRefused() {
        plansRefused.increment();
    }

    void actionApplied() {
        actionsApplied.increment();
    }

    void actionRefused() {
        actionsRefused.increment();
    }

    void traceSent() {
        tracesSent.increment();
    }

    void traceDropped(String cause) {
        registry.counter("ratelimit.traces.dropped", "cause", cause).increment();
    }

    void watch(SourceFeed<?> feed) {
        Gauge.builder("ratelimit.feed.behind", feed, SourceFeed::behind)
                .description("Offsets of the topic that owned shards have not applied yet")
                .tag("topic", feed.topic())
                .register(registry);
    }

    /** Log time minus the owner's clock, in milliseconds; far above zero a broker's clock has run ahead. */
    void logTimeAhead(long millis) {
        registry.summary("ratelimit.log_time.ahead").record((double) Math.max(0, millis));
    }

    private void evaluated(String rule, String result) {
        registry.counter("ratelimit.rule.evaluations", "rule", rule, "result", result)
                .increment();
    }

    private Counter counter(String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }
}
