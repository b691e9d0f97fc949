package io.headgate.gateway.client.testing;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Conduct;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Responses;
import io.headgate.core.policy.RouteTable;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.LogRecord.Payload;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.client.Limiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A limiter with one shard in it that really folds, without Kafka: each stage whose key is there, and where the policy
 * has a rule. A tenant may spend 5, earned back at 1 in 3,500 ms, and 100 tokens; a user 3, never earned back; an
 * address 2 in a minute; a request with {@code plan=soft} is slowed down beyond 1 in 2 s. Other answers can be put in
 * its place.
 */
public class FoldingLimiter implements Limiter {

    public static final String SHADOW_RULE = "P-SHADOW";

    private final Policy policy;
    private final Shard shard;
    private volatile Optional<Function<Ask, CompletableFuture<Answer>>> instead = Optional.empty();
    private volatile Optional<Ask> last = Optional.empty();
    public volatile boolean ready = true;

    /** Under a policy that says nothing of how gateways conduct themselves. */
    public FoldingLimiter() {
        this(Conduct.DEFAULT);
    }

    /** Under a policy that says what callers are told. */
    public FoldingLimiter(Responses responses) {
        this(new Conduct(
                Conduct.DEFAULT.failModes(), Conduct.DEFAULT.exempt(), responses, Conduct.DEFAULT.staleSnapshot()));
    }

    private FoldingLimiter(Conduct conduct) {
        policy = new Policy(
                "test",
                43,
                new RouteTable(List.of(), Map.of()),
                List.of(
                        rule(
                                "P-TENANT",
                                Stage.TENANT,
                                Scope.TENANT,
                                Enforcement.ENFORCE,
                                new TokenBucketLimit(5, 1, 3_500)),
                        rule(
                                "P-USER",
                                Stage.TENANT,
                                Scope.USER,
                                Enforcement.ENFORCE,
                                new TokenBucketLimit(3, 0, 1_000)),
                        rule(
                                SHADOW_RULE,
                                Stage.TENANT,
                                Scope.TENANT,
                                Enforcement.SHADOW,
                                new TokenBucketLimit(0, 0, 1_000)),
                        new Rule(
                                "P-SOFT",
                                Stage.TENANT,
                                Scope.TENANT,
                                new Match(Match.Authentication.ANY, Set.of(), Map.of("plan", "soft")),
                                new TokenBucketLimit(1, 1, 2_000),
                                Cost.ONE,
                                new Enforcement.Soft(200),
                                false,
                                ""),
                        new Rule(
                                "P-TOKENS",
                                Stage.TENANT,
                                Scope.TENANT,
                                List.of(),
                                Match.EVERYTHING,
                                new TokenBucketLimit(100, 0, 1_000),
                                Map.of(),
                                "tokens",
                                Cost.ONE,
                                Enforcement.ENFORCE,
                                false,
                                "so that tests can count"),
                        rule("P-IP", Stage.IP, Scope.IP, Enforcement.ENFORCE, new FixedWindowLimit(2, 60_000))),
                Set.of(),
                Idempotency.DEFAULT,
                1_000,
                Activation.AT_ONCE,
                conduct);
        shard = new Shard(0, new MemoryStore(), document -> policy);
        fold(new Controlled(new Control.ApplySettings(0, -1, ShardSettings.initial(1, "key"))));
        fold(new Controlled(new Control.ApplyPolicy(0, -1, new byte[0])));
        fold(new Controlled(new Control.CaughtUp()));
    }

    @Override
    public CompletableFuture<Answer> admit(Ask ask) {
        return answer(ask, false);
    }

    @Override
    public CompletableFuture<Answer> peek(Ask ask) {
        return answer(ask, true);
    }

    @Override
    public boolean ready() {
        return ready;
    }

    @Override
    public Optional<Policy> policy(long version) {
        return newestPolicy().filter(known -> known.version() == version);
    }

    @Override
    public Optional<Policy> newestPolicy() {
        return Optional.of(policy);
    }

    public void answerInstead(Function<Ask, CompletableFuture<Answer>> answers) {
        instead = Optional.of(answers);
    }

    public void answerAsAlways() {
        instead = Optional.empty();
    }

    public Ask lastAsk() {
        return last.orElseThrow();
    }

    private CompletableFuture<Answer> answer(Ask ask, boolean peek) {
        last = Optional.of(ask);
        if (instead.isPresent()) {
            return instead.get().apply(ask);
        }
        Caller caller = ask.caller();
        Identity who = new Identity(caller.tenant(), caller.user(), caller.apiKey(), caller.ip(), caller.target());
        List<Stage> stages = new ArrayList<>(ask.stages());
        stages.removeIf(stage -> who.partitionKey(stage).isEmpty());
        stages.removeIf(stage -> ask.stages().size() > 1 && stage == Stage.TARGET);
        List<Decision> earlier = new ArrayList<>();
        for (Stage stage : stages) {
            Decision decision = decide(ask, stage, who, peek);
            if (decision.verdict() == Verdict.CONFLICT) {
                return answer(new Unavailable(
                        Cause.CONFLICT,
                        Optional.of(decision),
                        "CONFLICT: " + decision.reason(),
                        OptionalLong.empty(),
                        earlier));
            }
            if (decision.verdict() != Verdict.ALLOW || stage == stages.get(stages.size() - 1)) {
                return answer(new Decided(stage, decision, Answer.Source.AUTHORITY, earlier));
            }
            earlier.add(decision);
        }
        throw new IllegalArgumentException("there is no stage to ask in " + ask);
    }

    /** Folds a control record. */
    public void tell(Control control) {
        fold(new Controlled(control));
    }

    private static CompletableFuture<Answer> answer(Answer answer) {
        return CompletableFuture.completedFuture(answer);
    }

    private Decision decide(Ask ask, Stage stage, Identity who, boolean peek) {
        Admission admission =
                new Admission(stage, who, ask.authenticated(), ask.route(), ask.attributes(), ask.costs());
        Command command =
                new Command.Ask(admission, peek, Command.NEVER, ask.explain(), ask.idempotencyKey(), ask.trace());
        return fold(new Requests(Optional.empty(), List.of(command))).get(0);
    }

    private synchronized List<Decision> fold(Payload payload) {
        return shard.fold(new LogRecord(shard.view().nextOffset(), 1_000, payload))
                .decisions();
    }

    private static Rule rule(
            String id, Stage stage, Scope scope, Enforcement enforcement, io.headgate.core.limit.Limit limit) {
        return new Rule(
                id, stage, scope, Match.EVERYTHING, limit, Cost.ONE, enforcement, false, "so that tests can count");
    }
}
