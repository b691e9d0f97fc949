package io.headgate.gateway.server.rls;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.Folded;
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
import io.headgate.gateway.client.Limiter;
import io.headgate.schemas.Pseudonyms;
import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * A limiter over one shard that really folds, under policies that are written out; its log time stands until it is moved. It
 * asks each stage in which the newest policy has a rule for a request, or else stage tenant. Other answers can be put in the
 * place of its own.
 */
final class ShardLimiter implements Limiter {

    /** Whether it was asked to admit, and what. */
    record Asked(boolean admit, Ask ask) {}

    private final Pseudonyms pseudonyms = new Pseudonyms(new byte[Pseudonyms.MIN_SECRET_LENGTH]);
    private final Shard shard = new Shard(0, new MemoryStore(), PolicyDocument.READER);
    private final List<Policy> policies = new CopyOnWriteArrayList<>();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private volatile Optional<Function<Asked, CompletableFuture<Answer>>> instead = Optional.empty();
    private long nowMillis = 1_790_000_000_000L;
    volatile boolean ready = true;

    /** Has no policy yet. */
    ShardLimiter() {
        fold(new Controlled(new Control.ApplySettings(0, -1, ShardSettings.initial(1, "key"))));
    }

    /** Decides by what stands under {@code spec} in a policy, in JSON with single quotes. */
    static ShardLimiter under(String spec) {
        ShardLimiter limiter = new ShardLimiter();
        limiter.decideBy(spec);
        return limiter;
    }

    /** The same, from now on. */
    void decideBy(String spec) {
        long version = policies.size() + 1L;
        String text = "{'apiVersion':'headgate.io/v1','kind':'PolicySnapshot','metadata':{'name':'test','version':"
                + version + "},'spec':{'domain':'test'," + spec + "}}";
        PolicyDocument document = PolicyDocument.parse(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        fold(new Controlled(new Control.ApplyPolicy(version - 1, version - 2, document.canonicalBytes())));
        fold(new Controlled(new Control.CaughtUp()));
        policies.add(0, document.policy());
    }

    synchronized void pass(long millis) {
        nowMillis += millis;
    }

    /** Puts answers in the place of its own. */
    void answerInstead(Function<Asked, CompletableFuture<Answer>> answers) {
        instead = Optional.of(answers);
    }

    List<Asked> asked() {
        return List.copyOf(asked);
    }

    @Override
    public CompletableFuture<Answer> admit(Ask ask) {
        return answer(new Asked(true, ask));
    }

    @Override
    public CompletableFuture<Answer> peek(Ask ask) {
        return answer(new Asked(false, ask));
    }

    @Override
    public boolean ready() {
        return ready;
    }

    @Override
    public Optional<Policy> policy(long version) {
        return policies.stream().filter(policy -> policy.version() == version).findFirst();
    }

    @Override
    public Optional<Policy> newestPolicy() {
        return policies.stream().findFirst();
    }

    @Override
    public List<Policy> candidates() {
        return List.copyOf(policies);
    }

    @Override
    public String pseudonym(String attribute, String value) {
        return pseudonyms.attribute(attribute, value);
    }

    private CompletableFuture<Answer> answer(Asked one) {
        asked.add(one);
        if (instead.isPresent()) {
            return instead.get().apply(one);
        }
        return CompletableFuture.completedFuture(fold(one));
    }

    /** Its own answer, whatever stands in its place. */
    Answer fold(Asked one) {
        Ask ask = one.ask();
        Identity who = new Identity(
                ask.caller().tenant(),
                pseudonyms.user(ask.caller().user()),
                pseudonyms.apiKey(ask.caller().apiKey()),
                pseudonyms.ip(ask.caller().ip()),
                pseudonyms.target(ask.caller().target()));
        Policy policy = newestPolicy().orElseThrow();
        Optional<String> group = policy.routes().groupOf(ask.route());
        List<Decision> earlier = new ArrayList<>();
        for (Stage stage : Stage.values()) {
            boolean last = stage == Stage.TENANT;
            if (last || policy.rules(stage).stream().anyMatch(rule -> ask.isSpokenOfBy(rule, group))) {
                Decision decision = fold(new Requests(Optional.empty(), List.of(command(one, stage, who))))
                        .get(0);
                if (last || decision.verdict() != Verdict.ALLOW) {
                    return new Decided(stage, decision, Answer.Source.AUTHORITY, earlier);
                }
                earlier.add(decision);
            }
        }
        throw new AssertionError("tenant is the last stage");
    }

    private static Command command(Asked one, Stage stage, Identity who) {
        Ask ask = one.ask();
        Admission admission =
                new Admission(stage, who, ask.authenticated(), ask.route(), ask.attributes(), ask.costs());
        return new Command.Ask(
                admission, !one.admit(), Command.NEVER, ask.explain(), ask.idempotencyKey(), ask.trace());
    }

    private synchronized List<Decision> fold(Payload payload) {
        Folded folded = shard.fold(new LogRecord(shard.view().nextOffset(), nowMillis, payload));
        if (!folded.problems().isEmpty()) {
            throw new AssertionError(folded.problems());
        }
        return folded.decisions();
    }
}
