package io.headgate.processor;

import io.headgate.core.shard.Control;
import io.headgate.core.shard.ShardSettings;
import io.headgate.core.shard.ShardView;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.PolicyHistory;
import io.headgate.schemas.PolicyStatus;
import io.headgate.schemas.PolicyStatusReports;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.ZoneTables;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an owner appends to the logs of its shards, in this order: settings to a shard that has none, the tables of time
 * zones, each policy that a shard has not applied, plans, actions, and the word that it is caught up; and a tick at each
 * interval, whatever else there is to do.
 *
 * <p>It remembers nothing that matters. What a shard still needs follows from what the shard says of itself, and a
 * record that is appended twice, by this owner or by another that thinks it owns the shard too, changes nothing.
 */
final class ControlFeed implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(ControlFeed.class);

    private static final TopicPartition POLICIES = new TopicPartition(TopicCatalogue.POLICIES, 0);

    private static final Duration POLL = Duration.ofMillis(50);

    /** While shards are behind: about as long as one takes to fold what is before it. */
    private static final Duration SHORT_POLL = Duration.ofMillis(5);

    /** How long to wait for a shard to fold what was appended before it is appended again. */
    private static final long REPEAT_AFTER_MILLIS = 3_000;

    private final ProcessorSettings settings;
    private final int shardCount;
    private final ControlKeys keys;
    private final OwnedShards shards;
    private final ProcessorMetrics metrics;
    private final Consumer<byte[], byte[]> policies;
    private final SourceFeed<?> plans;
    private final SourceFeed<?> actions;
    private final ShardLogs logs;
    private final PolicyStatusReports reports;
    private final Clock clock;

    private final PolicyHistory history;
    private final Map<Integer, Appended> appended = new TreeMap<>();
    private Optional<PolicyStatusReports.Refused> refused = Optional.empty();
    private long policiesEnd = -1;
    private long lastTickMillis;
    private boolean moreToRead;
    private volatile boolean stopped;

    ControlFeed(
            ProcessorSettings settings,
            int shardCount,
            ControlKeys keys,
            PolicyTrust trust,
            OwnedShards shards,
            ProcessorMetrics metrics,
            Consumer<byte[], byte[]> policies,
            SourceFeed<?> plans,
            SourceFeed<?> actions,
            ShardLogs logs,
            PolicyStatusReports reports,
            Clock clock) {
        this.settings = settings;
        this.shardCount = shardCount;
        this.keys = keys;
        this.history = new PolicyHistory(trust);
        this.shards = shards;
        this.metrics = metrics;
        this.policies = policies;
        this.plans = plans;
        this.actions = actions;
        this.logs = logs;
        this.reports = reports;
        this.clock = clock;
    }

    /** For which ownership of a shard all that was known was appended, and when. */
    private record Appended(OwnedShard shard, long newestPolicy, boolean withCaughtUp, long atMillis) {}

    @Override
    public void run() {
        policies.assign(List.of(POLICIES));
        policies.seekToBeginning(List.of(POLICIES));
        while (!stopped) {
            try {
                follow();
                tick();
                List<OwnedShard> owned = shards.all();
                owned.forEach(this::bringUp);
                feed(owned);
                report(owned);
            } catch (WakeupException | InterruptException stop) {
                LOG.debug("woken up");
            } catch (KafkaException trouble) {
                LOG.atWarn().addKeyValue("reason", trouble.getMessage()).log("control feed will try again");
            }
        }
        policies.close();
        plans.close();
        actions.close();
        logs.close();
        reports.close();
    }

    void stop() {
        stopped = true;
        policies.wakeup();
    }

    /** Plans come when a policy is in force, actions when all plans are there that were when the shard was taken over. */
    private void feed(List<OwnedShard> owned) {
        long nowMillis = clock.millis();
        boolean morePlans = plans.feed(owned, this::hasPolicy, nowMillis);
        boolean moreActions = actions.feed(owned, plans::broughtUp, nowMillis);
        moreToRead = morePlans || moreActions;
    }

    private void follow() {
        if (policiesEnd < 0) {
            policiesEnd = policies.endOffsets(List.of(POLICIES)).get(POLICIES);
        }
        for (ConsumerRecord<byte[], byte[]> record : policies.poll(patience())) {
            history.take(record.offset(), record.timestamp(), record.value()).ifPresent(refusal -> {
                metrics.policyRefused(refusal.cause());
                refused = Optional.of(new PolicyStatusReports.Refused(record.offset(), refusal.reason()));
                LOG.atError()
                        .addKeyValue("topic", record.topic())
                        .addKeyValue("offset", record.offset())
                        .addKeyValue("cause", refusal.cause().label())
                        .addKeyValue("reason", refusal.reason())
                        .log("policy refused; the one in force stays");
            });
        }
    }

    /** Says which versions each shard goes by; of a shard that was lost, no more. */
    private void report(List<OwnedShard> owned) {
        long nowMillis = clock.millis();
        Set<String> reporters = new TreeSet<>();
        for (OwnedShard shard : owned) {
            ShardView view = shard.view();
            String reporter = PolicyStatus.shard(shard.number());
            reporters.add(reporter);
            reports.say(
                    reporter,
                    new PolicyStatusReports.Versions(
                            view.policySource(), view.policyVersion(), view.rolledOutVersion(), view.pendingVersion()),
                    refused,
                    nowMillis);
        }
        reports.keepOnly(reporters, nowMillis);
    }

    private Duration patience() {
        if (moreToRead) {
            return Duration.ZERO;
        }
        return plans.behind() > 0 || actions.behind() > 0 ? SHORT_POLL : POLL;
    }

    private void tick() {
        long nowMillis = clock.millis();
        if (Math.abs(nowMillis - lastTickMillis) >= settings.tickMillis()) {
            lastTickMillis = nowMillis;
            for (OwnedShard shard : shards.all()) {
                logs.append(shard, new Control.Tick(nowMillis));
            }
        }
    }

    /** Appends all that the shard lacks, in order, unless that was done and may still be under way. */
    private void bringUp(OwnedShard shard) {
        if (shard.halted().isPresent() || isUnderWay(shard)) {
            return;
        }
        List<Control> lacking = lacking(shard.view(), mayDecide(shard));
        if (!lacking.isEmpty()) {
            lacking.forEach(control -> logs.append(shard, control));
            appended.put(shard.number(), new Appended(shard, newestPolicy(), mayDecide(shard), clock.millis()));
        }
    }

    private List<Control> lacking(ShardView view, boolean mayDecide) {
        List<Control> lacking = new ArrayList<>();
        if (view.settings().isEmpty()) {
            ShardSettings initial =
                    settings.initialSettings(shardCount, keys.first().id());
            lacking.add(new Control.ApplySettings(view.settingsSource() + 1, view.settingsSource(), initial));
        }
        lackingZones(view).forEach(zone -> lacking.add(new Control.ApplyZone(ZoneTables.around(zone, clock.millis()))));
        long previous = view.policySource();
        for (PolicyHistory.Accepted policy : history.after(previous)) {
            lacking.add(new Control.ApplyPolicy(policy.offset(), previous, policy.document()));
            previous = policy.offset();
        }
        if (!view.caughtUp() && mayDecide) {
            lacking.add(new Control.CaughtUp());
        }
        return lacking;
    }

    /** Zones that a policy names and the shard does not know, and those whose tables are about to end. */
    private Set<String> lackingZones(ShardView view) {
        Set<String> lacking = new TreeSet<>(history.zonesFrom(view.policySource()));
        lacking.removeAll(view.zones().keySet());
        view.zones().forEach((zone, untilMillis) -> {
            if (ZoneTables.endsSoon(untilMillis, clock.millis()) && ZoneTables.knows(zone)) {
                lacking.add(zone);
            }
        });
        return lacking;
    }

    private boolean hasPolicy(OwnedShard shard) {
        return knowsAllPolicies() && shard.view().policyVersion() > 0;
    }

    /** Whether the shard has all that there was when it was taken over. */
    private boolean mayDecide(OwnedShard shard) {
        return knowsAllPolicies() && actions.broughtUp(shard);
    }

    private boolean isUnderWay(OwnedShard shard) {
        Appended last = appended.get(shard.number());
        return last != null
                && last.shard() == shard
                && last.newestPolicy() == newestPolicy()
                && last.withCaughtUp() == mayDecide(shard)
                && clock.millis() - last.atMillis() < REPEAT_AFTER_MILLIS;
    }

    /** Whether everything that stood on the topic when this process began has been read. */
    private boolean knowsAllPolicies() {
        return policiesEnd >= 0 && policies.position(POLICIES) >= policiesEnd;
    }

    private long newestPolicy() {
        return history.newest().map(PolicyHistory.Accepted::offset).orElse(-1L);
    }
}
