package io.headgate.benchmarks;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Route;
import io.headgate.core.policy.RouteTable;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.HeapStore;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Decisions a second of one thread, offline: the fold of recorded traffic over a state that stays objects, with ticks and
 * so with the sweep. Ten thousand users, ten to a tenant; 10,000 requests in a second of log time; one in eleven or so is
 * denied. A session's answers are not kept, as a backtest of plain requests does not keep them.
 */
@State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class OfflineBenchmark {

    private static final int USERS = 10_000;
    private static final int USERS_PER_TENANT = 10;
    private static final int REQUESTS = 10_000;
    private static final int REQUESTS_PER_SECOND = 10_000;

    /** Commands of a record: 1 for a file of requests, more on a busy topic. */
    @Param({"1", "50"})
    public int batch;

    /** Rules that speak of each request: by turns a window of the tenant and a bucket of the user. */
    @Param({"1", "2"})
    public int rules;

    private final List<Requests> records = new ArrayList<>();
    private Shard shard;
    private long offset;
    private long decided;
    private int next;

    @Setup(Level.Trial)
    public void openShard() {
        shard = new Shard(0, new HeapStore(), document -> policy(rules));
        fold(new LogRecord.Controlled(new Control.ApplySettings(0, -1, ShardSettings.initial(1, "benchmark"))));
        fold(new LogRecord.Controlled(new Control.ApplyPolicy(0, -1, new byte[0])));
        fold(new LogRecord.Controlled(new Control.CaughtUp()));
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < REQUESTS / batch; i++) {
            records.add(new Requests(
                    Optional.empty(),
                    IntStream.range(0, batch)
                            .mapToObj(j -> ask(random.nextInt(USERS)))
                            .toList()));
        }
    }

    /** Decides a thousand requests. */
    @Benchmark
    @OperationsPerInvocation(1_000)
    public Folded fold() {
        Folded last = null;
        for (int i = 0; i < 1_000 / batch; i++) {
            decided += batch;
            if (decided % REQUESTS_PER_SECOND == 0) {
                fold(new LogRecord.Controlled(new Control.Tick(0)));
            }
            last = fold(records.get(next));
            next = (next + 1) % records.size();
        }
        return last;
    }

    private Folded fold(LogRecord.Payload payload) {
        return shard.fold(new LogRecord(offset++, decided * 1_000 / REQUESTS_PER_SECOND, payload));
    }

    private static Command ask(int user) {
        Identity who = new Identity("tenant-" + user / USERS_PER_TENANT, "user-" + user, "", "", "");
        return new Command.Ask(
                new Admission(Stage.TENANT, who, true, "GET /catalog/" + user, Map.of(), 1),
                false,
                Command.NEVER,
                false);
    }

    private static Policy policy(int rules) {
        List<Rule> made = IntStream.range(0, rules)
                .mapToObj(i -> new Rule(
                        "rule-" + i,
                        Stage.TENANT,
                        i % 2 == 0 ? Scope.TENANT : Scope.USER,
                        new Match(Match.Authentication.ANY, Set.of("catalog"), Map.of()),
                        i % 2 == 0 ? new FixedWindowLimit(92, 10_000) : new TokenBucketLimit(10, 1, 1_000),
                        Cost.ONE,
                        Enforcement.ENFORCE,
                        false,
                        "measured"))
                .toList();
        List<Route> routes =
                List.of(new Route("exports", "POST", "/reports/export"), new Route("catalog", "GET", "/catalog/**"));
        return new Policy("benchmark", 1, new RouteTable(routes, Map.of()), made, 1_000_000);
    }
}
