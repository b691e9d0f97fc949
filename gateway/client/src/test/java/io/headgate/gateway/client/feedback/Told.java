package io.headgate.gateway.client.feedback;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Conduct;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Responses;
import io.headgate.core.policy.Responses.Audience;
import io.headgate.core.policy.Responses.Header;
import io.headgate.core.policy.RouteTable;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.policy.StaleSnapshot;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.client.Limiter;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Policies, questions and answers to be told of. */
final class Told {

    static final long VERSION = 43;

    static final Ask KNOWN = Ask.of(Caller.unknown().withTenant("atlas"), true, "GET /catalog");
    static final Ask ANONYMOUS = Ask.of(Caller.unknown().withTenant("atlas"), false, "GET /catalog");

    private Told() {}

    static Responses responses(int jitterPercent, Header... headers) {
        EnumSet<Header> set = EnumSet.noneOf(Header.class);
        set.addAll(Arrays.asList(headers));
        return new Responses(set, Audience.AUTHENTICATED, jitterPercent, 0);
    }

    static Rule rule(String id, Scope scope, Limit limit, Map<String, Limit> byPlan) {
        return new Rule(
                id,
                Stage.TENANT,
                scope,
                List.of(),
                Match.EVERYTHING,
                limit,
                byPlan,
                "requests",
                Cost.ONE,
                Enforcement.ENFORCE,
                false,
                "so that tests can count");
    }

    static Rule rule(String id, Limit limit) {
        return rule(id, Scope.TENANT, limit, Map.of());
    }

    static Policy policy(long version, Responses responses, Rule... rules) {
        Set<String> plans = Arrays.stream(rules)
                .flatMap(rule -> rule.byPlan().keySet().stream())
                .collect(java.util.stream.Collectors.toSet());
        return new Policy(
                "test",
                version,
                new RouteTable(List.of(), Map.of()),
                List.of(rules),
                plans,
                Idempotency.DEFAULT,
                1_000,
                Activation.AT_ONCE,
                new Conduct(
                        Collections.emptySortedMap(), Collections.emptySortedMap(), responses, StaleSnapshot.DEFAULT));
    }

    /** Knows policies and answers nothing. */
    static Limiter knowing(Policy... policies) {
        TreeMap<Long, Policy> known = new TreeMap<>();
        for (Policy policy : policies) {
            known.put(policy.version(), policy);
        }
        return new Limiter() {
            @Override
            public CompletableFuture<Answer> admit(Ask ask) {
                throw new UnsupportedOperationException();
            }

            @Override
            public CompletableFuture<Answer> peek(Ask ask) {
                throw new UnsupportedOperationException();
            }

            @Override
            public boolean ready() {
                return true;
            }

            @Override
            public Optional<Policy> policy(long version) {
                return Optional.ofNullable(known.get(version));
            }

            @Override
            public Optional<Policy> newestPolicy() {
                return Optional.ofNullable(
                        known.isEmpty() ? null : known.lastEntry().getValue());
            }
        };
    }

    static Decided allowed(long limit, long remaining, OptionalLong resetAfterMillis) {
        return decided(
                Verdict.ALLOW,
                Optional.empty(),
                OptionalLong.of(limit),
                OptionalLong.of(remaining),
                resetAfterMillis,
                OptionalLong.empty());
    }

    static Decided denied(
            String rule, long limit, long remaining, OptionalLong resetAfterMillis, OptionalLong retryAfterMillis) {
        return decided(
                Verdict.DENY,
                Optional.of(rule),
                OptionalLong.of(limit),
                OptionalLong.of(remaining),
                resetAfterMillis,
                retryAfterMillis);
    }

    static Decided banned(long retryAfterMillis) {
        return decided(
                Verdict.DENY,
                Optional.of("headgate.banned"),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.of(retryAfterMillis));
    }

    private static Decided decided(
            Verdict verdict,
            Optional<String> rule,
            OptionalLong limit,
            OptionalLong remaining,
            OptionalLong resetAfterMillis,
            OptionalLong retryAfterMillis) {
        return Decided.byShard(
                Stage.TENANT,
                new Decision(
                        verdict,
                        new DecisionId(0, 7, 0),
                        VERSION,
                        rule,
                        rule.map(denying -> Scope.TENANT),
                        limit,
                        remaining,
                        resetAfterMillis,
                        retryAfterMillis,
                        OptionalLong.empty(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        false,
                        ""));
    }
}
