package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.core.decision.Verdict;
import io.headgate.core.shard.Partitioning;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Source;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What callers get when shards do not answer, when somebody floods, and when a denial is asked for again. */
class TroubleTest {

    private static final Map<String, String> QUICK =
            Map.of(ClientSettings.DEADLINE_MS, "100", ClientSettings.BREAKER_CALLS, "20");

    private static final String ROUTES = """
            "routes":{"read":[{"method":"GET","path":"/read"}],"pay":[{"method":"POST","path":"/pay"}],
             "free":[{"method":"GET","path":"/free"}],"probes":[{"method":"GET","path":"/healthz"}]},
            "endpoints":{"read":{"failMode":{"mode":"local-bounded"}},
             "pay":{"failMode":{"mode":"closed","retryAfter":"5s"}},
             "free":{"failMode":{"mode":"open"}},
             "probes":{"exempt":{"limit":{"requests":2,"per":"10s"}}}},""";

    private static final String BOUNDED = """
            "failMode":{"mode":"local-bounded","perGateway":{"capacity":2,"refill":{"tokens":1,"per":"1s"}},
             "expectedGateways":2}""";

    private static String rule(String id, String more) {
        return """
                {"id":"%s","stage":"tenant","algorithm":"token-bucket",
                 "limit":{"capacity":4,"refill":{"tokens":2,"per":"1s"}},%s}""".formatted(id, more);
    }

    private static PolicyDocument policy(long version, String more, String... rules) {
        return PolicyDocument.parse(
                """
                {"apiVersion":"headgate.io/v1","kind":"PolicySnapshot","metadata":{"name":"test","version":%d},
                 "spec":{"domain":"test",%s%s"rules":[%s]}}""".formatted(version, ROUTES, more, String.join(",", rules)).getBytes(StandardCharsets.UTF_8));
    }

    private static Bench bench(PolicyDocument policy, Map<String, String> settings) {
        Bench bench = new Bench(8, policy.policy(), settings);
        bench.publish(policy);
        return bench;
    }

    private static Ask ask(String route) {
        return Ask.of(Caller.unknown().withTenant("atlas").withUser("u"), true, route);
    }

    /** Asks, and no answer comes in time. */
    private static Answer unanswered(Bench bench, Ask ask) {
        CompletableFuture<Answer> answer = bench.client.admit(ask);
        bench.settle();
        bench.pass(101);
        return Bench.now(answer);
    }

    private static Unavailable unavailable(Answer answer) {
        assertThat(answer).isInstanceOf(Unavailable.class);
        return (Unavailable) answer;
    }

    private static Fallback fallback(Answer answer) {
        assertThat(answer).isInstanceOf(Fallback.class);
        return (Fallback) answer;
    }

    // ---- fail modes

    @Test
    void closed_says_when_to_come_back_where_the_policy_does() {
        Bench bench = bench(policy(1, "", rule("P", "\"failMode\":{\"mode\":\"endpoint\"}")), QUICK);

        assertThat(unavailable(unanswered(bench, ask("POST /pay"))).retryAfterMillis())
                .hasValue(5_000);
        Unavailable nowhere = unavailable(unanswered(bench, ask("GET /elsewhere")));
        assertThat(nowhere.cause()).isEqualTo(Cause.DEADLINE);
        assertThat(nowhere.retryAfterMillis()).isEmpty();
        assertThat(bench.count("ratelimit.failmode.engaged", "mode", "closed", "cause", "deadline"))
                .isEqualTo(2);
    }

    @Test
    void without_a_policy_all_is_closed() {
        Bench bench = new Bench(1, 5, QUICK);

        assertThat(unavailable(unanswered(bench, ask("GET /free"))).cause()).isEqualTo(Cause.DEADLINE);
    }

    @Test
    void open_admits_and_says_so() {
        Bench bench = bench(policy(3, "", rule("P", "\"failMode\":{\"mode\":\"endpoint\"}")), QUICK);

        Fallback open = fallback(unanswered(bench, ask("GET /free")));

        assertThat(open.admitted()).isTrue();
        assertThat(open.allowed()).isTrue();
        assertThat(open.mode()).isEqualTo(Fallback.Mode.OPEN);
        assertThat(open.policyVersion()).isEqualTo(3);
        assertThat(open.because().orElseThrow().cause()).isEqualTo(Cause.DEADLINE);
        assertThat(bench.count("ratelimit.checks", "outcome", "allow", "source", "fallback"))
                .isEqualTo(1);
        assertThat(fallback(unanswered(bench, ask("GET /free"))).id()).isNotEqualTo(open.id());
    }

    @Test
    void a_bound_is_kept_and_its_hint_is_not_early() {
        Bench bench = bench(policy(1, "", rule("P", BOUNDED)), QUICK);
        assertThat(fallback(unanswered(bench, ask("GET /read"))).admitted()).isTrue();
        assertThat(fallback(unanswered(bench, ask("GET /read"))).admitted()).isTrue();

        Fallback denied = fallback(unanswered(bench, ask("GET /read")));

        assertThat(denied.admitted()).isFalse();
        assertThat(denied.rule()).hasValue("P");
        long wait = denied.retryAfterMillis().orElseThrow();
        assertThat(wait).isBetween(1L, 1_000L);
        bench.pass(wait - 102);
        assertThat(fallback(unanswered(bench, ask("GET /read"))).admitted()).isFalse();
        assertThat(fallback(unanswered(bench, ask("GET /read"))).admitted()).isTrue();
    }

    @Test
    void a_bound_is_debited_for_what_a_request_costs_and_not_by_a_peek() {
        Bench bench = bench(policy(1, "", rule("P", BOUNDED)), QUICK);
        CompletableFuture<Answer> peek = bench.client.peek(ask("GET /read").withCost(2));
        bench.settle();
        bench.pass(101);

        assertThat(fallback(Bench.now(peek)).admitted()).isTrue();
        assertThat(fallback(unanswered(bench, ask("GET /read").withCost(2))).admitted())
                .isTrue();
        assertThat(fallback(unanswered(bench, ask("GET /read"))).admitted()).isFalse();
    }

    @Test
    void of_several_modes_closed_wins_and_otherwise_every_bound_has_room_or_none_is_debited() {
        String ofUser = BOUNDED.replace("\"capacity\":2", "\"capacity\":1");
        Bench bench = bench(
                policy(
                        1,
                        "",
                        rule("P", BOUNDED),
                        rule("P-USER", "\"scope\":\"user\"," + ofUser),
                        rule("P-GOLD", "\"match\":{\"attributes\":{\"tier\":\"gold\"}}")),
                QUICK);
        Ask other = Ask.of(Caller.unknown().withTenant("atlas").withUser("other"), true, "GET /read");

        assertThat(fallback(unanswered(bench, ask("GET /read"))).admitted()).isTrue();
        Fallback denied = fallback(unanswered(bench, ask("GET /read")));
        assertThat(denied.rule()).hasValue("P-USER");
        assertThat(fallback(unanswered(bench, other)).admitted())
                .as("the tenant's bound was not debited by the denial")
                .isTrue();
        assertThat(unavailable(unanswered(bench, ask("GET /read").withAttributes(Map.of("tier", "gold"))))
                        .cause())
                .isEqualTo(Cause.DEADLINE);
    }

    @Test
    void a_rule_in_shadow_bounds_nothing() {
        Bench bench = bench(
                policy(1, "", rule("P", BOUNDED), rule("P-SHADOW", "\"enforcement\":{\"mode\":\"shadow\"}")), QUICK);

        assertThat(fallback(unanswered(bench, ask("GET /read"))).admitted()).isTrue();
    }

    @Test
    void a_stage_that_has_let_it_pass_has_no_more_say() {
        Bench bench = bench(
                policy(
                        1,
                        "",
                        rule("P", BOUNDED),
                        "{\"id\":\"P-IP\",\"stage\":\"ip\",\"algorithm\":\"fixed-window\",\"limit\":{\"requests\":9,\"per\":\"1s\"}}"),
                QUICK);
        Ask both = Ask.of(new Caller("atlas", "u", "", "203.0.113.7", ""), true, "GET /read");
        CompletableFuture<Answer> answer = bench.client.admit(both);
        bench.answerLast();
        bench.pass(101);

        Fallback fallback = fallback(Bench.now(answer));
        assertThat(fallback.admitted()).isTrue();
        assertThat(fallback.earlier()).hasSize(1);
        assertThat(unavailable(unanswered(bench, both)).cause())
                .as("the rule of stage ip is closed")
                .isEqualTo(Cause.DEADLINE);
    }

    @Test
    void an_exempt_route_is_never_asked_about_and_has_a_cap_of_its_own() {
        Bench bench = bench(policy(4, "", rule("P", BOUNDED)), QUICK);
        List<Fallback> answers = new ArrayList<>();
        for (String who : List.of("atlas", "birch", "cedar")) {
            answers.add(fallback(
                    Bench.now(bench.client.admit(Ask.of(Caller.unknown().withTenant(who), true, "GET /healthz")))));
        }

        assertThat(answers).extracting(Fallback::admitted).containsExactly(true, true, false);
        assertThat(answers)
                .allMatch(answer -> answer.mode() == Fallback.Mode.EXEMPT
                        && answer.because().isEmpty());
        assertThat(answers.get(2).retryAfterMillis().orElseThrow()).isBetween(1L, 10_000L);
        assertThat(bench.sent()).isEmpty();
        assertThat(bench.count("ratelimit.exempt", "endpoint", "probes", "outcome", "allow"))
                .isEqualTo(2);
        assertThat(bench.count("ratelimit.exempt", "endpoint", "probes", "outcome", "deny"))
                .isEqualTo(1);
    }

    @Test
    void what_is_exempt_is_summed_up_in_the_log_each_minute() {
        Bench bench = bench(policy(4, "", rule("P", BOUNDED)), QUICK);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ExemptAudit.class);
        logger.setLevel(Level.INFO);
        logger.addAppender(log);
        try {
            for (int i = 0; i < 3; i++) {
                assertThat(bench.client.admit(ask("GET /healthz"))).isDone();
            }
            bench.client.follow(Duration.ZERO);
            assertThat(log.list).isEmpty();
            bench.pass(60_000);
            bench.client.follow(Duration.ZERO);
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }

        assertThat(log.list)
                .singleElement()
                .extracting(line -> line.getKeyValuePairs().toString())
                .isEqualTo("[endpoint=\"probes\", admitted=\"2\", denied=\"1\", policyVersion=\"4\"]");
    }

    // ---- breaker

    @Test
    void a_shard_that_does_not_answer_is_not_waited_for_any_more_until_probes_are_answered() {
        Bench bench = bench(
                policy(1, "", rule("P", BOUNDED)),
                Map.of(ClientSettings.DEADLINE_MS, "100", ClientSettings.BREAKER_CALLS, "5"));
        for (int i = 0; i < 5; i++) {
            unanswered(bench, ask("POST /pay"));
        }
        int sent = bench.sent().size();

        assertThat(unavailable(Bench.now(bench.client.admit(ask("POST /pay")))).cause())
                .isEqualTo(Cause.BREAKER);
        assertThat(bench.sent()).hasSize(sent);
        assertThat(bench.registry.get("ratelimit.client.breakers.open").gauge().value())
                .isEqualTo(1);
        String elsewhere = Bench.names(50).stream()
                .filter(name -> Partitioning.shardOf(name, 8) != Partitioning.shardOf("atlas", 8))
                .findFirst()
                .orElseThrow();
        assertThat(bench.client.admit(Bench.ask(elsewhere)))
                .as("another shard is asked")
                .isNotDone();

        bench.pass(1_001);
        List<CompletableFuture<Answer>> probes = IntStream.range(0, 4)
                .mapToObj(i -> bench.client.admit(ask("POST /pay")))
                .toList();
        assertThat(unavailable(Bench.now(probes.get(3))).cause()).isEqualTo(Cause.BREAKER);
        bench.pass(97);
        assertThat(probes.subList(0, 3)).noneMatch(CompletableFuture::isDone);
        bench.pass(4);
        assertThat(unavailable(Bench.now(probes.get(0))).cause()).isEqualTo(Cause.DEADLINE);
        assertThat(unavailable(Bench.now(bench.client.admit(ask("POST /pay")))).cause())
                .as("the probes failed")
                .isEqualTo(Cause.BREAKER);
    }

    @Test
    void who_gives_no_time_closes_no_door() {
        Bench bench = new Bench(1, 1_000, Map.of(ClientSettings.BREAKER_CALLS, "5"));
        for (int i = 0; i < 30; i++) {
            CompletableFuture<Answer> hasty =
                    bench.client.admit(Bench.ask("atlas").withDeadlineMillis(40));
            bench.settle();
            bench.pass(41);
            assertThat(unavailable(Bench.now(hasty)).cause()).isEqualTo(Cause.DEADLINE);
        }

        assertThat(bench.client.admit(Bench.ask("atlas"))).isNotDone();
    }

    @Test
    void probes_that_are_answered_close_it() {
        Bench bench = new Bench(1, 1_000, Map.of(ClientSettings.DEADLINE_MS, "100", ClientSettings.BREAKER_CALLS, "5"));
        for (int i = 0; i < 5; i++) {
            unanswered(bench, Bench.ask("atlas"));
        }
        assertThat(Bench.now(bench.client.admit(Bench.ask("atlas")))).isInstanceOf(Unavailable.class);
        while (bench.producer.completeNext()) {
            bench.settle();
        }
        bench.pass(1_001);
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Answer> probe = bench.client.admit(Bench.ask("atlas"));
            bench.answerLast();
            assertThat(Bench.now(probe).allowed()).isTrue();
        }

        assertThat(bench.registry.get("ratelimit.client.breakers.open").gauge().value())
                .isZero();
        List<CompletableFuture<Answer>> many = IntStream.range(0, 10)
                .mapToObj(i -> bench.client.admit(Bench.ask("atlas")))
                .toList();
        assertThat(many).noneMatch(CompletableFuture::isDone);
    }

    // ---- fairness

    @Test
    void who_floods_waits_behind_himself() {
        Bench bench = new Bench(1, 1_000, Map.of(ClientSettings.BATCH_MAX_COMMANDS, "10"));
        bench.asked(Bench.ask("quick"));
        bench.settle();
        for (int i = 0; i < 500; i++) {
            bench.asked(Bench.ask("flood"));
        }
        bench.asked(Bench.ask("modest"));
        bench.asked(Bench.ask("other"));

        bench.acknowledge();

        assertThat(Bench.commands(bench.last()))
                .extracting(command -> command.admission().partitionKey())
                .startsWith("flood", "modest", "other", "flood")
                .hasSize(10);
    }

    @Test
    void a_tenant_has_so_many_places_and_takes_none_from_others() {
        Bench bench = new Bench(1, 1_000, Map.of(ClientSettings.PENDING_MAX_PER_TENANT, "2"));
        bench.asked(Bench.ask("flood"));
        bench.asked(Bench.ask("flood"));

        Unavailable refused = unavailable(Bench.now(bench.client.admit(Bench.ask("flood"))));

        assertThat(refused.cause()).isEqualTo(Cause.OVERLOADED);
        assertThat(refused.detail()).isEqualTo("as many calls of this tenant are pending as may be: 2");
        CompletableFuture<Answer> other = bench.client.admit(Bench.ask("modest"));
        assertThat(other).isNotDone();
        bench.answerAll();
        assertThat(Bench.now(other).allowed()).isTrue();
        assertThat(bench.client.pending()).isZero();
        assertThat(bench.client.admit(Bench.ask("flood")))
                .as("its places are free again")
                .isNotDone();
    }

    // ---- denials

    private static final String CACHE = "\"responses\":{\"denyCache\":\"10s\"},";

    /** A tenant that has spent all, denied a moment ago. */
    private static Bench spent(PolicyDocument policy) {
        Bench bench = bench(policy, Map.of());
        for (int i = 0; i < 4; i++) {
            assertThat(bench.answer(ask("GET /read")).allowed()).isTrue();
        }
        assertThat(((Decided) bench.answer(ask("GET /read"))).source()).isEqualTo(Source.AUTHORITY);
        return bench;
    }

    @Test
    void a_denial_is_repeated_without_asking_and_its_hint_counts_down() {
        Bench bench = spent(policy(1, CACHE, rule("P", BOUNDED)));
        int sent = bench.sent().size();
        bench.pass(200);

        Decided repeated = (Decided) Bench.now(bench.client.admit(ask("GET /read")));

        assertThat(repeated.source()).isEqualTo(Source.DENIAL_CACHE);
        assertThat(repeated.decision().verdict()).isEqualTo(Verdict.DENY);
        assertThat(repeated.decision().denyingRule()).hasValue("P");
        assertThat(repeated.decision().retryAfterMillis()).hasValue(300);
        assertThat(bench.sent()).hasSize(sent);
        bench.pass(50);
        assertThat(bench.client.admit(ask("GET /read")))
                .as("no longer than 250 ms")
                .isNotDone();
        assertThat(bench.count("ratelimit.checks", "outcome", "deny", "source", "denial_cache"))
                .isEqualTo(1);
    }

    @Test
    void another_request_is_asked_about() {
        Bench bench = spent(policy(1, CACHE, rule("P", BOUNDED)));
        List<Ask> others = List.of(
                ask("GET /read").withCost(0),
                ask("GET /read").withCost(2),
                ask("GET /free"),
                ask("GET /read").withAttributes(Map.of("a", "b")),
                Ask.of(Caller.unknown().withTenant("atlas").withUser("other"), true, "GET /read"),
                ask("GET /read").withIdempotencyKey("k"),
                ask("GET /read").withExplanation(),
                ask("GET /read").withTrace());

        assertThat(others)
                .allSatisfy(other -> assertThat(bench.client.admit(other)).isNotDone());
        assertThat(bench.client.peek(ask("GET /read"))).isNotDone();
    }

    @Test
    void under_another_policy_nothing_is_repeated() {
        Bench bench = spent(policy(1, CACHE, rule("P", BOUNDED)));
        bench.publish(policy(2, CACHE, rule("P", BOUNDED)));

        assertThat(bench.client.admit(ask("GET /read"))).isNotDone();
    }

    @Test
    void a_policy_that_does_not_say_so_has_nothing_repeated() {
        Bench bench = spent(policy(1, "", rule("P", BOUNDED)));

        assertThat(bench.client.admit(ask("GET /read"))).isNotDone();
    }

    // ---- stale policy

    private static final String STALE = "\"staleSnapshot\":{\"after\":\"2s\",\"action\":\"fail-mode\"},";

    private static void silence(Bench bench, long millis) {
        for (long passed = 0; passed < millis; passed += 300) {
            bench.policies.setOffsetsException(new TimeoutException("no broker"));
            bench.pass(300);
            try {
                bench.client.follow(Duration.ZERO);
            } catch (TimeoutException expected) {
                assertThat(expected).hasMessage("no broker");
            }
        }
    }

    @Test
    void under_a_policy_that_is_too_old_the_fail_mode_applies_until_the_brokers_are_heard_again() {
        Bench bench = bench(policy(1, STALE, rule("P", BOUNDED)), Map.of());
        silence(bench, 1_800);
        assertThat(bench.client.admit(ask("GET /read"))).isNotDone();
        silence(bench, 600);

        assertThat(fallback(Bench.now(bench.client.admit(ask("GET /read"))))
                        .because()
                        .orElseThrow()
                        .cause())
                .isEqualTo(Cause.STALE_POLICY);
        assertThat(unavailable(Bench.now(bench.client.admit(ask("POST /pay")))).cause())
                .isEqualTo(Cause.STALE_POLICY);
        assertThat(bench.registry.get("ratelimit.client.policy.silence").gauge().value())
                .isEqualTo(2);

        bench.pass(300);
        bench.client.follow(Duration.ZERO);
        assertThat(bench.client.admit(ask("GET /read"))).isNotDone();
    }

    @Test
    void a_client_that_hears_the_brokers_is_never_stale() {
        Bench bench = bench(policy(1, STALE, rule("P", BOUNDED)), Map.of());
        for (int i = 0; i < 20; i++) {
            bench.pass(300);
            bench.client.follow(Duration.ZERO);
        }

        assertThat(bench.client.admit(ask("GET /read"))).isNotDone();
    }

    @Test
    void who_keeps_the_last_known_good_goes_on_by_it() {
        Bench bench =
                bench(policy(1, STALE.replace("fail-mode", "keep-last-known-good"), rule("P", BOUNDED)), Map.of());
        silence(bench, 6_000);

        assertThat(bench.client.admit(ask("GET /read"))).isNotDone();
    }
}
