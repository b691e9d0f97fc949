package io.headgate.processor;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.Partitioning;
import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.ControlRecords;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Records of shard logs, for tests. */
final class SampleLog {

    static final int SHARDS = 8;

    /** The key that a new shard begins with; the other one is held too, but not pinned. */
    static final ControlKey KEY = key("a-first", 1);

    static final ControlKey OTHER_KEY = key("b-second", 2);

    static final ControlKeys KEYS = new ControlKeys(List.of(KEY, OTHER_KEY));

    private SampleLog() {}

    static ControlKey key(String id, int filling) {
        byte[] secret = new byte[ControlKey.MIN_SECRET_LENGTH];
        Arrays.fill(secret, (byte) filling);
        return new ControlKey(id, secret);
    }

    static ShardSettings initialSettings() {
        return ShardSettings.initial(SHARDS, KEY.id());
    }

    static byte[] settings(int shard) {
        return ControlRecords.encode(shard, new Control.ApplySettings(0, -1, initialSettings()), KEY);
    }

    static byte[] policy(int shard, long source, long previous, PolicyDocument document) {
        return ControlRecords.encode(shard, new Control.ApplyPolicy(source, previous, document.canonicalBytes()), KEY);
    }

    static byte[] caughtUp(int shard) {
        return ControlRecords.encode(shard, new Control.CaughtUp(), KEY);
    }

    static byte[] tick(int shard, long ownerMillis) {
        return ControlRecords.encode(shard, new Control.Tick(ownerMillis), KEY);
    }

    static byte[] plans(int shard, long source, long previous, TenantPlan... plans) {
        return ControlRecords.encode(shard, new Control.ApplyPlans(source, previous, List.of(plans)), KEY);
    }

    static byte[] action(int shard, long source, long previous, Action action) {
        return ControlRecords.encode(shard, new Control.ApplyAction(source, previous, action), KEY);
    }

    static byte[] zone(int shard, Zone zone) {
        return ControlRecords.encode(shard, new Control.ApplyZone(zone), KEY);
    }

    /** A plan with limits of its own. */
    static TenantPlan overriding(String tenant, Optional<String> zone, Map<String, Limit> overrides) {
        return new TenantPlan(
                tenant,
                TenantPlan.Status.ACTIVE,
                TenantPlan.DEFAULT,
                false,
                zone,
                Optional.empty(),
                new TreeMap<>(overrides));
    }

    static TenantPlan suspended(String tenant) {
        return new TenantPlan(
                tenant,
                TenantPlan.Status.SUSPENDED,
                TenantPlan.DEFAULT,
                false,
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>());
    }

    /** What an operator does to a tenant. */
    static Action act(String id, String tenant, Action.Effect effect) {
        Subject subject = new Subject(Stage.TENANT, new Identity(tenant, "", "", "", ""), "", Map.of());
        return new Action(id, "ada", "a test", subject, effect);
    }

    /** All that a shard needs to decide, in order. */
    static List<byte[]> beginning(int shard, PolicyDocument document) {
        return List.of(settings(shard), policy(shard, 0, -1, document), caughtUp(shard));
    }

    /** A policy with one rule: so many requests a tenant, and none comes back. */
    static PolicyDocument budget(long version, long tokens) {
        return document(
                version,
                "northstar",
                "{\"id\":\"budget\",\"stage\":\"tenant\",\"algorithm\":\"token-bucket\",\"reason\":\"a fixed sum\","
                        + "\"limit\":{\"capacity\":" + tokens + ",\"refill\":{\"tokens\":0,\"per\":\"1s\"}}}");
    }

    static PolicyDocument document(long version, String domain, String rules) {
        String json =
                "{\"apiVersion\":\"headgate.io/v1\",\"kind\":\"PolicySnapshot\",\"metadata\":{\"name\":\"sample\","
                        + "\"version\":" + version + "},\"spec\":{\"domain\":\"" + domain + "\",\"rules\":[" + rules
                        + "]}}";
        return PolicyDocument.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    /** What the document is on the topic of policies. */
    static byte[] record(PolicyDocument document) {
        return PolicyRecord.of(document, List.of()).toBytes();
    }

    /** The n-th tenant that lives in the shard. */
    static String tenantOf(int shard, int n) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "tenant-" + i)
                .filter(tenant -> Partitioning.shardOf(tenant, SHARDS) == shard)
                .skip(n)
                .findFirst()
                .orElseThrow();
    }

    static Command.Ask ask(String tenant) {
        return ask(tenant, 1, Command.NEVER);
    }

    static Command.Ask ask(String tenant, long cost, long deadlineMillis) {
        Identity who = new Identity(tenant, "u1", "", "", "");
        return new Command.Ask(
                new Admission(Stage.TENANT, who, true, "GET /catalog", Map.of(), cost), false, deadlineMillis, false);
    }

    /** A batch of a client without sessions. */
    static byte[] batch(Command... commands) {
        return RequestRecords.encode(new LogRecord.Requests(Optional.empty(), List.of(commands)));
    }

    static byte[] batch(String gateway, long sequence, Command... commands) {
        return RequestRecords.encode(
                new LogRecord.Requests(Optional.of(new LogRecord.Attempt(gateway, 1, sequence)), List.of(commands)));
    }

    static byte[] oneCommandTooMany(String tenant) {
        // 500 fit into a record; the wire itself has no such bound, so two encoded batches are spliced.
        byte[] full = RequestRecords.encode(new LogRecord.Requests(
                Optional.empty(), Collections.nCopies(LogRecord.Requests.MAX_COMMANDS, ask(tenant))));
        byte[] one = batch(ask(tenant));
        // Header 10 bytes, null attempt 1, count: zigzag 500 = 1000 → E8 07, zigzag 1 = 2 → 02; commands; end 00.
        byte[] body = Arrays.copyOfRange(one, 11, one.length);
        byte[] spliced = Arrays.copyOf(full, full.length - 1 + body.length);
        System.arraycopy(body, 0, spliced, full.length - 1, body.length);
        return spliced;
    }
}
