package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Meter;
import io.headgate.core.shard.Command;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.DeadLetterRecord;
import io.headgate.schemas.ReplyRecords;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.PolicyTopic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A crash changes nothing. Processors are killed and frozen under load; then what they committed must be what a fold of
 * the log comes to, to the byte, and every reply that anybody saw must be one that this fold gives.
 *
 * <p>{@code -Dheadgate.kills=20} kills more often than the usual five times.
 */
class CrashIT {

    private static final int KILLS = Integer.getInteger("headgate.kills", 5);
    private static final String APPLICATION = "crash";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private final Random random = new Random(20);
    private LocalBroker broker;
    private Load load;
    private int started;
    private long policyVersion;

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        publishNextPolicy();
    }

    @AfterEach
    void stop() {
        if (load != null) {
            load.close();
        }
        broker.close();
    }

    private void publishNextPolicy() throws CommandFailedException {
        policyVersion++;
        new PolicyTopic(broker.bootstrapServers()).publish(LoadPolicy.version(policyVersion), "test", "load");
    }

    private ProcessorProcess startProcessor(String stateFolder, Map<String, String> more) throws Exception {
        Map<String, String> settings = new TreeMap<>(LocalShards.processorSettings(broker.bootstrapServers(), folder));
        settings.put("application.id", APPLICATION);
        settings.put("state.dir", folder.resolve(stateFolder).toString());
        settings.put("session.timeout.ms", "1000");
        settings.put("transaction.timeout.ms", "1000");
        // However slow this machine is, a batch that is sent again is still known.
        settings.put("shard.initial.attempt.retention.ms", "600000");
        settings.put("shard.initial.attempts.per.session", "16384");
        settings.putAll(more);
        return ProcessorProcess.start(folder.resolve("processor-" + ++started + ".log"), settings);
    }

    @Test
    void kill_9_in_mid_transaction_changes_nothing() throws Exception {
        killUnderLoad(KILLS, Map.of());
    }

    @Test
    void kill_9_in_mid_transaction_changes_nothing_with_transactional_state() throws Exception {
        killUnderLoad((KILLS + 1) / 2, Map.of("state.transactional", "true"));
    }

    private void killUnderLoad(int kills, Map<String, String> settings) throws Exception {
        List<Duration> failOvers = new ArrayList<>();
        int inMidTransaction = 0;
        ProcessorProcess processor = startProcessor("state", settings);
        try {
            processor.awaitReadyShards(LocalShards.SHARDS);
            load = new Load(broker.bootstrapServers(), 1);
            for (int kill = 1; kill <= kills; kill++) {
                load.awaitNewAnswer(shard -> true);
                TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(700));
                publishNextPolicy();
                awaitOpenTransaction();
                processor.kill9();
                inMidTransaction += hasOpenTransaction() ? 1 : 0;
                long killedNanos = System.nanoTime();
                processor = startProcessor(kill == kills ? "another-state" : "state", settings);
                load.awaitNewAnswer(shard -> true);
                failOvers.add(Duration.ofNanos(System.nanoTime() - killedNanos));
                processor.awaitReadyShards(LocalShards.SHARDS);
            }
            TimeUnit.MILLISECONDS.sleep(1_000);
            load.finish();
        } finally {
            processor.close();
        }

        assertThat(inMidTransaction).as("kills in mid-transaction").isPositive();
        Seen seen = check();
        System.out.println("kill -9, " + settings + ": " + kills + " kills, " + inMidTransaction
                + " of them with a transaction left open; restart to first new answer "
                + failOvers.stream().map(Duration::toMillis).toList() + " ms; " + seen);
    }

    @Test
    void a_second_processor_takes_over_and_changes_nothing() throws Exception {
        List<Duration> failOvers = new ArrayList<>();
        ProcessorProcess first = startProcessor("state-a", Map.of("standbys", "1"));
        ProcessorProcess second = null;
        try {
            second = startProcessor("state-b", Map.of("standbys", "1"));
            awaitShared(first, second);
            load = new Load(broker.bootstrapServers(), 2);
            load.awaitNewAnswer(shard -> true);
            TimeUnit.MILLISECONDS.sleep(1_500);
            List<Integer> orphaned = first.readyShards();
            first.kill9();
            failOvers.add(load.awaitNewAnswer(orphaned::contains));
            second.awaitReadyShards(LocalShards.SHARDS);
            load.finish();
        } finally {
            first.close();
            if (second != null) {
                second.close();
            }
        }

        Seen seen = check();
        System.out.println("kill -9 beside a second processor: kill to first new answer of its shards "
                + failOvers.stream().map(Duration::toMillis).toList() + " ms; " + seen);
    }

    /** The paused one wakes up with records in hand that another has decided meanwhile, and answers them. */
    @Test
    void a_zombie_that_wakes_up_after_another_took_over_changes_nothing() throws Exception {
        ProcessorProcess zombie = startProcessor("state-a", Map.of());
        ProcessorProcess heir = null;
        Duration failOver;
        try {
            heir = startProcessor("state-b", Map.of());
            awaitShared(zombie, heir);
            load = new Load(broker.bootstrapServers(), 3);
            load.awaitNewAnswer(shard -> true);
            TimeUnit.MILLISECONDS.sleep(1_500);
            List<Integer> orphaned = zombie.readyShards();
            awaitOpenTransaction();
            zombie.pause();
            failOver = load.awaitNewAnswer(orphaned::contains);
            heir.awaitReadyShards(LocalShards.SHARDS);
            TimeUnit.MILLISECONDS.sleep(1_500);
            zombie.resume();
            awaitShared(zombie, heir);
            load.awaitNewAnswer(shard -> true);
            TimeUnit.MILLISECONDS.sleep(1_000);
            load.finish();
            assertThat(zombie.isAlive()).isTrue();
        } finally {
            zombie.close();
            if (heir != null) {
                heir.close();
            }
        }

        Seen seen = check();
        System.out.println(
                "SIGSTOP and SIGCONT: pause to first new answer of its shards " + failOver.toMillis() + " ms; " + seen);
    }

    /** Until each of the two decides for some shards, and together they do for all. */
    private static void awaitShared(ProcessorProcess one, ProcessorProcess other) throws Exception {
        long giveUpAt = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            Set<Integer> ones = new HashSet<>(one.readyShards());
            Set<Integer> others = new HashSet<>(other.readyShards());
            Set<Integer> all = new HashSet<>(ones);
            all.addAll(others);
            if (!ones.isEmpty() && !others.isEmpty() && all.size() == LocalShards.SHARDS) {
                return;
            }
            if (System.nanoTime() > giveUpAt) {
                throw new AssertionError("one processor decides for " + ones + ", the other for " + others);
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private void awaitOpenTransaction() throws Exception {
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        while (!hasOpenTransaction()) {
            if (System.nanoTime() > giveUpAt) {
                throw new AssertionError("no transaction was seen open within " + PATIENCE);
            }
        }
    }

    private boolean hasOpenTransaction() throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            return !admin.listTransactions(
                            new ListTransactionsOptions().filterStates(List.of(TransactionState.ONGOING)))
                    .all()
                    .get()
                    .isEmpty();
        }
    }

    /** What clients saw, in numbers. */
    private record Seen(long batches, long commands, long replies, long seenTwice, long neverAnswered, long mostSpent) {

        @Override
        public String toString() {
            return batches + " batches with " + commands + " commands, " + replies + " replies, " + seenTwice
                    + " of them given more than once, " + neverAnswered
                    + " batches without session never answered; the most that a tenant spent of its "
                    + LoadPolicy.BUDGET + ": " + mostSpent;
        }
    }

    /** Compares what was committed, and what was seen, with a fold of the log. The processors must have ended. */
    private Seen check() throws Exception {
        ControlKeys keys = ControlKeys.read(Secrets.controlKeys(folder));
        Map<Long, List<byte[]>> expected = new HashMap<>();
        List<String> expectedLetters = new ArrayList<>();
        long plans = 0;
        long actions = 0;
        for (int shard = 0; shard < LocalShards.SHARDS; shard++) {
            ShardState committed = ShardState.committed(broker.bootstrapServers(), APPLICATION, shard);
            long end = committed.view().nextOffset();
            IndependentFold fold = IndependentFold.of(broker.bootstrapServers(), shard, keys, end);
            assertThat(committed.differences(fold.state()))
                    .as("committed state of shard %d and the fold of its log up to offset %d", shard, end)
                    .isEmpty();
            assertThat(committed.view().policyVersion()).isEqualTo(policyVersion);
            plans += committed.view().planSource() + 1;
            actions += committed.view().actionSource() + 1;
            expected.putAll(fold.replies());
            int number = shard;
            fold.buried().forEach(offset -> expectedLetters.add(number + "@" + offset));
        }
        assertThat(deadLetters()).as("dead letters, each once").containsExactlyInAnyOrderElementsOf(expectedLetters);
        assertThat(plans).as("plans that shards have come past").isPositive();
        assertThat(actions).as("actions that shards have come past").isPositive();
        System.out.println("meanwhile operators wrote " + plans + " plans and " + actions + " actions");
        return compare(expected);
    }

    private Seen compare(Map<Long, List<byte[]>> expected) {
        long replies = 0;
        long seenTwice = 0;
        long neverAnswered = 0;
        Spending spending = new Spending();
        for (Load.Batch batch : load.batches()) {
            List<byte[]> right = expected.getOrDefault(batch.id, List.of());
            assertThat(right.size())
                    .as("records of batch %d that were folded; one sent last may still wait", batch.id)
                    .isBetween(1, batch.sends);
            for (byte[] reply : batch.replies) {
                assertThat(right.stream().anyMatch(one -> Arrays.equals(one, reply)))
                        .as("a reply to batch %d is one that the log gives: %s", batch.id, ReplyRecords.decode(reply))
                        .isTrue();
            }
            assertThat(batch.replies.stream()
                            .map(reply -> asReplayed(ReplyRecords.decode(reply).decisions()))
                            .distinct()
                            .count())
                    .as("different answers to batch %d", batch.id)
                    .isLessThanOrEqualTo(1);
            batch.replies.forEach(
                    reply -> spending.add(batch, ReplyRecords.decode(reply).decisions()));
            replies += batch.replies.size();
            seenTwice += Math.max(0, batch.replies.size() - batch.sends);
            neverAnswered += batch.replies.isEmpty() ? 1 : 0;
        }
        spending.byTenant().keySet().removeIf(tenant -> !Load.isStrict(tenant));
        assertThat(spending.byTenant().values())
                .as("spent of budgets that never come back")
                .allMatch(spent -> spent <= LoadPolicy.BUDGET);
        return new Seen(
                load.batches().size(),
                load.commands(),
                replies,
                seenTwice,
                neverAnswered,
                spending.byTenant().values().stream().max(Long::compare).orElse(0L));
    }

    /** What tenants were told that they may spend; an answer given again counts once. */
    private static final class Spending {

        private final Map<String, Long> byTenant = new TreeMap<>();
        private final Set<DecisionId> counted = new HashSet<>();

        void add(Load.Batch batch, List<Decision> decisions) {
            List<Command> commands = decisions.isEmpty()
                    ? List.of()
                    : RequestRecords.decode(batch.value).commands();
            for (int i = 0; i < decisions.size(); i++) {
                Command.Ask ask = (Command.Ask) commands.get(i);
                boolean spends = decisions.get(i).verdict() == Verdict.ALLOW
                        && !ask.peek()
                        && ask.admission().route().equals(LoadPolicy.SPEND);
                if (spends && counted.add(decisions.get(i).id())) {
                    byTenant.merge(
                            ask.admission().identity().tenant(),
                            ask.admission().cost(Meter.REQUESTS).orElseThrow(),
                            Long::sum);
                }
            }
        }

        Map<String, Long> byTenant() {
            return byTenant;
        }
    }

    /** As an answer is repeated to a batch that came again: marked, and without what each rule said. */
    private static List<Decision> asReplayed(List<Decision> decisions) {
        return decisions.stream().map(CrashIT::asReplayed).toList();
    }

    private static Decision asReplayed(Decision decision) {
        return decision.withoutRules().asReplayed();
    }

    private List<String> deadLetters() throws ExecutionException, InterruptedException {
        List<String> letters = new ArrayList<>();
        for (int partition = 0; partition < 4; partition++) {
            PartitionReader.read(
                    broker.bootstrapServers(), new TopicPartition(TopicCatalogue.DEAD_LETTERS, partition), record -> {
                        DeadLetterRecord letter = DeadLetterRecord.fromBytes(record.value());
                        letters.add(letter.partition() + "@" + letter.offset());
                    });
        }
        return letters;
    }
}
