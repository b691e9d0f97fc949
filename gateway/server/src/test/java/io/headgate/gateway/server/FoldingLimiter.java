package io.headgate.gateway.server;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.FixedWindowLimit;
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
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.LogRecord.Payload;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.client.Limiter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A limiter with one shard in it that really folds, without Kafka. A tenant may spend 5, earned back at 1 in 3,500 ms; a
 * user 3, never earned back; an address 2 in a minute. Other answers can be put in its place.
 */
final class FoldingLimiter implements Limiter {

    static final String SHADOW_RULE = "P-SHADOW";

    private final Shard shard;
    private volatile Optional<Function<Ask, CompletableFuture<Answer>>> instead = Optional.empty();
    private volatile Optional<Ask> last = Optional.empty();
    volatile boolean ready = true;

    FoldingLimiter() {
        Policy policy = new Policy(
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
                        rule("P-IP", Stage.IP, Scope.IP, Enforcement.ENFORCE, new FixedWindowLimit(2, 60_000))),
                1_000);
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

    void answerInstead(Function<Ask, CompletableFuture<Answer>> answers) {
        instead = Optional.of(answers);
    }

    Ask lastAsk() {
        return last.orElseThrow();
    }

    private CompletableFuture<Answer> answer(Ask ask, boolean peek) {
        last = Optional.of(ask);
        if (instead.isPresent()) {
            return instead.get().apply(ask);
        }
        Caller caller = ask.caller();
        Admission admission = new Admission(
                ask.stage(),
                new Identity(caller.tenant(), caller.user(), caller.apiKey(), caller.ip(), caller.target()),
                ask.authenticated(),
                ask.route(),
                ask.attributes(),
                ask.cost());
        return CompletableFuture.completedFuture(new Decided(
                fold(new Requests(Optional.empty(), List.of(new Command.Ask(admission, peek, Command.NEVER, false))))
                        .get(0)));
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
