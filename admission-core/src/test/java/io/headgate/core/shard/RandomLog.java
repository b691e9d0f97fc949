package io.headgate.core.shard;

import io.headgate.core.limit.TestZones;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Policy;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.LogRecord.Controlled;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/** Makes a log of everything that can happen to a shard, with few keys, small limits and short times, so that it does. */
final class RandomLog {

    /** Of shard 1 of 2; birch is of the other. */
    static final List<String> TENANTS = List.of("atlas", "cedar", "fjord");

    static final List<String> ADDRESSES = List.of("10.0.0.4", "10.0.0.5", "10.0.0.1");
    static final List<String> TARGETS = ofShard1("target:", "kim", "lee", "ana", "bob", "eve", "joe");
    static final List<String> USERS = List.of("", "U-1", "U-2", "U-3");
    static final List<String> API_KEYS = List.of("", "K-1", "K-2");

    /** So many that no test reaches the bound by accident. */
    static final long NO_BOUND = 1_000_000;

    private static final List<String> ROUTES =
            List.of("GET /catalog/7", "POST /export", "PUT /orders/1?x=2", "GET /nowhere", "catalog");
    private static final List<String> CALLERS_KEYS = List.of("once", "twice", "again");
    private static final List<Zone> TABLES =
            RandomPolicies.ZONES.stream().map(TestZones::table).toList();

    /** The epoch, any day, and moments before a day, a month or the offset of a zone changes. */
    private static final List<Long> STARTS = Stream.of(
                    "1970-01-01T00:00:00Z",
                    "2023-11-14T22:13:20Z",
                    "2011-12-30T09:59:50Z",
                    "2018-02-18T01:59:50Z",
                    "2018-11-04T02:59:50Z",
                    "2026-03-28T22:59:50Z",
                    "2026-10-25T06:59:50Z",
                    "2028-02-29T22:59:50Z",
                    "2027-12-31T18:29:50Z")
            .map(text -> Instant.parse(text).toEpochMilli())
            .toList();

    private static final long DAY_MILLIS = 24 * 3_600_000L;

    private final Random random;
    private final TestPolicies documents = new TestPolicies();
    private final RandomPolicies policies;
    private final RandomOperators operators;
    private final boolean hasty;
    private final List<LogRecord.Requests> sent = new ArrayList<>();
    private final List<Command> keyed = new ArrayList<>();
    private final List<Controlled> told = new ArrayList<>();
    private final long[] lastSequence = new long[4];
    private long policySource = -1;
    private long millis;

    RandomLog(Random random, long bucketsPerRule) {
        this(random, bucketsPerRule, NO_BOUND);
    }

    RandomLog(Random random, long bucketsPerRule, long keysPerTenant) {
        this.random = random;
        this.policies = new RandomPolicies(random, bucketsPerRule, keysPerTenant);
        this.operators = new RandomOperators(random, policies);
        this.hasty = random.nextInt(3) == 0;
        this.millis = any(STARTS);
    }

    TestPolicies policies() {
        return documents;
    }

    /** So many records: settings, tables of zones, a first policy, caught-up, and then anything. */
    List<LogRecord> records(ShardSettings settings, int count) {
        List<LogRecord> records = new ArrayList<>();
        for (LogRecord.Payload payload : beginning(settings)) {
            records.add(new LogRecord(records.size(), nextMillis(), payload));
        }
        while (records.size() < count) {
            long at = nextMillis();
            records.add(new LogRecord(records.size(), at, next()));
        }
        return records;
    }

    private List<LogRecord.Payload> beginning(ShardSettings settings) {
        List<LogRecord.Payload> beginning = new ArrayList<>();
        beginning.add(new Controlled(new Control.ApplySettings(0, -1, settings)));
        TABLES.forEach(table -> beginning.add(new Controlled(new Control.ApplyZone(table))));
        if (random.nextInt(4) == 0) {
            beginning.add(new Controlled(operators.action(millis)));
        }
        beginning.add(policyChange());
        beginning.add(new Controlled(new Control.CaughtUp()));
        return beginning;
    }

    /** The time of the next record; sometimes the broker's clock goes back. */
    private long nextMillis() {
        switch (random.nextInt(14)) {
            case 0, 1, 2, 3, 4 -> {}
            case 5, 6 -> millis += 1;
            case 7, 8 -> millis += random.nextInt(100);
            case 9 -> millis += random.nextInt(3_000);
            case 10 -> millis += pause();
            case 11 -> millis = Math.max(millis, operators.nextEndMillis());
            case 12 -> millis = Math.max(millis, policies.nextTimeMillis());
            default -> {
                return Math.max(0, millis - random.nextInt(5_000));
            }
        }
        return millis;
    }

    private long pause() {
        if (hasty && random.nextInt(3) == 0) {
            return random.nextInt(4) == 0 ? random.nextInt(40) * DAY_MILLIS : random.nextInt((int) DAY_MILLIS);
        }
        return random.nextInt(100) == 0 ? 200_000 : 1_000;
    }

    private LogRecord.Payload next() {
        return switch (random.nextInt(60)) {
            case 0, 1 -> random.nextInt(3) != 0 ? policyChange() : new LogRecord.Unreadable("noise");
            case 2, 3, 4, 5, 6, 7 -> new Controlled(new Control.Tick(millis));
            case 8, 9 -> sent.isEmpty() ? requests() : sent.get(random.nextInt(sent.size()));
            case 10, 11 -> sent.isEmpty() ? requests() : sent.get(sent.size() - 1);
            case 12 -> told(operators.plans());
            case 13, 14, 15, 16 -> told(operators.action(millis));
            case 17 -> again();
            default -> requests();
        };
    }

    /** A control record that came before, or a table of a zone that says less. */
    private LogRecord.Payload again() {
        if (told.isEmpty() || random.nextBoolean()) {
            Zone table = any(TABLES);
            return new Controlled(new Control.ApplyZone(
                    new Zone(table.id(), table.offsets().subList(0, 1), table.untilMillis() - 1)));
        }
        return any(told);
    }

    private LogRecord.Requests requests() {
        List<Command> commands = new ArrayList<>();
        int size = random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 1;
        for (int i = 0; i < size; i++) {
            commands.add(command());
        }
        // In haste a session would be idle for so long that the sweep decides when it is forgotten.
        if (hasty || random.nextInt(3) != 0) {
            return new LogRecord.Requests(Optional.empty(), commands);
        }
        int session = random.nextInt(lastSequence.length);
        lastSequence[session] += random.nextInt(8) == 0 ? 1 + random.nextInt(20) : 1;
        LogRecord.Requests requests = new LogRecord.Requests(
                Optional.of(new Attempt("gateway-" + session / 2, session % 2 - 1L, lastSequence[session])), commands);
        sent.add(requests);
        return requests;
    }

    private Command command() {
        if (random.nextInt(40) == 0) {
            return new Command.Malformed("noise");
        }
        if (!keyed.isEmpty() && random.nextInt(10) == 0) {
            return keyed.get(keyed.size() - 1 - random.nextInt(Math.min(6, keyed.size())));
        }
        Caller caller = caller().route(any(ROUTES)).cost(cost());
        if (random.nextInt(4) == 0) {
            caller = caller.attribute("plan", random.nextBoolean() ? "free" : "paid");
        }
        if (random.nextInt(4) == 0) {
            caller = caller.anonymous();
        }
        if (random.nextBoolean()) {
            caller = caller.cost("tokens-in", random.nextInt(4));
        }
        long deadline = random.nextInt(10) == 0 ? millis + random.nextInt(20) - 10 : Command.NEVER;
        Command.Ask ask = new Command.Ask(
                caller.admission(),
                random.nextInt(6) == 0,
                deadline,
                random.nextInt(4) == 0,
                random.nextInt(5) == 0 ? any(CALLERS_KEYS) : "",
                random.nextInt(20) == 0);
        if (!ask.idempotencyKey().isEmpty()) {
            keyed.add(ask);
        }
        return ask;
    }

    private Caller caller() {
        return switch (random.nextInt(12)) {
            case 0, 1 -> Caller.address(any(ADDRESSES));
            case 2 -> Caller.target(any(TARGETS));
            default ->
                Caller.tenant(random.nextInt(12) == 0 ? "birch" : any(TENANTS))
                        .user(any(USERS))
                        .apiKey(any(API_KEYS))
                        .ip(random.nextInt(3) == 0 ? "10.0.0.9" : "");
        };
    }

    private long cost() {
        return switch (random.nextInt(10)) {
            case 0 -> 0;
            case 1 -> 2 + random.nextInt(4);
            case 2 -> random.nextInt(10) == 0 ? 1_000_000_000_000L : 1;
            default -> 1;
        };
    }

    private Controlled policyChange() {
        Policy policy = policies.next(millis);
        long previous = policySource++;
        return told(new Control.ApplyPolicy(policySource, previous, documents.add(policy)));
    }

    private Controlled told(Control control) {
        told.add(new Controlled(control));
        return told.get(told.size() - 1);
    }

    private static List<String> ofShard1(String prefix, String... names) {
        return Stream.of(names)
                .filter(name -> Partitioning.shardOf(prefix + name, 2) == 1)
                .toList();
    }

    private <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
