package io.headgate.tools;

import io.headgate.core.account.Action;
import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.ActionRecords;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.trust.SigningKey;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/** Where an operator sits: a cluster in memory, a clock that stands, and what the last command said. */
public final class Desk {

    public static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
    public static final int SHARDS = 8;

    private final MemoryCluster cluster = new MemoryCluster(NOW.toEpochMilli());
    private final List<Map<String, String>> settings = new ArrayList<>();
    private InputStream in = InputStream.nullInputStream();
    private String out = "";
    private String err = "";

    /** With all topics, and nothing on them. */
    public Desk() {
        cluster.create(TopicCatalogue.POLICIES, 1);
        cluster.create(TopicCatalogue.POLICY_STATUS, 1);
        cluster.create(TopicCatalogue.ADMISSION_REQUESTS, SHARDS);
        cluster.create(TopicCatalogue.TENANT_PLANS, SHARDS);
        cluster.create(TopicCatalogue.QUOTA_ADJUSTMENTS, SHARDS);
    }

    public Desk publish(String yaml, SigningKey... keys) {
        try {
            PolicyDocument document = PolicyFile.read("policy.yaml", yaml.getBytes(StandardCharsets.UTF_8));
            PolicyRecord record = PolicyRecord.of(
                    document, Stream.of(keys).map(key -> key.sign(document)).toList());
            cluster.put(TopicCatalogue.POLICIES, 0, record.key(), record.toBytes());
            return this;
        } catch (PolicyFileException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Lets the next commands read this from standard input. */
    public Desk typing(String text) {
        in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** Runs {@code headgate} with these arguments. */
    public int run(String... args) {
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        int code = Headgate.run(
                args,
                outBytes,
                errBytes,
                new Surroundings(
                        given -> {
                            settings.add(given);
                            return cluster;
                        },
                        Clock.fixed(NOW, ZoneOffset.UTC),
                        new Random(7),
                        in));
        out = outBytes.toString(StandardCharsets.UTF_8);
        err = errBytes.toString(StandardCharsets.UTF_8);
        return code;
    }

    /** Runs {@code headgate tenant …} against the cluster. */
    public int tenant(String... args) {
        return run(concat(concat(new String[] {"tenant"}, args), "--bootstrap-servers", "memory:1"));
    }

    /** Runs {@code headgate policy …} against the cluster. */
    public int policy(String... args) {
        return run(concat(concat(new String[] {"policy"}, args), "--bootstrap-servers", "memory:1"));
    }

    /** The same, with an author and a reason. */
    public int signed(String... args) {
        return tenant(concat(args, "--author", "ann", "--reason", "because"));
    }

    public String out() {
        return out;
    }

    public String err() {
        return err;
    }

    public MemoryCluster cluster() {
        return cluster;
    }

    /** The settings with which a cluster was last reached. */
    public Map<String, String> settings() {
        return settings.get(settings.size() - 1);
    }

    public boolean reachedACluster() {
        return !settings.isEmpty();
    }

    /** The plans on the topic that are long enough to be any, in the order of the shards. */
    public List<PlanRecord> plans() {
        return cluster.records(TopicCatalogue.TENANT_PLANS).stream()
                .filter(record -> record.value() != null && record.value().length > 3)
                .map(record -> PlanRecord.fromBytes(record.value()))
                .toList();
    }

    /** The actions on the topic, in the order of the shards. */
    public List<Action> actions() {
        return cluster.records(TopicCatalogue.QUOTA_ADJUSTMENTS).stream()
                .map(record -> ActionRecords.decode(record.value()))
                .toList();
    }

    public void put(PlanRecord plan, long writtenMillis) {
        int shard = Partitioning.shardOf(plan.plan().tenant(), SHARDS);
        cluster.put(TopicCatalogue.TENANT_PLANS, shard, plan.key(), plan.toBytes(), writtenMillis);
    }

    public void put(Action action, long writtenMillis) {
        int shard = Partitioning.shardOf(action.subject().partitionKey(), SHARDS);
        cluster.put(
                TopicCatalogue.QUOTA_ADJUSTMENTS,
                shard,
                ActionRecords.key(action),
                ActionRecords.encode(action),
                writtenMillis);
    }

    private static String[] concat(String[] first, String... then) {
        return Stream.concat(Stream.of(first), Stream.of(then)).toArray(String[]::new);
    }
}
