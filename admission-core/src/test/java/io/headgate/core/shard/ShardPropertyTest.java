package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.Seeds;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Trace;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.Counter;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.TestZones;
import io.headgate.core.limit.UnknownZoneException;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.Rule;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.LogRecord.Requests;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What holds of a shard whatever its log says. */
class ShardPropertyTest {

    private static final int RECORDS = 1_500;
    private static final int SHORT_LOGS = 420;
    private static final int LONG_LOGS = 5;
    private static final int LONG = 20_000;
    private static final List<String> SHADOW_IDS = List.of("d", "e");
    private static final Map<String, Zone> TABLES =
            RandomPolicies.ZONES.stream().collect(Collectors.toMap(zone -> zone, TestZones::table));

    /** Two shards; few attempts a session, so that they wrap; sessions live longer than any test. */
    private static ShardSettings settings(int sweepEntriesPerTick) {
        return new ShardSettings(1, 2, "test-key", 2_000, 16, 100, 7 * 24 * 3_600_000L, sweepEntriesPerTick);
    }

    @Test
    void it_decides_as_a_naive_shard_decides_in_a_million_random_operations() {
        Seen seen = new Seen();
        Seeds.forEach(SHORT_LOGS, random -> decidesAsANaiveShard(random, RECORDS, seen));
        Seeds.forEach(LONG_LOGS, random -> decidesAsANaiveShard(random, LONG, seen));

        if (Seeds.areUsual()) {
            assertThat(seen.operations()).isGreaterThanOrEqualTo(1_000_000);
            seen.assertThatNothingIsMissing();
        }
    }

    /** With and without restarts, with a sweep that is fast or slow: it makes no difference to the naive shard. */
    private static void decidesAsANaiveShard(Random random, int records, Seen seen) {
        boolean keysAreScarce = random.nextBoolean();
        RandomLog log = new RandomLog(random, TestRules.NO_CAP, keysAreScarce ? 2 : RandomLog.NO_BOUND);
        // The sweep decides when a caller's key makes room for another: in every tick, then, if there is little room.
        ShardSettings settings = settings(keysAreScarce ? 100_000 : 1 + random.nextInt(random.nextBoolean() ? 3 : 20));
        MemoryStore store = new MemoryStore();
        Shard shard = new Shard(1, store, log.policies(), new Onlooker(random.nextLong()));
        NaiveShard naive = new NaiveShard(1, settings, log.policies());
        for (LogRecord record : log.records(settings, records)) {
            if (random.nextInt(50) == 0) {
                shard = new Shard(1, store, log.policies());
            }

            ShardView before = shard.view();
            Folded folded = shard.fold(record);

            seen.look(record, folded, before, shard.view());
            if (record.payload() instanceof Controlled it && it.control() instanceof Control.ApplyPolicy apply) {
                seen.look(log.policies().read(apply.document()));
            }
            NaiveShard.Outcome expected = naive.fold(record);
            if (!withoutWords(folded.decisions()).equals(expected.decisions())) {
                assertThat(withoutWords(folded.decisions()))
                        .as("record %s", record)
                        .isEqualTo(expected.decisions());
            }
            assertThat(folded.problems().isEmpty())
                    .as("record %s: %s", record, folded.problems())
                    .isEqualTo(expected.accepted());
        }
        assertSound(store, log.policies());
    }

    /** Wants to see some decisions, and takes what it gets. */
    private static final class Onlooker implements Tracer {

        private final Random random;

        Onlooker(long seed) {
            random = new Random(seed);
        }

        @Override
        public boolean wants(DecisionId id, Verdict verdict) {
            return random.nextInt(4) == 0;
        }

        @Override
        public void take(Trace trace) {
            assertThat(trace.lines()).allMatch(line -> line.chargeTokens() >= 0);
        }
    }

    @Test
    void a_store_of_objects_comes_to_the_same_state_and_decisions_as_one_of_bytes() {
        Seeds.forEach(60, random -> {
            boolean scarce = random.nextBoolean();
            RandomLog log = new RandomLog(random, scarce ? 3 : TestRules.NO_CAP, scarce ? 2 : RandomLog.NO_BOUND);
            MemoryStore bytes = new MemoryStore();
            HeapStore objects = new HeapStore();
            Shard overBytes = new Shard(1, bytes, log.policies());
            Shard overObjects = new Shard(1, objects, log.policies());
            for (LogRecord record : log.records(settings(1 + random.nextInt(20)), RECORDS)) {
                if (random.nextInt(20) == 0) {
                    objects = random.nextBoolean() ? objects : copy(objects);
                    overObjects = new Shard(1, objects, log.policies());
                }

                Folded expected = overBytes.fold(record);
                Folded folded = overObjects.fold(record);

                assertThat(folded).as("record %s", record).isEqualTo(expected);
                assertThat(objects.size()).isEqualTo(bytes.size());
            }
            assertThat(Dump.of(objects)).isEqualTo(Dump.of(bytes));
        });
    }

    /** As from a file: bytes, until somebody reads them. */
    private static HeapStore copy(HeapStore store) {
        HeapStore copy = new HeapStore();
        store.scan(new byte[0], Keys.END, Integer.MAX_VALUE).forEach(entry -> copy.put(entry.key(), entry.value()));
        return copy;
    }

    @Test
    void restarts_at_any_offset_change_neither_state_nor_decisions() {
        Seeds.forEach(60, random -> {
            boolean scarce = random.nextBoolean();
            RandomLog log = new RandomLog(random, scarce ? 3 : TestRules.NO_CAP, scarce ? 2 : RandomLog.NO_BOUND);
            MemoryStore steadyStore = new MemoryStore();
            MemoryStore restartedStore = new MemoryStore();
            Shard steady = new Shard(1, steadyStore, log.policies());
            Shard restarted = new Shard(1, restartedStore, log.policies());
            for (LogRecord record : log.records(settings(1 + random.nextInt(20)), RECORDS)) {
                if (random.nextInt(5) == 0) {
                    restarted = new Shard(1, restartedStore, log.policies());
                }

                Folded expected = steady.fold(record);
                Folded folded = restarted.fold(record);

                assertThat(folded).as("record %s", record).isEqualTo(expected);
                if (record.offset() % 50 == 0) {
                    assertThat(Dump.of(restartedStore)).isEqualTo(Dump.of(steadyStore));
                }
            }
            assertThat(Dump.of(restartedStore)).isEqualTo(Dump.of(steadyStore));
            assertThat(restarted.view()).isEqualTo(steady.view());
            assertSound(steadyStore, log.policies());
        });
    }

    /** Fjord is in no rollout; in the other log the versions that are for some never come. */
    @Test
    void a_tenant_outside_of_rollouts_decides_to_the_byte_as_if_they_had_never_been_published() {
        AtomicInteger rollouts = new AtomicInteger();
        Seeds.forEach(60, random -> {
            RandomLog log = new RandomLog(random, TestRules.NO_CAP);
            TestPolicies policies = new TestPolicies();
            Shard shard = new Shard(1, new MemoryStore(), policies);
            Shard without = new Shard(1, new MemoryStore(), policies);
            for (LogRecord record : log.records(settings(1 + random.nextInt(20)), RECORDS)) {
                LogRecord atOnce = withoutFjord(record, log.policies(), policies);
                boolean forSome = atOnce.payload() instanceof Controlled it
                        && it.control() instanceof Control.ApplyPolicy apply
                        && !policies.read(apply.document()).activation().isWhole();

                List<Decision> decisions = shard.fold(atOnce).decisions();

                rollouts.addAndGet(forSome ? 1 : 0);
                List<Decision> others =
                        without.fold(forSome ? refused(atOnce) : atOnce).decisions();
                for (int i = 0; i < decisions.size(); i++) {
                    if (isOfFjord(record, i)) {
                        assertThat(decisions.get(i)).as("record %s", record).isEqualTo(others.get(i));
                        assertThat(Dump.hex(encoded(decisions.get(i))))
                                .as("record %s: %s", record, decisions.get(i))
                                .isEqualTo(Dump.hex(encoded(others.get(i))));
                    }
                }
            }
        });

        assertThat(rollouts.get()).isGreaterThan(Seeds.areUsual() ? 500 : 0);
    }

    /** A version in its place that nobody can read, so that the chain of sources is the same. */
    private static LogRecord refused(LogRecord record) {
        Control.ApplyPolicy apply = (Control.ApplyPolicy) ((Controlled) record.payload()).control();
        return new LogRecord(
                record.offset(),
                record.timestampMillis(),
                new Controlled(new Control.ApplyPolicy(apply.source(), apply.previous(), new byte[0])));
    }

    private static boolean isOfFjord(LogRecord record, int index) {
        return record.payload() instanceof Requests requests
                && requests.commands().get(index) instanceof Command.Ask ask
                && ask.admission().identity().tenant().equals("fjord");
    }

    private static byte[] encoded(Decision decision) {
        ByteWriter out = new ByteWriter();
        DecisionCodec.write(out, decision);
        return out.toBytes();
    }

    /** The same record, in whose policy everything takes effect at once, and what is for some is for atlas and cedar. */
    private static LogRecord withoutFjord(LogRecord record, TestPolicies from, TestPolicies to) {
        if (!(record.payload() instanceof Controlled it) || !(it.control() instanceof Control.ApplyPolicy apply)) {
            return record;
        }
        Policy policy = from.read(apply.document());
        Rollout rollout = policy.activation().rollout();
        if (rollout instanceof Rollout.Tenants some) {
            SortedSet<String> names = new TreeSet<>(some.tenants());
            names.remove("fjord");
            rollout = new Rollout.Tenants(names.isEmpty() ? new TreeSet<>(List.of("atlas")) : names, 0);
        } else if (rollout instanceof Rollout.Routes) {
            rollout = TestRules.tenants("cedar");
        }
        byte[] document = to.add(TestRules.activated(new Activation(OptionalLong.empty(), rollout), policy));
        return new LogRecord(
                record.offset(),
                record.timestampMillis(),
                new Controlled(new Control.ApplyPolicy(apply.source(), apply.previous(), document)));
    }

    @Test
    void without_a_cap_the_sweep_changes_no_decision() {
        Seeds.forEach(40, random -> {
            RandomLog log = new RandomLog(random, TestRules.NO_CAP);
            List<LogRecord> records = log.records(settings(3), RECORDS);
            Shard swept = new Shard(1, new MemoryStore(), log.policies());
            Shard unswept = new Shard(1, new MemoryStore(), log.policies());
            for (LogRecord record : records) {
                boolean tick = record.payload() instanceof Controlled it && it.control() instanceof Control.Tick;
                LogRecord instead = tick
                        ? new LogRecord(record.offset(), record.timestampMillis(), new LogRecord.Unreadable("no tick"))
                        : record;

                assertThat(swept.fold(record).decisions())
                        .as("record %s", record)
                        .isEqualTo(unswept.fold(instead).decisions());
            }
        });
    }

    @Test
    void only_an_admission_that_is_allowed_changes_a_bucket() {
        Seeds.forEach(20, random -> {
            RandomLog log = new RandomLog(random, random.nextBoolean() ? 3 : TestRules.NO_CAP);
            MemoryStore store = new MemoryStore();
            Shard shard = new Shard(1, store, log.policies());
            for (LogRecord record : log.records(settings(5), 500)) {
                SortedMap<String, String> before = Dump.of(store, Keys.BUCKET, Keys.TALLY);

                Folded folded = shard.fold(record);

                boolean spends = folded.decisions().stream()
                        .anyMatch(decision -> decision.verdict() == Verdict.ALLOW && !decision.replayed());
                if (record.payload() instanceof Requests requests && (!spends || onlyPeeks(requests))) {
                    assertThat(Dump.of(store, Keys.BUCKET, Keys.TALLY))
                            .as("record %s", record)
                            .isEqualTo(before);
                }
            }
        });
    }

    /** The sweep passes over everything each tick, since what shadow rules store would slow it down otherwise. */
    @Test
    void shadow_rules_change_no_verdict_and_no_enforced_bucket() {
        Seeds.forEach(60, random -> {
            RandomLog log = new RandomLog(random, TestRules.NO_CAP);
            TestPolicies withShadow = new TestPolicies();
            TestPolicies without = new TestPolicies();
            MemoryStore fullStore = new MemoryStore();
            MemoryStore bareStore = new MemoryStore();
            Shard full = new Shard(1, fullStore, withShadow);
            Shard bare = new Shard(1, bareStore, without);
            for (LogRecord record : log.records(settings(10_000), 800)) {
                List<Decision> decisions = full.fold(rewritten(record, log.policies(), withShadow, true))
                        .decisions();
                List<Decision> bareDecisions = bare.fold(rewritten(record, log.policies(), without, false))
                        .decisions();

                assertThat(decisions.stream()
                                .map(ShardPropertyTest::enforcedPart)
                                .toList())
                        .as("record %s", record)
                        .isEqualTo(bareDecisions.stream()
                                .map(ShardPropertyTest::enforcedPart)
                                .toList());
                assertThat(enforcedState(fullStore)).isEqualTo(enforcedState(bareStore));
            }
        });
    }

    @Test
    void with_a_cap_the_state_stays_sound_and_no_rule_knows_more_keys_than_that() {
        Seeds.forEach(60, random -> {
            RandomLog log = new RandomLog(random, 3, 2);
            MemoryStore store = new MemoryStore();
            Shard shard = new Shard(1, store, log.policies());
            for (LogRecord record : log.records(settings(1 + random.nextInt(20)), RECORDS)) {
                shard.fold(record);
                if (record.offset() % 100 == 99) {
                    assertSound(store, log.policies());
                    assertThat(tallies(store, Keys.TALLY).values()).allMatch(keys -> keys <= 3);
                    assertThat(tallies(store, Keys.KEYED_TALLY).values()).allMatch(keys -> keys <= 2);
                }
            }
        });
    }

    @Test
    void once_nobody_asks_the_sweep_leaves_nothing_but_what_is_never_earned_back() {
        Seeds.forEach(40, random -> {
            RandomLog log = new RandomLog(random, TestRules.NO_CAP);
            MemoryStore store = new MemoryStore();
            Shard shard = new Shard(1, store, log.policies());
            log.records(settings(7), 500).forEach(shard::fold);

            long day = 24 * 3_600_000L;
            for (int i = 1; i <= 400; i++) {
                shard.fold(new LogRecord(
                        shard.view().nextOffset(),
                        shard.view().logTimeMillis() + day,
                        new Controlled(new Control.Tick(0))));
            }

            assertThat(Dump.of(store, Keys.SESSION, Keys.ATTEMPT, Keys.KEYED, Keys.KEYED_TALLY, Keys.ACCOUNT_DUE))
                    .isEmpty();
            assertSound(store, log.policies());
            Accounts accounts = new Accounts(
                    new WorkingSet(store, new EntryCache(0)),
                    shard.view().nextOffset(),
                    shard.view().logTimeMillis());
            RuleBook book = RuleBook.fromBytes(store.get(Keys.RULE_BOOK));
            Dump.of(store, Keys.BUCKET).keySet().forEach(key -> {
                Keys.BucketOwner owner = Keys.ownerOf(HexFormat.of().parseHex(key));
                Limit limit = Timeline.limitAsNamed(
                        owner.ruleId(),
                        book.of(owner.ruleId()).lineOf(owner.partitionKey()),
                        accounts.of(owner.partitionKey()),
                        ShardPropertyTest::table);
                // Or else its zone has no table, and nobody can say when its window ends.
                assertThat(limit.toString()).containsAnyOf("refillTokens=0", "window=Calendar[");
            });
            for (String account : Dump.of(store, Keys.ACCOUNT).values()) {
                AccountEntry left = AccountEntry.fromBytes(HexFormat.of().parseHex(account));
                assertThat(left.plan()).isPresent();
                assertThat(left.eras()).hasSizeLessThanOrEqualTo(1);
            }
            // While a version is rolled out, more eras may be needed: one for each who stands apart.
            Succession.of(store, log.policies())
                    .inForce()
                    .filter(inForce -> inForce.rolledOut().isEmpty())
                    .ifPresent(inForce -> inForce.base()
                            .rules()
                            .forEach(rule -> assertThat(book.of(rule.id()).eras())
                                    .as(rule.id())
                                    .hasSize(1)));
        });
    }

    /** Counts agree with what they count, and every counter can be brought to the present. */
    private static void assertSound(MemoryStore store, TestPolicies policies) {
        ShardHeader header = ShardHeader.fromBytes(store.get(Keys.HEADER));
        assertThat(header.sessions).isEqualTo(Dump.of(store, Keys.SESSION).size());
        byte[] stored = store.get(Keys.RULE_BOOK);
        RuleBook book = stored == null ? RuleBook.EMPTY : RuleBook.fromBytes(stored);
        Accounts accounts =
                new Accounts(new WorkingSet(store, new EntryCache(0)), header.nextOffset, header.logTimeMillis);
        SortedMap<String, Long> counted = new TreeMap<>();
        SortedMap<String, Long> keyed = new TreeMap<>();
        for (StateStore.Entry entry : store.scan(new byte[0], Keys.END, Integer.MAX_VALUE)) {
            assertThat(encodedAgain(entry)).as(Dump.hex(entry.key())).isEqualTo(entry.value());
            if (entry.key()[0] == Keys.KEYED) {
                String partitionKey = Keys.partitionKeyOf(entry.key());
                keyed.merge(Dump.hex(Keys.keyedTally(partitionKey).bytes()), 1L, Long::sum);
            }
            if (entry.key()[0] == Keys.ACCOUNT
                    && !AccountEntry.fromBytes(entry.value()).settled()) {
                StateKey due = Keys.accountDue(Keys.partitionKeyOf(entry.key()));
                assertThat(store.get(due.bytes())).isNotNull();
            }
            if (entry.key()[0] == Keys.BUCKET) {
                Keys.BucketOwner owner = Keys.ownerOf(entry.key());
                BucketEntry bucket = BucketEntry.fromBytes(entry.value());
                AccountEntry account = accounts.of(owner.partitionKey());
                List<Era> line = book.of(owner.ruleId()).lineOf(owner.partitionKey());
                Counter settled = Timeline.settled(
                        owner.ruleId(), line, account, ShardPropertyTest::table, bucket, header.logTimeMillis);
                assertThat(Timeline.limitAsNamed(owner.ruleId(), line, account, ShardPropertyTest::table)
                                .owns(settled))
                        .isTrue();
                if (!owner.overflow()) {
                    counted.merge(Dump.hex(Keys.tally(owner.ruleId()).bytes()), 1L, Long::sum);
                }
            }
        }
        assertThat(tallies(store, Keys.TALLY)).isEqualTo(counted);
        assertThat(tallies(store, Keys.KEYED_TALLY)).isEqualTo(keyed);
        Succession.of(store, policies).inForce().ifPresent(inForce -> {
            for (Policy version : List.of(inForce.base(), inForce.newest())) {
                assertThat(book.histories().keySet())
                        .containsAll(version.rules().stream().map(Rule::id).toList());
            }
        });
    }

    private static byte[] encodedAgain(StateStore.Entry entry) {
        byte[] value = entry.value();
        return switch (entry.key()[0]) {
            case 0x01 -> ShardHeader.fromBytes(value).toBytes();
            case 0x02, 0x08, Keys.PENDING_POLICY -> value;
            case 0x03 -> RuleBook.fromBytes(value).toBytes();
            case Keys.TALLY, Keys.KEYED_TALLY -> Tally.fromBytes(value).toBytes();
            case Keys.ACCOUNT -> AccountEntry.fromBytes(value).toBytes();
            case Keys.ZONE -> ZoneEntry.fromBytes(value).toBytes();
            case Keys.BUCKET -> BucketEntry.fromBytes(value).toBytes();
            case Keys.SESSION -> SessionEntry.fromBytes(value).toBytes();
            case Keys.ATTEMPT -> AttemptEntry.fromBytes(value).toBytes();
            case Keys.KEYED -> KeyedEntry.fromBytes(value).toBytes();
            case Keys.ACCOUNT_DUE -> Accounts.Due.MARK.toBytes();
            default -> throw new AssertionError("a key of unknown kind: " + Dump.hex(entry.key()));
        };
    }

    /** Those that count anything. */
    private static SortedMap<String, Long> tallies(MemoryStore store, int kind) {
        SortedMap<String, Long> tallies = new TreeMap<>();
        Dump.of(store, kind).forEach((key, value) -> {
            long keys = Tally.fromBytes(HexFormat.of().parseHex(value)).keys();
            if (keys != 0) {
                tallies.put(key, keys);
            }
        });
        return tallies;
    }

    private static Zone table(String zone) {
        if (!RandomPolicies.ZONES.contains(zone)) {
            throw new UnknownZoneException(zone);
        }
        return TABLES.get(zone);
    }

    private static boolean onlyPeeks(Requests requests) {
        return requests.commands().stream().allMatch(command -> !(command instanceof Command.Ask ask) || ask.peek());
    }

    /** The same record, in whose policy the rules d and e are in shadow or missing and no others are in shadow. */
    private static LogRecord rewritten(LogRecord record, TestPolicies from, TestPolicies to, boolean withShadow) {
        if (!(record.payload() instanceof Controlled it) || !(it.control() instanceof Control.ApplyPolicy apply)) {
            return record;
        }
        Policy policy = from.read(apply.document());
        List<Rule> rules = new ArrayList<>();
        for (Rule rule : policy.rules()) {
            if (!SHADOW_IDS.contains(rule.id())) {
                rules.add(rule.shadow() ? TestRules.enforced(rule) : rule);
            } else if (withShadow) {
                rules.add(rule.shadow() ? rule : TestRules.shadow(rule));
            }
        }
        if (policy.activation().rollout() instanceof Rollout.Routes) {
            // A shadow rule might be why it is refused.
            rules.removeIf(rule -> SHADOW_IDS.contains(rule.id()));
        }
        byte[] document = to.add(new Policy(
                policy.name(),
                policy.version(),
                policy.routes(),
                rules,
                policy.plans(),
                policy.idempotency(),
                policy.bucketsPerRuleAndShard(),
                policy.activation()));
        return new LogRecord(
                record.offset(),
                record.timestampMillis(),
                new Controlled(new Control.ApplyPolicy(apply.source(), apply.previous(), document)));
    }

    private static SortedMap<String, String> enforcedState(MemoryStore store) {
        SortedMap<String, String> buckets =
                Dump.of(store, Keys.BUCKET, Keys.TALLY, Keys.ACCOUNT, Keys.ACCOUNT_DUE, Keys.KEYED_TALLY);
        for (String id : SHADOW_IDS) {
            String own = Dump.hex(Keys.buckets(id).from());
            String tally = Dump.hex(Keys.tally(id).bytes());
            buckets.keySet().removeIf(key -> key.startsWith(own) || key.equals(tally));
        }
        return buckets;
    }

    /** A decision without what shadow rules add to it, their denials and the overrides of their limits. */
    private static Decision enforcedPart(Decision decision) {
        return new Decision(
                decision.verdict(),
                decision.id(),
                decision.policyVersion(),
                decision.denyingRule(),
                decision.scope(),
                decision.limit(),
                decision.remaining(),
                decision.resetAfterMillis(),
                decision.retryAfterMillis(),
                decision.paceAfterMillis(),
                List.of(),
                decision.softDenials(),
                List.of(),
                List.of(),
                decision.replayed(),
                decision.reason());
    }

    /** Reasons are for people; the naive shard gives none. */
    private static List<Decision> withoutWords(List<Decision> decisions) {
        return decisions.stream()
                .map(decision -> new Decision(
                        decision.verdict(),
                        decision.id(),
                        decision.policyVersion(),
                        decision.denyingRule(),
                        decision.scope(),
                        decision.limit(),
                        decision.remaining(),
                        decision.resetAfterMillis(),
                        decision.retryAfterMillis(),
                        decision.paceAfterMillis(),
                        decision.shadowDenials(),
                        decision.softDenials(),
                        decision.actions(),
                        decision.rules(),
                        decision.replayed(),
                        ""))
                .toList();
    }
}
