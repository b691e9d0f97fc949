package io.headgate.processor;

import io.headgate.core.shard.Control;
import io.headgate.core.shard.ShardSettings;
import io.headgate.core.shard.ShardView;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.ControlRecords;
import io.headgate.schemas.PolicyHistory;
import io.headgate.schemas.TopicCatalogue;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an owner appends to the logs of its shards: settings to a shard that has none, each policy that a shard has not
 * applied, the word that it is caught up, and a tick at each interval.
 *
 * <p>It remembers nothing that matters. What a shard still needs follows from what the shard says of itself, and a
 * record that is appended twice, by this owner or by another that thinks it owns the shard too, changes nothing.
 */
final class ControlFeed implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(ControlFeed.class);

    private static final TopicPartition POLICIES = new TopicPartition(TopicCatalogue.POLICIES, 0);

    private static final Duration POLL = Duration.ofMillis(50);

    /** How long to wait for a shard to fold what was appended before it is appended again. */
    private static final long REPEAT_AFTER_MILLIS = 3_000;

    private final ProcessorSettings settings;
    private final int shardCount;
    private final ControlKeys keys;
    private final OwnedShards shards;
    private final ProcessorMetrics metrics;
    private final Consumer<byte[], byte[]> policies;
    private final Producer<byte[], byte[]> log;
    private final Clock clock;

    private final PolicyHistory history = new PolicyHistory();
    private final Map<Integer, Appended> appended = new TreeMap<>();
    private long policiesEnd = -1;
    private long lastTickMillis;
    private volatile boolean stopped;

    ControlFeed(
            ProcessorSettings settings,
            int shardCount,
            ControlKeys keys,
            OwnedShards shards,
            ProcessorMetrics metrics,
            Consumer<byte[], byte[]> policies,
            Producer<byte[], byte[]> log,
            Clock clock) {
        this.settings = settings;
        this.shardCount = shardCount;
        this.keys = keys;
        this.shards = shards;
        this.metrics = metrics;
        this.policies = policies;
        this.log = log;
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
                shards.all().forEach(this::bringUp);
            } catch (WakeupException | InterruptException stop) {
                LOG.debug("woken up");
            } catch (KafkaException trouble) {
                LOG.atWarn().addKeyValue("reason", trouble.getMessage()).log("control feed will try again");
            }
        }
        policies.close();
        log.close();
    }

    void stop() {
        stopped = true;
        policies.wakeup();
    }

    private void follow() {
        if (policiesEnd < 0) {
            policiesEnd = policies.endOffsets(List.of(POLICIES)).get(POLICIES);
        }
        for (ConsumerRecord<byte[], byte[]> record : policies.poll(POLL)) {
            history.take(record.offset(), record.value()).ifPresent(reason -> {
                metrics.policyRefused();
                LOG.atError()
                        .addKeyValue("topic", record.topic())
                        .addKeyValue("offset", record.offset())
                        .addKeyValue("reason", reason)
                        .log("policy refused; the one in force stays");
            });
        }
    }

    private void tick() {
        long nowMillis = clock.millis();
        if (Math.abs(nowMillis - lastTickMillis) >= settings.tickMillis()) {
            lastTickMillis = nowMillis;
            for (OwnedShard shard : shards.all()) {
                append(shard, new Control.Tick(nowMillis));
            }
        }
    }

    /** Appends all that the shard lacks, in order, unless that was done and may still be under way. */
    private void bringUp(OwnedShard shard) {
        ShardView view = shard.view();
        List<Control> lacking = lacking(view);
        if (shard.halted().isPresent() || lacking.isEmpty() || isUnderWay(shard)) {
            return;
        }
        lacking.forEach(control -> append(shard, control));
        appended.put(shard.number(), new Appended(shard, newestPolicy(), knowsAllPolicies(), clock.millis()));
    }

    private List<Control> lacking(ShardView view) {
        List<Control> lacking = new ArrayList<>();
        if (view.settings().isEmpty()) {
            ShardSettings initial =
                    settings.initialSettings(shardCount, keys.first().id());
            lacking.add(new Control.ApplySettings(view.settingsSource() + 1, view.settingsSource(), initial));
        }
        long previous = view.policySource();
        for (PolicyHistory.Accepted policy : history.after(previous)) {
            lacking.add(new Control.ApplyPolicy(policy.offset(), previous, policy.document()));
            previous = policy.offset();
        }
        boolean hasPolicy = previous >= 0;
        if (!view.caughtUp() && hasPolicy && knowsAllPolicies()) {
            lacking.add(new Control.CaughtUp());
        }
        return lacking;
    }

    private boolean isUnderWay(OwnedShard shard) {
        Appended last = appended.get(shard.number());
        return last != null
                && last.shard() == shard
                && last.newestPolicy() == newestPolicy()
                && last.withCaughtUp() == knowsAllPolicies()
                && clock.millis() - last.atMillis() < REPEAT_AFTER_MILLIS;
    }

    /** Whether everything that stood on the topic when this process began has been read. */
    private boolean knowsAllPolicies() {
        return policiesEnd >= 0 && policies.position(POLICIES) >= policiesEnd;
    }

    private long newestPolicy() {
        return history.newest().map(PolicyHistory.Accepted::offset).orElse(-1L);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells what came of it
    private void append(OwnedShard shard, Control control) {
        ControlKey key = shard.view()
                .settings()
                .map(pinned -> keys.find(pinned.controlKeyId()).orElseThrow())
                .orElseGet(keys::first);
        log.send(
                new ProducerRecord<>(
                        TopicCatalogue.ADMISSION_REQUESTS,
                        shard.number(),
                        null,
                        ControlRecords.encode(shard.number(), control, key)),
                (sent, failure) -> {
                    if (failure != null) {
                        LOG.atWarn()
                                .addKeyValue("shard", shard.number())
                                .addKeyValue("reason", failure.getMessage())
                                .log("control record could not be appended; it will be tried again");
                    }
                });
    }
}
