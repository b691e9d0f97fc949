package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
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
import io.headgate.core.shard.Partitioning;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.schemas.Addresses;
import io.headgate.schemas.Pseudonyms;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** A question on its way through several stages, each on a shard of its own. */
class QuestionTest {

    private static final String IP_RULE = rule("P-IP", "ip", 4);
    private static final String TARGET_RULE = rule("P-TARGET", "target", 3);
    private static final String TENANT_RULE = rule("P-TENANT", "tenant", 2);

    private static final Ask ASK = Ask.of(new Caller("atlas", "u", "", "203.0.113.7", "ann"), false, "");

    private final PolicyDocument policy = policy(1, IP_RULE, TARGET_RULE, TENANT_RULE);
    private final Bench bench = bench(policy, Map.of());

    private static String rule(String id, String stage, long capacity) {
        return """
                {"id":"%s","stage":"%s","algorithm":"token-bucket","reason":"so that tests can count",
                 "limit":{"capacity":%d,"refill":{"tokens":0,"per":"1s"}}}""".formatted(id, stage, capacity);
    }

    private static PolicyDocument policy(long version, String... rules) {
        return PolicyDocument.parse(
                """
                {"apiVersion":"headgate.io/v1","kind":"PolicySnapshot","metadata":{"name":"test","version":%d},
                 "spec":{"domain":"test","rules":[%s]}}""".formatted(version, String.join(",", rules)).getBytes(StandardCharsets.UTF_8));
    }

    private static Bench bench(PolicyDocument policy, Map<String, String> settings) {
        Bench bench = new Bench(8, policy.policy(), settings);
        bench.publish(policy);
        return bench;
    }

    // ---- stages

    @Test
    void a_question_passes_its_stages_in_order_and_is_answered_by_the_last() {
        Decided decided = (Decided) bench.answer(ASK);

        assertThat(bench.stagesAsked()).containsExactly(Stage.IP, Stage.TARGET, Stage.TENANT);
        assertThat(decided.allowed()).isTrue();
        assertThat(decided.stage()).isEqualTo(Stage.TENANT);
        assertThat(decided.decision().remaining()).hasValue(1);
        assertThat(decided.earlier())
                .extracting(decision -> decision.remaining().orElseThrow())
                .containsExactly(3L, 2L);
        assertThat(decided.earlierIds())
                .containsExactly(
                        decided.earlier().get(0).id(), decided.earlier().get(1).id());
    }

    @Test
    void each_stage_is_on_the_shard_of_its_own_key() {
        bench.answer(ASK);

        assertThat(bench.sent())
                .extracting(record -> new String(record.key(), StandardCharsets.UTF_8).replaceAll("[0-9a-f]{32}", "…"))
                .containsExactly("ip:…", "target:…", "atlas");
        assertThat(bench.sent())
                .allSatisfy(record -> assertThat(record.partition())
                        .isEqualTo(Partitioning.shardOf(new String(record.key(), StandardCharsets.UTF_8), 8)));
    }

    @Test
    void the_first_denial_is_the_answer_and_what_earlier_stages_debited_stays_debited() {
        bench.answer(ASK);
        bench.answer(ASK);

        Decided third = (Decided) bench.answer(ASK);
        Decided fourth = (Decided) bench.answer(ASK);

        assertThat(third.stage()).isEqualTo(Stage.TENANT);
        assertThat(third.decision().denyingRule()).hasValue("P-TENANT");
        assertThat(third.earlier()).hasSize(2);
        assertThat(fourth.stage()).isEqualTo(Stage.TARGET);
        assertThat(fourth.decision().denyingRule()).hasValue("P-TARGET");
        assertThat(fourth.earlier())
                .extracting(decision -> decision.remaining().orElseThrow())
                .containsExactly(0L);
    }

    @Test
    void a_peek_looks_at_every_stage_and_debits_none() {
        CompletableFuture<Answer> peek = bench.client.peek(ASK);
        bench.answerAll();
        Decided admitted = (Decided) bench.answer(ASK);

        assertThat(((Decided) Bench.now(peek)).earlier()).hasSize(2);
        assertThat(admitted.decision().remaining()).hasValue(1);
        assertThat(admitted.earlier())
                .extracting(decision -> decision.remaining().orElseThrow())
                .containsExactly(3L, 2L);
    }

    @Test
    void one_stage_alone_can_be_asked() {
        Decided decided = (Decided) bench.answer(ASK.only(Stage.TARGET));

        assertThat(bench.stagesAsked()).containsExactly(Stage.TARGET);
        assertThat(decided.stage()).isEqualTo(Stage.TARGET);
        assertThat(decided.earlier()).isEmpty();
    }

    @Test
    void a_stage_that_does_not_decide_ends_the_question_and_names_what_was_decided_before() {
        Bench unready = new Bench(8, policy.policy(), Map.of());
        CompletableFuture<Answer> answer = unready.client.admit(ASK);
        ProducerRecord<byte[], byte[]> first = unready.last();
        unready.answerLast();
        unready.deliver(unready.shards.reply(
                ReplyAddress.readFrom(unready.last().headers()).orElseThrow(),
                new Reply(unready.last().partition(), 1, "no such thing", List.of())));

        Unavailable unavailable = (Unavailable) Bench.now(answer);
        assertThat(unavailable.cause()).isEqualTo(Cause.SHARD);
        assertThat(unavailable.earlierIds())
                .singleElement()
                .satisfies(id -> assertThat(id.shard()).isEqualTo(first.partition()));
        assertThat(unready.stagesAsked()).containsExactly(Stage.IP, Stage.TARGET);
        assertThat(unready.client.pending()).isZero();
    }

    // ---- the deadline

    @Test
    void all_stages_share_one_deadline() {
        CompletableFuture<Answer> answer = bench.client.admit(ASK.withDeadlineMillis(300));
        bench.pass(100);
        bench.answerLast();
        bench.pass(100);
        bench.answerLast();
        bench.pass(97);
        assertThat(answer).isNotDone();

        bench.pass(3);

        Unavailable unavailable = (Unavailable) Bench.now(answer);
        assertThat(unavailable.cause()).isEqualTo(Cause.DEADLINE);
        assertThat(unavailable.earlier()).hasSize(2);
        assertThat(bench.client.pending()).isZero();
    }

    @Test
    void a_stage_whose_turn_comes_after_the_deadline_is_not_asked() {
        CompletableFuture<Answer> answer = bench.client.admit(ASK.withDeadlineMillis(300));
        bench.acknowledge();
        // The reply is there in time but is handled after the deadline and before the tick that would have noticed.
        bench.passUnnoticed(300);
        bench.deliver(bench.shards.reply(bench.last()));

        Unavailable unavailable = (Unavailable) Bench.now(answer);
        assertThat(unavailable.cause()).isEqualTo(Cause.DEADLINE);
        assertThat(unavailable.earlier()).hasSize(1);
        assertThat(bench.stagesAsked()).containsExactly(Stage.IP);
    }

    @Test
    void later_stages_have_the_deadline_of_the_question_on_the_wire() {
        bench.answer(ASK);
        CompletableFuture<Answer> answer = bench.client.admit(ASK.withDeadlineMillis(1_000));
        long endMillis = bench.logMillis() + 1_000;
        bench.pass(200);
        bench.answerLast();
        bench.pass(200);
        bench.answerLast();

        assertThat(answer).isNotDone();
        assertThat(Bench.commands(bench.last()).get(0).admission().stage()).isEqualTo(Stage.TENANT);
        assertThat(Bench.commands(bench.last()).get(0).deadlineMillis()).isBetween(endMillis, endMillis + 100 + 1);
    }

    // ---- places and close

    @Test
    void a_question_takes_one_place_and_is_counted_once() {
        Bench small = bench(policy, Map.of(ClientSettings.PENDING_MAX, "1"));
        CompletableFuture<Answer> first = small.client.admit(ASK);
        small.answerLast();

        CompletableFuture<Answer> second = small.client.admit(ASK);

        assertThat(((Unavailable) Bench.now(second)).cause()).isEqualTo(Cause.OVERLOADED);
        small.answerLast();
        small.answerLast();
        assertThat(Bench.now(first).allowed()).isTrue();
        assertThat(small.client.pending()).isZero();
        assertThat(small.count("ratelimit.checks", "outcome", "allow", "source", "authority"))
                .isEqualTo(1);
    }

    @Test
    void a_close_answers_a_question_between_its_stages() {
        CompletableFuture<Answer> answer = bench.client.admit(ASK);
        bench.answerLast();

        bench.client.close();

        Unavailable unavailable = (Unavailable) Bench.now(answer);
        assertThat(unavailable.cause()).isEqualTo(Cause.CLOSED);
        assertThat(unavailable.earlier()).hasSize(1);
        assertThat(bench.client.pending()).isZero();
    }

    // ---- policies

    @Test
    void a_new_policy_changes_which_stages_are_asked() {
        bench.publish(policy(2, TENANT_RULE));
        bench.answer(ASK);
        assertThat(bench.stagesAsked()).containsExactly(Stage.TENANT);

        bench.publish(policy(3, IP_RULE, TENANT_RULE));
        bench.answer(ASK);

        assertThat(bench.stagesAsked()).containsExactly(Stage.TENANT, Stage.IP, Stage.TENANT);
        assertThat(bench.registry.get("ratelimit.client.policy.version").gauge().value())
                .isEqualTo(3);
    }

    @Test
    void a_record_that_shards_refuse_changes_nothing_and_is_counted() {
        bench.publish(policy(2, TENANT_RULE));
        bench.publish(policy(1, IP_RULE));
        bench.publish("not a policy".getBytes(StandardCharsets.UTF_8));
        bench.publish(policy(2, IP_RULE));
        bench.publish((byte[]) null);

        bench.answer(ASK);

        assertThat(bench.stagesAsked()).containsExactly(Stage.TENANT);
        assertThat(bench.count("ratelimit.client.policy.refusals", "cause", "out-of-order"))
                .isEqualTo(2);
        assertThat(bench.count("ratelimit.client.policy.refusals", "cause", "unreadable"))
                .isEqualTo(2);
        assertThat(bench.registry.get("ratelimit.client.policy.version").gauge().value())
                .isEqualTo(2);
    }

    @Test
    void every_stage_with_a_key_is_asked_until_a_policy_is_known() {
        Bench early = new Bench(8, policy.policy(), Map.of());
        early.answer(ASK);
        assertThat(early.stagesAsked()).containsExactly(Stage.IP, Stage.TARGET, Stage.TENANT);
        assertThat(early.registry.get("ratelimit.client.policy.version").gauge().value())
                .isZero();

        early.publish(policy(2, TENANT_RULE));
        early.answer(ASK);

        assertThat(early.stagesAsked()).containsExactly(Stage.IP, Stage.TARGET, Stage.TENANT, Stage.TENANT);
    }

    @Test
    void the_policy_that_was_known_stays_while_the_topic_cannot_be_read() {
        bench.publish(policy(2, TENANT_RULE));
        bench.policies.setPollException(new TopicAuthorizationException("policies"));
        assertThatThrownBy(() -> bench.client.follow(Duration.ZERO)).isInstanceOf(TopicAuthorizationException.class);

        bench.answer(ASK);
        bench.publish(policy(3, IP_RULE, TENANT_RULE));
        bench.answer(ASK);

        assertThat(bench.stagesAsked()).containsExactly(Stage.TENANT, Stage.IP, Stage.TENANT);
    }

    @Test
    void the_age_of_the_policy_is_a_metric() {
        bench.pass(7_000);
        assertThat(bench.registry.get("ratelimit.client.policy.age").gauge().value())
                .isEqualTo(7);

        bench.publish(policy(2, TENANT_RULE));

        assertThat(bench.registry.get("ratelimit.client.policy.age").gauge().value())
                .isZero();
    }

    // ---- what goes with a question

    @Test
    void costs_key_explanation_and_trace_go_to_every_stage() {
        Ask full = ASK.withCosts(Map.of("tokens", 700L))
                .withIdempotencyKey("order-1")
                .withExplanation()
                .withTrace();

        Decided decided = (Decided) bench.answer(full);

        List<Command.Ask> commands = bench.sent().stream()
                .flatMap(record -> Bench.commands(record).stream())
                .toList();
        assertThat(commands).hasSize(3).allSatisfy(command -> {
            assertThat(command.admission().costs()).containsOnly(Map.entry("requests", 1L), Map.entry("tokens", 700L));
            assertThat(command.idempotencyKey()).isEqualTo("order-1");
            assertThat(command.explain()).isTrue();
            assertThat(command.trace()).isTrue();
        });
        assertThat(decided.decision().rules())
                .extracting(Decision.RuleOutcome::ruleId)
                .containsExactly("P-TENANT");
        assertThat(decided.earlier().get(0).rules())
                .extracting(Decision.RuleOutcome::ruleId)
                .containsExactly("P-IP");
    }

    @Test
    void under_one_idempotency_key_no_stage_is_debited_twice() {
        Ask keyed = ASK.withIdempotencyKey("order-1");
        Decided first = (Decided) bench.answer(keyed);

        Decided second = (Decided) bench.answer(keyed);

        assertThat(second.decision()).isEqualTo(first.decision().asReplayed());
        assertThat(second.earlierIds()).isEqualTo(first.earlierIds());
        assertThat(((Decided) bench.answer(ASK)).decision().remaining()).hasValue(0);
    }

    @Test
    void after_a_denial_the_same_key_debits_the_stages_before_it_no_more() {
        bench.answer(ASK.only(Stage.TENANT).withCost(2));
        Ask keyed = ASK.withIdempotencyKey("order-1");

        bench.answer(keyed);
        Decided again = (Decided) bench.answer(keyed);

        assertThat(again.decision().denyingRule()).hasValue("P-TENANT");
        assertThat(again.earlier()).allMatch(Decision::replayed);
        assertThat(((Decided) bench.answer(ASK.only(Stage.IP))).decision().remaining())
                .hasValue(2);
    }

    @Test
    void another_request_under_one_key_is_a_conflict() {
        bench.answer(ASK.withIdempotencyKey("order-1"));

        Answer answer = bench.answer(ASK.withIdempotencyKey("order-1").withCost(2));

        Unavailable unavailable = (Unavailable) answer;
        assertThat(unavailable.cause()).isEqualTo(Cause.CONFLICT);
        assertThat(unavailable.decision().orElseThrow().verdict()).isEqualTo(Verdict.CONFLICT);
        assertThat(unavailable.allowed()).isFalse();
    }

    @Test
    void a_soft_denial_comes_with_its_pace() {
        Policy soft = new Policy(
                "test",
                7,
                new RouteTable(List.of(), Map.of()),
                List.of(new Rule(
                        "P-SOFT",
                        Stage.TENANT,
                        Scope.TENANT,
                        Match.EVERYTHING,
                        new TokenBucketLimit(1, 1, 2_000),
                        Cost.ONE,
                        new Enforcement.Soft(200),
                        false,
                        "")),
                1_000);
        Bench soften = new Bench(1, soft, Map.of());
        soften.answer(Bench.ask("atlas"));

        Decided decided = (Decided) soften.answer(Bench.ask("atlas"));

        assertThat(decided.allowed()).isTrue();
        assertThat(decided.decision().softDenials()).containsExactly("P-SOFT");
        assertThat(decided.decision().paceAfterMillis()).hasValue(4_000);
    }

    @Test
    void a_ban_in_a_stage_without_a_rule_counts_if_that_stage_is_always_asked() {
        PolicyDocument ipOnly = policy(1, IP_RULE);
        Action ban = new Action(
                "ban-1",
                "ops",
                "abuse",
                new Subject(Stage.TENANT, new Identity("atlas", "", "", "", ""), "", Map.of()),
                new Action.Ban(Scope.TENANT, Bench.LOG_AHEAD_MILLIS * 2));
        Bench lenient = bench(ipOnly, Map.of());
        Bench strict = bench(ipOnly, Map.of(ClientSettings.STAGES_ALWAYS, "tenant"));
        lenient.shards.tell(new Control.ApplyAction(0, -1, ban));
        strict.shards.tell(new Control.ApplyAction(0, -1, ban));

        assertThat(lenient.answer(ASK).allowed()).isTrue();
        Decided denied = (Decided) strict.answer(ASK);
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.decision().actions()).containsExactly("ban-1");
    }

    @Test
    void addresses_of_one_network_spend_one_budget() {
        bench.answer(Ask.of(Caller.unknown().withIp("2001:db8::1"), false, ""));

        Decided other = (Decided) bench.answer(Ask.of(Caller.unknown().withIp("2001:0DB8:0:0::2"), false, ""));
        Decided elsewhere = (Decided) bench.answer(Ask.of(Caller.unknown().withIp("2001:db8:0:1::2"), false, ""));

        assertThat(other.decision().remaining()).hasValue(2);
        assertThat(elsewhere.decision().remaining()).hasValue(3);
    }

    @Test
    void no_command_is_longer_on_the_wire_than_a_batch_reckons_with() {
        Ask long1 = ASK.withIdempotencyKey("é".repeat(256))
                .withRoute("GET /" + "ü".repeat(4_000))
                .withAttributes(Map.of("a".repeat(64), "語".repeat(256)))
                .withCosts(Map.of("m".repeat(32), 1_000_000_000_000L, "tokens", 1_000_000_000_000L))
                .withExplanation()
                .withTrace();
        Question question = new Question(
                long1,
                false,
                long1.identity(new Addresses(32, 64), new Pseudonyms(new byte[32])),
                List.of(Stage.TENANT),
                0,
                1);
        Call call = new Call(question, question.admission(), null);

        byte[] batch = RequestRecords.encode(
                new LogRecord.Requests(Optional.empty(), List.of(call.command(Long.MAX_VALUE - 1))));

        assertThat(batch.length).isLessThanOrEqualTo(call.wireSizeAtMost());
    }
}
