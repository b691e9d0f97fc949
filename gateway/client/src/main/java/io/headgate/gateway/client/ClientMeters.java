package io.headgate.gateway.client;

import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Source;
import io.headgate.schemas.PolicyRefusal;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What the client counts. No tag ever holds an identifier. */
final class ClientMeters {

    private static final Tags KAFKA = Tags.of("transport", "kafka");

    private static final Duration[] OBJECTIVES = {
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250)
    };

    private final Map<Source, Counter> allowed = new EnumMap<>(Source.class);
    private final Map<Source, Counter> denied = new EnumMap<>(Source.class);
    private final Counter fallbackAllowed;
    private final Counter fallbackDenied;
    private final Map<Cause, Counter> unavailable = new EnumMap<>(Cause.class);
    private final Timer duration;
    private final Map<Dropped, Counter> dropped = new EnumMap<>(Dropped.class);
    private final Counter resends;
    private final Counter sendFailures;
    private final DistributionSummary batchSize;
    private final Map<PolicyRefusal.Cause, Counter> policyRefusals = new EnumMap<>(PolicyRefusal.Cause.class);
    private final MeterRegistry registry;
    private final List<Gauge> gauges;
    private final LongSupplier nanoClock;
    private volatile long policyVersion;
    private volatile long heardNanos;
    private volatile boolean heard;
    private volatile long policyNanos;

    /** Why a reply was of no use. */
    enum Dropped {
        /** Its batch is answered already, or nobody waits any more. */
        LATE,
        /** It is for another client, or for an earlier life of this one. */
        FOREIGN,
        UNREADABLE
    }

    /**
     * Registers all that a client counts.
     *
     * @param registry where
     * @param nanoClock the client's clock
     * @param pending how many questions wait for an answer
     * @param waiting how many acquisitions wait for budget
     * @param breakersOpen how many shards are not asked for a moment
     */
    ClientMeters(
            MeterRegistry registry,
            LongSupplier nanoClock,
            Supplier<Number> pending,
            Supplier<Number> waiting,
            Supplier<Number> breakersOpen) {
        this.registry = registry;
        this.nanoClock = nanoClock;
        for (Source source : Source.values()) {
            allowed.put(source, checks(registry, "allow", label(source), "none"));
            denied.put(source, checks(registry, "deny", label(source), "none"));
        }
        fallbackAllowed = checks(registry, "allow", "fallback", "none");
        fallbackDenied = checks(registry, "deny", "fallback", "none");
        for (Cause cause : Cause.values()) {
            unavailable.put(cause, checks(registry, "unavailable", "none", label(cause)));
        }
        duration = Timer.builder("ratelimit.decision.duration")
                .description("From the question to its answer, all stages together, whatever the answer")
                .tags(KAFKA)
                .serviceLevelObjectives(OBJECTIVES)
                .register(registry);
        for (Dropped reason : Dropped.values()) {
            dropped.put(
                    reason,
                    Counter.builder("ratelimit.late_replies")
                            .description("Replies that nobody waits for")
                            .tag("reason", label(reason))
                            .register(registry));
        }
        resends = Counter.builder("ratelimit.client.resends")
                .description("Batches sent again under their own number")
                .register(registry);
        sendFailures = Counter.builder("ratelimit.client.send.failures")
                .description("Sends that the producer reported as failed")
                .register(registry);
        batchSize = DistributionSummary.builder("ratelimit.client.batch.size")
                .description("Commands of a batch")
                .serviceLevelObjectives(1, 2, 5, 10, 20, 50, 100, 200, 500)
                .register(registry);
        for (PolicyRefusal.Cause cause : PolicyRefusal.Cause.values()) {
            policyRefusals.put(
                    cause,
                    Counter.builder("ratelimit.client.policy.refusals")
                            .description("Records of the topic of policies that do not count, by cause")
                            .tag("cause", cause.label())
                            .register(registry));
        }
        gauges = List.of(
                Gauge.builder("ratelimit.client.pending", pending)
                        .description("Questions that wait for an answer")
                        .register(registry),
                Gauge.builder("ratelimit.client.waiting", waiting)
                        .description("Acquisitions that wait for their budget")
                        .register(registry),
                Gauge.builder("ratelimit.client.breakers.open", breakersOpen)
                        .description("Shards that are not asked for a moment, because too many calls got no answer")
                        .register(registry),
                Gauge.builder("ratelimit.client.policy.silence", this::policySilenceSeconds)
                        .description("Since the brokers last told what stands on the topic of policies; before that, 0")
                        .baseUnit("seconds")
                        .register(registry),
                Gauge.builder("ratelimit.client.policy.version", () -> policyVersion)
                        .description("Version of the policy that stages are chosen by; 0 while none is known")
                        .register(registry),
                Gauge.builder("ratelimit.client.policy.age", this::policyAgeSeconds)
                        .description("Since the client took up the policy that it goes by; 0 while none is known")
                        .baseUnit("seconds")
                        .register(registry));
    }

    /** A fail mode was engaged. */
    void engaged(String mode, Cause cause) {
        registry.counter(
                        "ratelimit.failmode.engaged",
                        "mode",
                        mode.toLowerCase(Locale.ROOT).replace('_', '-'),
                        "cause",
                        label(cause))
                .increment();
    }

    /** A request to an exempt group came. Groups are names of the policy's, and few. */
    void exempted(String group, boolean admitted) {
        registry.counter("ratelimit.exempt", "endpoint", group, "outcome", admitted ? "allow" : "deny")
                .increment();
    }

    void answered(Answer answer, long nanos) {
        counter(answer).increment();
        duration.record(nanos, TimeUnit.NANOSECONDS);
    }

    void droppedReply(Dropped reason) {
        dropped.get(reason).increment();
    }

    void resent() {
        resends.increment();
    }

    void sendFailed() {
        sendFailures.increment();
    }

    void sentBatch(int commands) {
        batchSize.record(commands);
    }

    void policyRefused(PolicyRefusal.Cause cause) {
        policyRefusals.get(cause).increment();
    }

    void policyTakenUp(long version) {
        policyNanos = nanoClock.getAsLong();
        policyVersion = version;
    }

    private long policyAgeSeconds() {
        return policyVersion == 0 ? 0 : TimeUnit.NANOSECONDS.toSeconds(nanoClock.getAsLong() - policyNanos);
    }

    /** The brokers have told what stands on the topic of policies. */
    void policyHeard() {
        heardNanos = nanoClock.getAsLong();
        heard = true;
    }

    private long policySilenceSeconds() {
        return heard ? TimeUnit.NANOSECONDS.toSeconds(nanoClock.getAsLong() - heardNanos) : 0;
    }

    /** Takes away what would go on showing a client that is no more. */
    void close() {
        gauges.forEach(registry::remove);
    }

    private Counter counter(Answer answer) {
        if (answer instanceof Answer.Decided decided) {
            return (decided.allowed() ? allowed : denied).get(decided.source());
        }
        if (answer instanceof Answer.Fallback fallback) {
            return fallback.admitted() ? fallbackAllowed : fallbackDenied;
        }
        return unavailable.get(((Answer.Unavailable) answer).cause());
    }

    private static Counter checks(MeterRegistry registry, String outcome, String source, String cause) {
        return Counter.builder("ratelimit.checks")
                .description("Questions, each counted once, whatever the number of its stages")
                .tags(KAFKA.and("outcome", outcome, "source", source, "cause", cause))
                .register(registry);
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
