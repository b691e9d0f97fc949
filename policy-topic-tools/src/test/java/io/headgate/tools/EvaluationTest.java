package io.headgate.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Verdict;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.TenantPlansDocument;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Every kind of rule and of request, through the fold that decides in production. */
class EvaluationTest {

    private Evaluation evaluation;
    private EvaluationSummary summary;

    // Stages

    @Test
    void asks_the_stages_in_their_order_and_answers_with_the_first_that_denies() throws Exception {
        under("{'id':'T','stage':'tenant','algorithm':'fixed-window','limit':{'requests':9,'per':'1s'}},"
                + "{'id':'L','stage':'target','algorithm':'fixed-window','limit':{'requests':2,'per':'1s'}},"
                + "{'id':'I','stage':'ip','algorithm':'fixed-window','limit':{'requests':3,'per':'1s'}}");
        String all = "'tenant':'atlas','target':'ann','ip':'::1'";

        assertThat(ask(0, all).path("remaining").asLong()).isEqualTo(8);
        assertThat(ask(1, all).path("remaining").asLong()).isEqualTo(7);
        assertThat(ask(2, all).path("denyingRule").asText()).isEqualTo("L");
        JsonNode fourth = ask(3, all);
        assertThat(fourth.path("denyingRule").asText()).isEqualTo("I");
        assertThat(fourth.path("rules")).hasSize(1);
        assertThat(ask(4, "'tenant':'atlas'").path("remaining").asLong()).isEqualTo(6);
    }

    @Test
    void passes_over_a_stage_in_which_no_rule_speaks_of_the_request() throws Exception {
        under("{'id':'I','stage':'ip','meter':'bytes','algorithm':'fixed-window','limit':{'requests':3,'per':'1s'}},"
                + "{'id':'T','stage':'tenant','scope':'user','algorithm':'fixed-window',"
                + "'limit':{'requests':3,'per':'1s'}}");

        assertThat(ask(0, "'ip':'::1'").path("decisionId").isNull()).isTrue();
        assertThat(ask(0, "'ip':'::1','costs':{'bytes':1}").path("remaining").asLong())
                .isEqualTo(2);
        assertThat(ask(0, "'tenant':'atlas'").path("decisionId").isNull()).isTrue();
        assertThat(ask(0, "'tenant':'atlas','user':'u','ip':'::1'").path("rules"))
                .hasSize(1);
    }

    // Plans

    @Test
    void gives_each_tenant_what_its_plan_says() throws Exception {
        under(
                "'default':{'n':2},'gold':{'n':5}",
                "{'id':'T','stage':'tenant','algorithm':'fixed-window','limit':{'fromPlan':'n','per':'1m'}},"
                        + "{'id':'B','stage':'tenant','algorithm':'token-bucket','limit':{'capacity':9,'refill':{'tokens':1,"
                        + "'per':'1s'}}}",
                "'atlas':{'plan':'gold'},'birch':{'overrides':{'B':{'limit':{'capacity':1,'refill':{'tokens':1,"
                        + "'per':'1s'}}}}},'cedar':{'status':'suspended'},'dogwood':{'unlimited':true}");

        assertThat(ask(0, "'tenant':'atlas'").path("remaining").asLong()).isEqualTo(4);
        assertThat(ask(0, "'tenant':'nobody'").path("remaining").asLong()).isEqualTo(1);
        JsonNode birch = ask(0, "'tenant':'birch'");
        assertThat(birch.path("limit").asLong()).isEqualTo(1);
        assertThat(birch.path("remaining").asLong()).isZero();
        assertThat(ask(0, "'tenant':'dogwood'").path("limit").isNull()).isTrue();
        JsonNode cedar = ask(0, "'tenant':'cedar'");
        assertThat(cedar.path("verdict").asText()).isEqualTo("DENY");
        assertThat(cedar.path("denyingRule").asText()).isEqualTo("headgate.suspended");
        assertThat(cedar.path("retryAfterMillis").isNull()).isTrue();
        assertThat(summary()).containsSubsequence("denied          1", "  headgate.suspended 1", "           1  cedar");
    }

    /** As a gateway does, which then asks the last stage. */
    @Test
    void denies_a_suspended_tenant_of_whom_no_rule_speaks_but_not_where_another_stage_has_a_rule() throws Exception {
        under(
                "",
                "{'id':'I','stage':'ip','algorithm':'fixed-window','limit':{'requests':3,'per':'1s'}}",
                "'cedar':{'status':'suspended'}");

        assertThat(ask(0, "'tenant':'cedar'").path("denyingRule").asText()).isEqualTo("headgate.suspended");
        assertThat(ask(0, "'tenant':'birch'").path("decisionId").isNull()).isTrue();
        assertThat(ask(0, "'tenant':'cedar','ip':'::1'").path("remaining").asLong())
                .isEqualTo(2);
    }

    @Test
    void tells_the_shard_of_more_tenants_than_one_record_holds() throws Exception {
        String plans = IntStream.range(0, 1_201)
                .mapToObj(i -> "'t" + i + "':{'plan':'gold'}")
                .collect(Collectors.joining(","));
        under(
                "'default':{'n':2},'gold':{'n':5}",
                "{'id':'T','stage':'tenant','algorithm':'fixed-window','limit':{'fromPlan':'n','per':'1m'}}",
                plans);

        for (int tenant : new int[] {0, 499, 500, 999, 1_000, 1_200}) {
            assertThat(ask(0, "'tenant':'t" + tenant + "'").path("limit").asLong())
                    .isEqualTo(5);
        }
    }

    // Time

    @Test
    void ends_a_day_when_it_ends_in_the_zone_of_the_rule_and_of_the_tenant() throws Exception {
        under(
                "",
                "{'id':'Z','stage':'tenant','algorithm':'fixed-window','limit':{'requests':9,'per':'day','align':'calendar',"
                        + "'zone':'Europe/Zurich'}},"
                        + "{'id':'T','stage':'tenant','scope':'user','algorithm':'fixed-window','limit':{'requests':1,"
                        + "'per':'day','align':'calendar','zone':'tenant'}}",
                "'tokyo':{'zone':'Asia/Tokyo'}");
        long noon = Instant.parse("2026-03-29T12:00:00Z").toEpochMilli();

        ask(noon, "'tenant':'tokyo','user':'u'");
        ask(noon, "'tenant':'nobody','user':'u'");

        // Midnight in Tokyo, where the day has ended, is 15:00 UTC; elsewhere it is UTC that counts.
        assertThat(retryAfter(noon, "'tenant':'tokyo','user':'u'")).isEqualTo(3 * 3_600_000);
        assertThat(retryAfter(noon, "'tenant':'nobody','user':'u'")).isEqualTo(12 * 3_600_000);
        for (int i = 0; i < 8; i++) {
            ask(noon, "'tenant':'nobody'");
        }
        // Summer time began that morning: midnight in Zurich is 22:00 UTC.
        assertThat(retryAfter(noon, "'tenant':'nobody'")).isEqualTo(10 * 3_600_000);
    }

    @Test
    void knows_the_zones_however_far_apart_the_requests_are() throws Exception {
        under(
                "{'id':'Z','stage':'tenant','algorithm':'fixed-window','limit':{'requests':1,'per':'day','align':'calendar',"
                        + "'zone':'Europe/Zurich'}}");
        for (String day : List.of("1981-07-01", "1989-07-01", "2026-01-01", "2026-07-01", "2150-07-01", "9999-01-01")) {
            long noon = Instant.parse(day + "T12:00:00Z").toEpochMilli();
            boolean summer = day.contains("-07-");

            assertThat(ask(noon, "'tenant':'atlas'").path("allowed").asBoolean())
                    .as(day)
                    .isTrue();
            assertThat(retryAfter(noon, "'tenant':'atlas'")).as(day).isEqualTo((summer ? 10 : 11) * 3_600_000L);
        }
    }

    // Rules

    @Test
    void refills_at_intervals() throws Exception {
        under(
                "{'id':'B','stage':'tenant','algorithm':'token-bucket','limit':{'capacity':2,'refill':{'tokens':2,'per':'1m',"
                        + "'mode':'interval'}}}");
        ask(1_000, "'tenant':'atlas'");
        ask(1_000, "'tenant':'atlas'");

        assertThat(retryAfter(31_000, "'tenant':'atlas'")).isEqualTo(29_000);
        assertThat(ask(60_000, "'tenant':'atlas'").path("remaining").asLong()).isEqualTo(1);
    }

    @Test
    void admits_beyond_a_soft_limit_and_says_so() throws Exception {
        under("{'id':'S','stage':'tenant','algorithm':'token-bucket','enforcement':{'mode':'soft','hardAt':'150%'},"
                + "'limit':{'capacity':2,'refill':{'tokens':1,'per':'1s'}}}");
        ask(0, "'tenant':'atlas'");
        ask(0, "'tenant':'atlas'");

        JsonNode soft = ask(0, "'tenant':'atlas'");
        assertThat(soft.path("allowed").asBoolean()).isTrue();
        assertThat(soft.path("softDenials")).extracting(JsonNode::asText).containsExactly("S");
        assertThat(soft.path("rules").path(0).path("verdict").asText()).isEqualTo("SOFT");
        assertThat(soft.path("paceAfterMillis").asLong()).isPositive();
        JsonNode hard = ask(0, "'tenant':'atlas'");
        assertThat(hard.path("denyingRule").asText()).isEqualTo("S");
        assertThat(hard.path("softDenials")).isEmpty();
        assertThat(summary()).containsSubsequence("soft denials    1", "  S 1");
    }

    @Test
    void counts_by_all_parts_of_a_composite() throws Exception {
        under("{'id':'C','stage':'tenant','scope':{'composite':['user','attributes.model']},'algorithm':'fixed-window',"
                + "'limit':{'requests':1,'per':'1m'}}");
        String small = "'tenant':'atlas','user':'u','attributes':{'model':'small'}";

        assertThat(ask(0, small).path("allowed").asBoolean()).isTrue();
        assertThat(ask(0, small.replace("small", "large")).path("allowed").asBoolean())
                .isTrue();
        assertThat(ask(0, "'tenant':'atlas','user':'u'").path("decisionId").isNull())
                .isTrue();
        JsonNode denied = ask(0, small);
        assertThat(denied.path("scope").asText()).isEqualTo("composite");
        assertThat(summary()).containsSubsequence("  C 1", "           1  atlas/u/small");
    }

    @Test
    void charges_each_meter_by_itself() throws Exception {
        under("{'id':'R','stage':'tenant','algorithm':'fixed-window','limit':{'requests':9,'per':'1m'}},"
                + "{'id':'M','stage':'tenant','meter':'tokens-in','algorithm':'fixed-window',"
                + "'limit':{'requests':1000,'per':'1m'}}");

        assertThat(ask(0, "'tenant':'atlas','costs':{'tokens-in':900}")
                        .path("remaining")
                        .asLong())
                .isEqualTo(100);
        assertThat(ask(0, "'tenant':'atlas','cost':2").path("remaining").asLong())
                .isEqualTo(6);
        assertThat(ask(0, "'tenant':'atlas','costs':{'tokens-in':101}")
                        .path("denyingRule")
                        .asText())
                .isEqualTo("M");
    }

    // Callers' keys

    @Test
    void admits_a_request_once_under_its_callers_key() throws Exception {
        under("{'id':'R','stage':'tenant','algorithm':'fixed-window','limit':{'requests':9,'per':'1m'}}");
        String keyed = "'tenant':'atlas','idempotencyKey':'k1'";

        JsonNode first = ask(0, keyed);
        JsonNode second = ask(5, keyed);
        JsonNode other = ask(6, keyed + ",'route':'GET /other'");

        assertThat(second.path("replayed").asBoolean()).isTrue();
        assertThat(second.path("decisionId")).isEqualTo(first.path("decisionId"));
        assertThat(other.path("verdict").asText()).isEqualTo("CONFLICT");
        assertThat(ask(7, "'tenant':'atlas'").path("remaining").asLong()).isEqualTo(7);
        assertThat(ask(60_000, keyed).path("replayed").asBoolean()).isFalse();
        assertThat(summary())
                .containsSubsequence(
                        "errors          1",
                        "  t 6: CONFLICT: its idempotency key was used for another request; that was decided as "
                                + first.path("decisionId").asText());
    }

    @Test
    void refuses_what_no_gateway_would_accept() {
        String key = "k".repeat(257);

        assertThat(refusal("{'t':0,'tenant':'a','idempotencyKey':'" + key + "'}"))
                .isEqualTo("is refused: idempotencyKey has 257 characters; at most 256 are allowed");
        assertThat(refusal("{'t':0,'tenant':'a','costs':{'Tokens':1}}"))
                .startsWith("is refused: meter is 'Tokens'; it must be ");
        assertThat(refusal("{'t':0,'tenant':'a','costs':{'a':1,'b':1,'c':1,'d':1,'e':1,'f':1,'g':1,'h':1}}"))
                .isEqualTo("is refused: costs has 9 meters; at most 8 are allowed");
    }

    private void under(String rules) {
        under("", rules, "");
    }

    private void under(String plans, String rules, String tenants) {
        PolicyDocument policy = PolicyDocument.parse(
                bytes("{'apiVersion':'headgate.io/v1','kind':'PolicySnapshot','metadata':{'name':'n','version':1},"
                        + "'spec':{'domain':'d','plans':{" + plans + "},'rules':[" + rules + "]}}"));
        List<TenantPlan> ofTenants = TenantPlansDocument.parse(
                bytes("{'apiVersion':'headgate.io/v1','kind':'TenantPlans','tenants':{" + tenants + "}}"),
                Optional.of(policy.policy()));
        evaluation = new Evaluation(policy, ofTenants, 100);
        summary = new EvaluationSummary(policy.policy());
    }

    private JsonNode ask(long timeMillis, String fields) throws UnreadableLineException, IOException {
        Answer answer = evaluation.answer(Request.parse(json("{'t':" + timeMillis + "," + fields + "}")));
        assertThat(answer.verdict()).isNotEqualTo(Verdict.NOT_READY).isNotEqualTo(Verdict.ERROR);
        summary.add(answer);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AnswerWriter writer = new AnswerWriter(out);
        writer.write(answer);
        writer.flush();
        return new ObjectMapper().readTree(out.toByteArray());
    }

    private long retryAfter(long timeMillis, String fields) throws UnreadableLineException, IOException {
        JsonNode answer = ask(timeMillis, fields);
        assertThat(answer.path("verdict").asText()).isEqualTo("DENY");
        return answer.path("retryAfterMillis").asLong();
    }

    private List<String> summary() {
        StringWriter out = new StringWriter();
        summary.print(new PrintWriter(out, true));
        return out.toString().lines().toList();
    }

    private static String refusal(String line) {
        try {
            return "accepted " + Request.parse(json(line));
        } catch (UnreadableLineException refused) {
            return refused.getMessage();
        }
    }

    private static byte[] bytes(String text) {
        return json(text).getBytes(StandardCharsets.UTF_8);
    }

    /** Quotes are single here, to be readable. */
    private static String json(String text) {
        return text.replace('\'', '"');
    }
}
