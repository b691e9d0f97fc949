package io.headgate.benchmarks;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.RouteTable;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The fold of a batch of a session, over a state in memory: what deciding costs without Kafka, Avro and RocksDB. The
 * time is a batch's; divided by the batch's size it is a command's.
 *
 * <p>Ten thousand users, ten to a tenant, and budgets so large that nothing is denied. Once they all have counters and
 * the session has its 1,024 answers, the state does not grow any more. No ticks, so no sweep.
 */
@State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ShardBenchmark {

    private static final int USERS = 10_000;
    private static final int USERS_PER_TENANT = 10;
    private static final int BATCHES = 1_000;
    private static final long BUDGET = 1_000_000_000;

    /** Commands of a batch. */
    @Param({"1", "50", "500"})
    public int batch;

    /** Rules that speak of each request: by turns of scope tenant and user. */
    @Param({"1", "2", "8"})
    public int rules;

    private final List<List<Command>> batches = new ArrayList<>();
    private Shard shard;
    private long millis;
    private long sequence;

    @Setup(Level.Trial)
    public void openShard() {
        shard = new Shard(0, new MemoryStore(), document -> policy(rules));
        fold(new LogRecord.Controlled(new Control.ApplySettings(0, -1, ShardSettings.initial(1, "benchmark"))));
        fold(new LogRecord.Controlled(new Control.ApplyPolicy(0, -1, new byte[0])));
        fold(new LogRecord.Controlled(new Control.CaughtUp()));
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < BATCHES; i++) {
            batches.add(IntStream.range(0, batch)
                    .mapToObj(j -> ask(random.nextInt(USERS)))
                    .toList());
        }
    }

    @Benchmark
    public Folded fold() {
        millis++;
        Attempt attempt = new Attempt("benchmark", 1, sequence++);
        return fold(new Requests(Optional.of(attempt), batches.get((int) (sequence % BATCHES))));
    }

    private Folded fold(LogRecord.Payload payload) {
        return shard.fold(new LogRecord(shard.view().nextOffset(), millis, payload));
    }

    private static Command ask(int user) {
        Identity who = new Identity("tenant-" + user / USERS_PER_TENANT, "user-" + user, "", "", "");
        return new Command.Ask(
                new Admission(Stage.TENANT, who, true, "GET /bench", Map.of(), 1), false, Command.NEVER, false);
    }

    private static Policy policy(int rules) {
        List<Rule> made = IntStream.range(0, rules)
                .mapToObj(i -> new Rule(
                        "rule-" + i,
                        Stage.TENANT,
                        i % 2 == 0 ? Scope.TENANT : Scope.USER,
                        Match.EVERYTHING,
                        new TokenBucketLimit(BUDGET, BUDGET, 1_000),
                        Cost.ONE,
                        Enforcement.ENFORCE,
                        false,
                        "measured"))
                .toList();
        return new Policy("benchmark", 1, new RouteTable(List.of(), Map.of()), made, 1_000_000);
    }
}
