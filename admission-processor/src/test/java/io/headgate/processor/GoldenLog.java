package io.headgate.processor;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.Partitioning;
import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlRecords;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.policy.PolicyDocument;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A log of shard 0 with everything in it that may stand in one: batches with and without sessions, sent again early and
 * late; all stages, scopes and algorithms; callers' keys, meters, calendars; policies up, down, broken and out of order;
 * plans, operators' actions and time zones; settings, another key, ticks; bytes that are nothing. The same seed makes the same log, to the byte, on every machine.
 */
final class GoldenLog {

    static final int SHARD = 0;
    static final int RECORDS = 20_000;

    private static final long SEED = 20_261_130L;
    private static final int REMEMBERED = 400;
    private static final int REMEMBERED_KEYED = 20;
    private static final int KEYS_PER_RULE = 150;

    /** A record; its offset is its place. A value may be null. */
    record Entry(long timestampMillis, byte[] value) {}

    private final Random random = new Random(SEED);
    private final List<Entry> entries = new ArrayList<>();
    private final List<byte[]> recent = new ArrayList<>();
    private final long[] sequences = new long[10];
    private final List<String> tenants = keysOf("", 60);
    private final List<String> ips = keysOf("ip:", 300);
    private final List<String> targets = keysOf("target:", 60);
    private final GoldenAccounts accounts = new GoldenAccounts(random, tenants, ips, targets);
    private final List<Command.Ask> keyed = new ArrayList<>();
    private ControlKey key = SampleLog.KEY;
    private long nowMillis = 1_800_000_000_000L;
    private long settingsSource = -1;
    private long policySource = -1;
    private long policyVersion;

    private GoldenLog() {}

    static List<Entry> generate() {
        GoldenLog log = new GoldenLog();
        log.remember(log.requests());
        log.append(log.recent.get(0));
        log.appendSettings(smallSettings(SampleLog.KEY.id(), 200));
        log.append(log.requests());
        log.appendPolicy(log.policy());
        log.append(log.requests());
        log.append(log.control(new Control.CaughtUp()));
        while (log.entries.size() < RECORDS) {
            log.step();
        }
        return log.entries;
    }

    static void write(List<Entry> entries, Path file) throws IOException {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            out.writeInt(entries.size());
            for (Entry entry : entries) {
                out.writeLong(entry.timestampMillis());
                out.writeInt(entry.value() == null ? -1 : entry.value().length);
                if (entry.value() != null) {
                    out.write(entry.value());
                }
            }
        }
    }

    static List<Entry> read(Path file) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            int count = in.readInt();
            for (int i = 0; i < count; i++) {
                long timestampMillis = in.readLong();
                int length = in.readInt();
                entries.add(new Entry(timestampMillis, length < 0 ? null : in.readNBytes(length)));
            }
        }
        return entries;
    }

    /** Small numbers, so that every bound is met. */
    private static ShardSettings smallSettings(String keyId, int sweepEntriesPerTick) {
        return new ShardSettings(1, SampleLog.SHARDS, keyId, 5_000, 16, 7, 60_000, sweepEntriesPerTick);
    }

    /** Names of which, behind the prefix, the key belongs to this shard. */
    private static List<String> keysOf(String prefix, int count) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "n" + i)
                .filter(name -> Partitioning.shardOf(prefix + name, SampleLog.SHARDS) == SHARD)
                .limit(count)
                .toList();
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    private void append(byte[] value) {
        entries.add(new Entry(nowMillis, value));
    }

    private byte[] control(Control control) {
        return ControlRecords.encode(SHARD, control, key);
    }

    private void step() {
        passTime();
        int kind = random.nextInt(1_000);
        if (kind < 800) {
            byte[] batch = requests();
            remember(batch);
            append(batch);
        } else if (kind < 850) {
            append(any(recent));
        } else if (kind < 900) {
            append(control(new Control.Tick(nowMillis + random.nextInt(100))));
        } else if (kind < 940) {
            append(hostile());
        } else if (kind < 965) {
            append(control(accounts.plans()));
        } else if (kind < 985) {
            append(control(accounts.action(nowMillis)));
        } else if (kind < 990) {
            append(control(accounts.zone(nowMillis)));
        } else if (kind < 997) {
            changePolicy();
        } else {
            changeSettings();
        }
    }

    private void passTime() {
        if (oneIn(2_000)) {
            nowMillis += 1_200_000;
        } else if (oneIn(100)) {
            nowMillis -= random.nextInt(2_000);
        } else {
            nowMillis += random.nextInt(40);
        }
    }

    private void remember(byte[] batch) {
        if (recent.size() == REMEMBERED) {
            recent.remove(0);
        }
        recent.add(batch);
    }

    // ---- requests

    private byte[] requests() {
        List<Command> commands = new ArrayList<>();
        for (int i = random.nextInt(8); i >= 0; i--) {
            commands.add(ask());
        }
        return RequestRecords.encode(new Requests(oneIn(3) ? Optional.empty() : Optional.of(attempt()), commands));
    }

    /** More gateways than sessions are remembered; some begin a new life. */
    private Attempt attempt() {
        int gateway = random.nextInt(sequences.length);
        sequences[gateway] += oneIn(10) ? 1 + random.nextInt(30) : 1;
        return new Attempt("gateway-" + gateway, sequences[gateway] / 300, sequences[gateway]);
    }

    private Command ask() {
        Stage stage = any(List.of(Stage.IP, Stage.TARGET, Stage.TENANT));
        String stray = oneIn(100) ? "x" : "";
        Identity who = new Identity(
                any(tenants) + stray,
                oneIn(10) ? "" : "user-" + random.nextInt(8),
                oneIn(3) ? "" : "key-" + random.nextInt(20),
                any(ips) + stray,
                any(targets) + stray);
        if (oneIn(30) && !keyed.isEmpty()) {
            return any(keyed);
        }
        long deadlineMillis = oneIn(4) ? nowMillis - 500 + random.nextInt(2_000) : Command.NEVER;
        Command.Ask ask = new Command.Ask(
                new Admission(stage, who, !oneIn(4), route(), attributes(), costs()),
                oneIn(10),
                deadlineMillis,
                oneIn(10),
                oneIn(6) ? "order-" + random.nextInt(40) : "",
                oneIn(20));
        if (!ask.idempotencyKey().isEmpty() && deadlineMillis == Command.NEVER) {
            keyed.add(ask);
            if (keyed.size() > REMEMBERED_KEYED) {
                keyed.remove(0);
            }
        }
        return ask;
    }

    private Map<String, Long> costs() {
        Map<String, Long> costs = new TreeMap<>();
        costs.put("requests", cost());
        if (oneIn(2)) {
            costs.put("tokens-in", (long) random.nextInt(500));
        }
        return costs;
    }

    private String route() {
        return any(List.of(
                "GET /catalog",
                "GET /catalog/17",
                "POST /reports/export",
                "POST /login",
                "GET /healthz/live",
                "read",
                "ÄÖ"));
    }

    private Map<String, String> attributes() {
        Map<String, String> attributes = new TreeMap<>();
        if (oneIn(3)) {
            attributes.put("plan", oneIn(2) ? "gold" : "tin");
        }
        if (oneIn(5)) {
            attributes.put("naïve", "☃");
        }
        return attributes;
    }

    private long cost() {
        return oneIn(50) ? 1_000_000_000_000L : random.nextInt(5);
    }

    // ---- what is not genuine

    private byte[] hostile() {
        byte[] good = any(recent);
        return switch (random.nextInt(9)) {
            case 0 -> null;
            case 1 -> randomBytes(random.nextInt(200));
            case 2 -> Arrays.copyOf(good, random.nextInt(good.length));
            case 3 -> flipped(good);
            case 4 -> flipped(control(new Control.Tick(nowMillis)));
            case 5 -> ControlRecords.encode(SHARD + 1, new Control.CaughtUp(), key);
            case 6 -> ControlRecords.encode(SHARD, accounts.zone(nowMillis), SampleLog.key("x", 3));
            case 7 -> flipped(control(new Control.ApplyZone(Zone.UTC)));
            default ->
                ControlRecords.encode(
                        SHARD,
                        new Control.ApplyPolicy(policySource + 1, policySource, policy()),
                        SampleLog.key("x", 3));
        };
    }

    private byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] flipped(byte[] good) {
        byte[] bad = good.clone();
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
        return bad;
    }

    // ---- control

    private void changeSettings() {
        switch (random.nextInt(4)) {
            case 0 -> {
                ControlKey next = key.id().equals(SampleLog.KEY.id()) ? SampleLog.OTHER_KEY : SampleLog.KEY;
                appendSettings(smallSettings(next.id(), 200));
                key = next;
            }
            case 1 -> appendSettings(smallSettings(key.id(), 20 + random.nextInt(400)));
            case 2 -> {
                ShardSettings otherShards = ShardSettings.initial(SampleLog.SHARDS + 1, key.id());
                append(control(new Control.ApplySettings(settingsSource + 1, settingsSource, otherShards)));
                settingsSource++;
            }
            default ->
                append(control(
                        new Control.ApplySettings(settingsSource + 9, settingsSource + 5, smallSettings(key.id(), 1))));
        }
    }

    private void appendSettings(ShardSettings settings) {
        append(control(new Control.ApplySettings(settingsSource + 1, settingsSource, settings)));
        settingsSource++;
    }

    private void changePolicy() {
        switch (random.nextInt(6)) {
            case 0 -> append(control(new Control.ApplyPolicy(policySource + 7, policySource + 3, policy())));
            case 1 -> append(control(new Control.ApplyPolicy(policySource, policySource - 1, policy())));
            case 2 -> appendPolicy("{\"spec\":1}".getBytes(StandardCharsets.UTF_8));
            case 3 -> appendPolicy(document(Math.max(1, policyVersion - 1)));
            default -> appendPolicy(policy());
        }
    }

    private void appendPolicy(byte[] document) {
        append(control(new Control.ApplyPolicy(policySource + 1, policySource, document)));
        policySource++;
    }

    /** The next version. */
    private byte[] policy() {
        policyVersion++;
        return document(policyVersion);
    }

    private byte[] document(long version) {
        List<String> rules = new ArrayList<>();
        rules.add(rule("ip-window", "ip", "", "fixed-window", window(20, "10s"), ""));
        rules.add(rule("ip-route", "ip", "route", "sliding-window-counter", window(400, "30s"), ""));
        rules.add(rule("login", "target", "", "sliding-log", window(20, "5m"), ""));
        rules.add(rule("tenant-rate", "tenant", "", "gcra", bucket(40, 20, "1s"), ""));
        rules.add(rule("tenant-free", "tenant", "", "unlimited", "", ""));
        rules.add(rule("key-rate", "tenant", "api-key", "token-bucket", bucket(30, 1, "7s"), ""));
        rules.add(rule("user-gold", "tenant", "user", "token-bucket", bucket(12, 1, "1s"), GOLD));
        rules.add(rule("user-shadow", "tenant", "user", "fixed-window", window(10, "5s"), SHADOW));
        if (!oneIn(4)) {
            rules.add(rule(
                    "user-spend", "tenant", "user", "token-bucket", bucket(60, 0, "1s"), oneIn(4) ? RESETTING : FIXED));
        }
        if (oneIn(2)) {
            String algorithm = oneIn(2) ? "fixed-window" : "sliding-window-counter";
            rules.add(rule("changing", "tenant", oneIn(2) ? "user" : "", algorithm, window(12, "20s"), ""));
        }
        rules.add(rule("daily", "tenant", "", "fixed-window", daily(300), ""));
        rules.add(rule("by-plan", "tenant", "user", "fixed-window", FROM_PLAN, ""));
        rules.add(rule("soft-rate", "tenant", "api-key", "sliding-window-counter", window(30, "20s"), SOFT));
        rules.add(rule("in-parts", "tenant", "", "token-bucket", bucket(8, 1, "9s"), IN_PARTS));
        rules.add(rule("by-tokens", "tenant", "", "gcra", bucket(1_500, 50, "1s"), BY_TOKENS));
        rules.add(rule("at-once", "tenant", "user", "token-bucket", atOnce(8), ""));
        String json = "{\"apiVersion\":\"headgate.io/v1\",\"kind\":\"PolicySnapshot\","
                + "\"metadata\":{\"name\":\"golden\",\"version\":" + version + "},\"spec\":{\"domain\":\"golden\","
                + "\"routes\":{\"read\":[{\"method\":\"GET\",\"path\":\"/catalog\"},"
                + "{\"method\":\"GET\",\"path\":\"/catalog/{id}\"}],"
                + "\"export\":[{\"method\":\"POST\",\"path\":\"/reports/export\"}]},"
                + "\"endpoints\":{\"export\":{\"cost\":5}},"
                + "\"plans\":{\"default\":{\"perMinute\":60},\"gold\":{\"perMinute\":" + (80 + random.nextInt(80))
                + "}},"
                + "\"idempotency\":{\"retention\":\"20s\",\"keysPerTenant\":12},"
                + "\"cardinality\":{\"bucketsPerRuleAndShard\":" + KEYS_PER_RULE + "},"
                + "\"rules\":[" + String.join(",", rules) + "]}}";
        return PolicyDocument.parse(json.getBytes(StandardCharsets.UTF_8)).canonicalBytes();
    }

    private static final String GOLD = "\"match\":{\"attributes\":{\"plan\":\"gold\"}},\"cost\":{\"fromRoute\":true},";
    private static final String FROM_PLAN = "\"limit\":{\"fromPlan\":\"perMinute\",\"per\":\"60s\"},";
    private static final String SOFT = "\"enforcement\":{\"mode\":\"soft\",\"hardAt\":\"150%\"},";
    private static final String IN_PARTS = "\"scope\":{\"composite\":[\"user\",\"attributes.plan\"]},";
    private static final String BY_TOKENS = "\"meter\":\"tokens-in\",";
    private static final String SHADOW = "\"enforcement\":{\"mode\":\"shadow\"},";
    private static final String FIXED = "\"reason\":\"a fixed sum\",";
    private static final String RESETTING = FIXED + "\"resetBudgets\":true,";

    private static String rule(String id, String stage, String scope, String algorithm, String limit, String more) {
        return "{\"id\":\"" + id + "\",\"stage\":\"" + stage + "\","
                + (scope.isEmpty() ? "" : "\"scope\":\"" + scope + "\",")
                + more + limit + "\"algorithm\":\"" + algorithm + "\"}";
    }

    /** Around so many requests. */
    private String window(int requests, String per) {
        return "\"limit\":{\"requests\":" + (requests / 2 + random.nextInt(requests)) + ",\"per\":\"" + per + "\"},";
    }

    private String bucket(int capacity, int tokens, String per) {
        return "\"limit\":{\"capacity\":" + (capacity / 2 + random.nextInt(capacity)) + ",\"refill\":{\"tokens\":"
                + tokens + ",\"per\":\"" + per + "\"}},";
    }

    /** In the zone of each tenant, or in none. */
    private String daily(int requests) {
        return "\"limit\":{\"requests\":" + (requests / 2 + random.nextInt(requests))
                + ",\"per\":\"day\",\"align\":\"calendar\",\"zone\":\"" + (oneIn(4) ? "UTC" : "tenant") + "\"},";
    }

    private String atOnce(int capacity) {
        return "\"limit\":{\"capacity\":" + (capacity / 2 + random.nextInt(capacity))
                + ",\"refill\":{\"tokens\":5,\"per\":\"3s\",\"mode\":\"interval\"}},";
    }
}
