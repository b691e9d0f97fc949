package io.headgate.schemas.policy;

import static io.headgate.schemas.policy.Documents.assertProblems;
import static io.headgate.schemas.policy.Documents.document;
import static io.headgate.schemas.policy.Documents.parse;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.MapAssert;
import org.junit.jupiter.api.Test;

class PlannedLimitsTest {

    private static final String PLANS =
            "{'default':{'perMinute':60,'burst':20,'rate':2},'standard':{'perMinute':300},'gold':{'perMinute':1000,"
                    + "'burst':50,'unused':7}}";

    private static final String PER_MINUTE = "{'fromPlan':'perMinute','per':'1m'}";

    @Test
    void takes_a_number_from_each_plan_and_from_the_default_where_a_plan_does_not_say() {
        Policy policy = parse(withPlans(
                        PLANS,
                        rule("W", "fixed-window", PER_MINUTE)
                                + ","
                                + rule(
                                        "B",
                                        "token-bucket",
                                        "{'capacity':{'fromPlan':'burst'},'refill':{'tokens':{'fromPlan':'rate'},'per':'1s'}}")
                                + ","
                                + rule(
                                        "G",
                                        "gcra",
                                        "{'capacity':{'fromPlan':'burst'},'refill':{'tokens':5,'per':'1s'}}")
                                + ","
                                + rule("N", "fixed-window", "{'requests':3,'per':'1s'}")))
                .policy();

        assertThat(policy.plans()).containsExactly("gold", "standard");
        assertLimits(policy.rules().get(0), new FixedWindowLimit(60, 60_000))
                .isEqualTo(Map.of(
                        "standard", new FixedWindowLimit(300, 60_000), "gold", new FixedWindowLimit(1_000, 60_000)));
        assertLimits(policy.rules().get(1), new TokenBucketLimit(20, 2, 1_000))
                .isEqualTo(Map.of("gold", new TokenBucketLimit(50, 2, 1_000)));
        assertLimits(policy.rules().get(2), new GcraLimit(20, 5, 1_000))
                .isEqualTo(Map.of("gold", new GcraLimit(50, 5, 1_000)));
        assertLimits(policy.rules().get(3), new FixedWindowLimit(3, 1_000)).isEqualTo(Map.of());
    }

    @Test
    void reads_the_short_form_as_the_long_one() {
        Rule shortForm = onlyRule(PER_MINUTE);
        Rule longForm = onlyRule("{'requests':{'fromPlan':'perMinute'},'per':'1m'}");

        assertThat(longForm).isEqualTo(shortForm);
    }

    @Test
    void takes_plans_that_nothing_is_by() {
        Policy policy = parse(withPlans("{'gold':{}}", "")).policy();

        assertThat(policy.plans()).containsExactly("gold");
    }

    @Test
    void asks_for_the_quantity_in_the_default() {
        assertProblems(
                withPlans("{'gold':{'perMinute':5}}", rule("R", "fixed-window", PER_MINUTE)),
                "spec.rules[0].limit.fromPlan is \"perMinute\", which spec.plans.default does not name; it has to, for"
                        + " tenants that are on no plan");
        assertProblems(
                document(
                        "'name':'n','version':1",
                        "'domain':'d','rules':["
                                + rule(
                                        "R",
                                        "gcra",
                                        "{'capacity':{'fromPlan':'a'},'refill':{'tokens':{'fromPlan':'b'},'per':'1s'}}")
                                + "]"),
                "spec.rules[0].limit.capacity.fromPlan is \"a\", which spec.plans.default does not name; it has to, for"
                        + " tenants that are on no plan",
                "spec.rules[0].limit.refill.tokens.fromPlan is \"b\", which spec.plans.default does not name; it has to,"
                        + " for tenants that are on no plan");
    }

    @Test
    void names_the_plan_under_which_a_limit_cannot_be() {
        assertProblems(
                withPlans(
                        "{'default':{'n':1000},'gold':{'n':1001}}",
                        rule("R", "sliding-log", "{'fromPlan':'n','per':'1s'}")),
                "spec.rules[0].limit.requests is 1001; it must be 0 to 1000 (in plan gold)");
        assertProblems(
                withPlans(
                        "{'default':{'n':0},'gold':{'n':1}}",
                        rule("R", "gcra", "{'capacity':1,'refill':{'tokens':{'fromPlan':'n'},'per':'1s'}}")),
                "spec.rules[0].limit.refill.tokens is 0; it must be 1 to 1000000000000 (in plan default)");
    }

    @Test
    void names_the_plan_in_which_nobody_could_pay() {
        String rule =
                "{'id':'R','stage':'tenant','algorithm':'fixed-window','cost':6,'limit':{'fromPlan':'n','per':'1s'}}";

        assertProblems(
                withPlans("{'default':{'n':6},'gold':{'n':5}}", rule),
                "spec.rules[0].cost is 6, above the rule's limit of 5 in plan gold: nobody could ever pay it");
    }

    @Test
    void refuses_what_says_the_number_twice_or_not_at_all() {
        assertProblems(
                withPlans(PLANS, rule("R", "fixed-window", "{'requests':5,'fromPlan':'perMinute','per':'1m'}")),
                "spec.rules[0].limit.fromPlan stands beside requests; one of them must go");
        assertProblems(
                withPlans(PLANS, rule("R", "fixed-window", "{'requests':{},'per':'1m'}")),
                "spec.rules[0].limit.requests.fromPlan is missing; it must be a name of 1 to 64 letters, digits, dots,"
                        + " hyphens and underscores");
        assertProblems(
                withPlans(
                        PLANS, rule("R", "fixed-window", "{'requests':{'fromPlan':'perMinute','times':2},'per':'1m'}")),
                "spec.rules[0].limit.requests.times is not a field of the format; what may stand here is [fromPlan]");
        assertProblems(
                withPlans(PLANS, rule("R", "token-bucket", "{'fromPlan':'burst','per':'1m'}")),
                "spec.rules[0].limit.capacity is missing; it must be an integer of 0 to 1000000000000",
                "spec.rules[0].limit.refill is missing; it must be an object",
                "spec.rules[0].limit.fromPlan is not a field of the format; what may stand here is [capacity, refill]",
                "spec.rules[0].limit.per is not a field of the format; what may stand here is [capacity, refill]");
    }

    @Test
    void refuses_plans_where_the_tenant_is_not_known() {
        assertProblems(
                withPlans(PLANS, "{'id':'R','stage':'ip','algorithm':'fixed-window','limit':" + PER_MINUTE + "}"),
                "spec.rules[0].limit is by plan (fromPlan); only rules of stage 'tenant' know the plan, not of 'ip'");
    }

    @Test
    void says_what_is_wrong_with_a_plan_once() {
        String byPlan = rule("R", "fixed-window", PER_MINUTE);

        assertProblems(
                withPlans("{'default':{'perMinute':'60'},'a b':{},'gold':3}", byPlan),
                "spec.plans.\"a b\" has a key that is not a name of 1 to 64 letters, digits, dots, hyphens and underscores",
                "spec.plans.default.perMinute is \"60\"; it must be an integer of 0 to 1000000000000",
                "spec.plans.gold is 3; it must be an object");
        assertProblems(withPlans("[]", byPlan), "spec.plans is a list; it must be an object");
    }

    @Test
    void takes_200_plans_besides_the_default_and_100_quantities_and_no_more() {
        String byPlan = rule("R", "fixed-window", PER_MINUTE);

        assertThat(parse(withPlans(manyPlans(200), byPlan)).policy().plans()).hasSize(200);
        assertProblems(withPlans(manyPlans(201), byPlan), "spec.plans has 201 plans; at most 200 are allowed");
        assertThat(parse(withPlans("{'default':{" + quantities(100) + "}}", byPlan))
                        .policy()
                        .rules())
                .hasSize(1);
        assertProblems(
                withPlans("{'default':{" + quantities(101) + "}}", byPlan),
                "spec.plans.default has 101 quantities; at most 100 are allowed");
    }

    private static String manyPlans(int besidesDefault) {
        return IntStream.range(0, besidesDefault)
                .mapToObj(i -> "'p" + i + "':{'perMinute':" + i + "}")
                .collect(Collectors.joining(",", "{'default':{'perMinute':60},", "}"));
    }

    private static String quantities(int count) {
        return IntStream.range(1, count)
                .mapToObj(i -> "'q" + i + "':" + i)
                .collect(Collectors.joining(",", "'perMinute':60,", ""));
    }

    private static MapAssert<String, Limit> assertLimits(Rule rule, Limit ofDefault) {
        assertThat(rule.limit()).isEqualTo(ofDefault);
        return assertThat(rule.byPlan());
    }

    private static Rule onlyRule(String limit) {
        return parse(withPlans(PLANS, rule("R", "fixed-window", limit)))
                .policy()
                .rules()
                .get(0);
    }

    private static String rule(String id, String algorithm, String limit) {
        return "{'id':'" + id + "','stage':'tenant','algorithm':'" + algorithm + "','limit':" + limit + "}";
    }

    private static String withPlans(String plans, String rules) {
        return document("'name':'n','version':1", "'domain':'d','plans':" + plans + ",'rules':[" + rules + "]");
    }
}
