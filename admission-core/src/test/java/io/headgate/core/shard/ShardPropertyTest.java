package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.Seeds;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.LogRecord.Requests;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What holds of a shard whatever its log says. */
class ShardPropertyTest {

    private static final int RECORDS = 1_500;
    private static final List<String> SHADOW_IDS = List.of("d", "e");

    /** Two shards; few attempts a session, so that they wrap; sessions live longer than any test. */
    private static ShardSettings settings(int sweepEntriesPerTick) {
        return new ShardSettings(1, 2, "test-key", 2_000, 16, 100, 7 * 24 * 3_600_000L, sweepEntriesPerTick);
    }

    @Test
    void it_decides_as_a_naive_shard_decides() {
        Seeds.forEach(150, random -> {
            RandomLog log = new RandomLog(random, TestRules.NO_CAP);
            ShardSettings settings = settings(1 + random.nextInt(20));
            MemoryStore store = new MemoryStore();
            Shard shard = new Shard(1, store, log.policies());
            NaiveShard naive = new NaiveShard(1, settings);
            for (LogRecord record : records(log, settings, RECORDS)) {
                naive.timeIs(record.timestampMillis());

                Folded folded = shard.fold(record);

                String where = "record " + record;
                if (record.payload() instanceof Controlled it && it.control() instanceof Control.ApplyPolicy policy) {
                    naive.apply(log.policies().read(policy.document()));
                    assertThat(folded.problems()).as(where).isEmpty();
                }
                if (record.payload() instanceof Requests requests) {
                    assertThat(folded.problems()).as(where).isEmpty();
                    List<Decision> expected = naive.answer(requests.attempt(), requests.commands(), record.offset());
                    assertThat(withoutWords(folded.decisions())).as(where).isEqualTo(expected);
                }
            }
            assertSound(store, log.policies());
        });
    }

    @Test
    void restarts_at_any_offset_change_neither_state_nor_decisions() {
        Seeds.forEach(60, random -> {
            boolean capped = random.nextBoolean();
            RandomLog log = new RandomLog(random, capped ? 3 : TestRules.NO_CAP);
            MemoryStore steadyStore = new MemoryStore();
            MemoryStore restartedStore = new MemoryStore();
            Shard steady = new Shard(1, steadyStore, log.policies());
            Shard restarted = new Shard(1, restartedStore, log.policies());
            for (LogRecord record : records(log, settings(1 + random.nextInt(20)), RECORDS)) {
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

    @Test
    void without_a_cap_the_sweep_changes_no_decision() {
        Seeds.forEach(40, random -> {
            RandomLog log = new RandomLog(random, TestRules.NO_CAP);
            List<LogRecord> records = records(log, settings(3), RECORDS);
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
            for (LogRecord record : records(log, settings(5), 500)) {
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
            for (LogRecord record : records(log, settings(10_000), 800)) {
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
                assertThat(enforcedBuckets(fullStore)).isEqualTo(enforcedBuckets(bareStore));
            }
        });
    }

    @Test
    void with_a_cap_the_state_stays_sound_and_no_rule_knows_more_keys_than_that() {
        Seeds.forEach(60, random -> {
            RandomLog log = new RandomLog(random, 3);
            MemoryStore store = new MemoryStore();
            Shard shard = new Shard(1, store, log.policies());
            for (LogRecord record : records(log, settings(1 + random.nextInt(20)), RECORDS)) {
                shard.fold(record);
                if (record.offset() % 100 == 99) {
                    assertSound(store, log.policies());
                    Dump.of(store, Keys.TALLY)
                            .forEach((key, tally) -> assertThat(
                                            Tally.fromBytes(HexFormat.of().parseHex(tally))
                                                    .keys())
                                    .isLessThanOrEqualTo(3));
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
            records(log, settings(7), 500).forEach(shard::fold);

            long day = 24 * 3_600_000L;
            for (int i = 1; i <= 400; i++) {
                shard.fold(new LogRecord(
                        shard.view().nextOffset(),
                        shard.view().logTimeMillis() + day,
                        new Controlled(new Control.Tick(0))));
            }

            assertThat(Dump.of(store, Keys.SESSION, Keys.ATTEMPT)).isEmpty();
            assertSound(store, log.policies());
            RuleBook book = RuleBook.fromBytes(store.get(Keys.RULE_BOOK));
            Dump.of(store, Keys.BUCKET).keySet().forEach(key -> {
                String rule = Keys.ownerOf(HexFormat.of().parseHex(key)).ruleId();
                assertThat(book.of(rule).current().limit().toString()).contains("refillTokens=0");
            });
            book.histories()
                    .values()
                    .forEach(history -> assertThat(history.eras()).hasSize(1));
        });
    }

    private static List<LogRecord> records(RandomLog log, ShardSettings settings, int count) {
        List<LogRecord> records = new ArrayList<>();
        for (LogRecord.Payload payload : log.beginning(settings)) {
            records.add(new LogRecord(records.size(), log.nextMillis(), payload));
        }
        while (records.size() < count) {
            long millis = log.nextMillis();
            records.add(new LogRecord(records.size(), millis, log.next()));
        }
        return records;
    }

    /** Counts agree with what they count, and every counter can be brought to the present. */
    private static void assertSound(MemoryStore store, TestPolicies policies) {
        ShardHeader header = ShardHeader.fromBytes(store.get(Keys.HEADER));
        assertThat(header.sessions).isEqualTo(Dump.of(store, Keys.SESSION).size());
        byte[] stored = store.get(Keys.RULE_BOOK);
        RuleBook book = stored == null ? RuleBook.EMPTY : RuleBook.fromBytes(stored);
        SortedMap<String, Long> counted = new TreeMap<>();
        for (StateStore.Entry entry : store.scan(Keys.SWEPT, Keys.END, Integer.MAX_VALUE)) {
            if (entry.key()[0] != Keys.BUCKET) {
                continue;
            }
            Keys.BucketOwner owner = Keys.ownerOf(entry.key());
            BucketEntry bucket = BucketEntry.fromBytes(entry.value());
            assertThat(bucket.toBytes()).isEqualTo(entry.value());
            assertThat(Timeline.present(
                            owner.ruleId(),
                            book.of(owner.ruleId()),
                            AccountEntry.UNKNOWN,
                            name -> Zone.UTC,
                            bucket,
                            header.logTimeMillis))
                    .isNotNull();
            if (!owner.overflow()) {
                counted.merge(Dump.hex(Keys.tally(owner.ruleId()).bytes()), 1L, Long::sum);
            }
        }
        SortedMap<String, Long> tallies = new TreeMap<>();
        Dump.of(store, Keys.TALLY).forEach((key, value) -> {
            long keys = Tally.fromBytes(HexFormat.of().parseHex(value)).keys();
            if (keys != 0) {
                tallies.put(key, keys);
            }
        });
        assertThat(tallies).isEqualTo(counted);
        Policy inForce = policies.read(store.get(Keys.POLICY));
        assertThat(book.histories().keySet())
                .containsAll(inForce.rules().stream().map(Rule::id).toList());
    }

    private static boolean onlyPeeks(Requests requests) {
        return requests.commands().stream().allMatch(command -> !(command instanceof Command.Ask ask) || ask.peek());
    }

    /** The same record, in whose policy the rules d and e are in shadow or missing and all others are enforced. */
    private static LogRecord rewritten(LogRecord record, TestPolicies from, TestPolicies to, boolean withShadow) {
        if (!(record.payload() instanceof Controlled it) || !(it.control() instanceof Control.ApplyPolicy apply)) {
            return record;
        }
        Policy policy = from.read(apply.document());
        List<Rule> rules = new ArrayList<>();
        for (Rule rule : policy.rules()) {
            if (!SHADOW_IDS.contains(rule.id())) {
                rules.add(TestRules.enforced(rule));
            } else if (withShadow) {
                rules.add(TestRules.shadow(rule));
            }
        }
        byte[] document = to.add(
                new Policy(policy.name(), policy.version(), policy.routes(), rules, policy.bucketsPerRuleAndShard()));
        return new LogRecord(
                record.offset(),
                record.timestampMillis(),
                new Controlled(new Control.ApplyPolicy(apply.source(), apply.previous(), document)));
    }

    private static SortedMap<String, String> enforcedBuckets(MemoryStore store) {
        SortedMap<String, String> buckets = Dump.of(store, Keys.BUCKET, Keys.TALLY);
        for (String id : SHADOW_IDS) {
            String own = Dump.hex(Keys.buckets(id).from());
            String tally = Dump.hex(Keys.tally(id).bytes());
            buckets.keySet().removeIf(key -> key.startsWith(own) || key.equals(tally));
        }
        return buckets;
    }

    /** A decision without what shadow rules add to it. */
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
                decision.actions(),
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
