package io.headgate.schemas.policy;

import static io.headgate.schemas.policy.Documents.bytes;
import static io.headgate.schemas.policy.Documents.problems;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.account.TenantPlan.Status;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Policy;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TenantPlansDocumentTest {

    private static final String ALGORITHMS =
            "[token-bucket, fixed-window, sliding-window-counter, sliding-log, gcra, unlimited]";

    private static final Policy POLICY = Documents.parse(Documents.document(
                    "'name':'n','version':1",
                    "'domain':'d','routes':{'a':[{'method':'GET','path':'/a'}],'b':[{'method':'GET','path':'/b'}]},"
                            + "'endpoints':{'a':{'cost':7},'b':{'cost':9}},'plans':{'default':{'n':50},'gold':{'n':60}},"
                            + "'rules':[{'id':'P','stage':'tenant','algorithm':'gcra','cost':3,"
                            + "'limit':{'capacity':5,'refill':{'tokens':1,'per':'1s'}}},"
                            + "{'id':'Q','stage':'tenant','match':{'routes':['a']},'algorithm':'fixed-window',"
                            + "'cost':{'fromRoute':true},'limit':{'fromPlan':'n','per':'1m'}},"
                            + "{'id':'A','stage':'ip','algorithm':'fixed-window','limit':{'requests':5,'per':'1s'}}]"))
            .policy();

    @Test
    void reads_every_field_of_a_tenant() {
        List<TenantPlan> plans = read(
                "'atlas':{'plan':'gold','status':'suspended','unlimited':true,'zone':'Europe/Zurich','homeRegion':'eu',"
                        + "'overrides':{'P':{'algorithm':'token-bucket','limit':{'capacity':5,'refill':{'tokens':1,"
                        + "'per':'1s'}}},'Q':{'unlimited':true}}},"
                        + "'org:7/böck':{}");

        assertThat(plans)
                .containsExactly(
                        new TenantPlan(
                                "atlas",
                                Status.SUSPENDED,
                                "gold",
                                true,
                                Optional.of("Europe/Zurich"),
                                Optional.of("eu"),
                                overrides("P", new TokenBucketLimit(5, 1, 1_000), "Q", new Unlimited())),
                        TenantPlan.on("org:7/böck", "default"));
    }

    @Test
    void takes_the_algorithm_of_a_rule_where_an_override_names_none() {
        String atlas = "'atlas':{'overrides':{'P':{'limit':{'capacity':9,'refill':{'tokens':1,'per':'1s'}}},"
                + "'Q':{'limit':{'requests':9,'per':'1m'}}}}";

        assertThat(TenantPlansDocument.parse(document(atlas), Optional.of(POLICY)))
                .singleElement()
                .extracting(TenantPlan::overrides)
                .isEqualTo(overrides("P", new GcraLimit(9, 1, 1_000), "Q", new FixedWindowLimit(9, 60_000)));
        assertThat(problems(() -> read(atlas)))
                .containsExactly(
                        "tenants.atlas.overrides.P.algorithm is missing, and no policy is given to take it from; it must be"
                                + " one of " + ALGORITHMS,
                        "tenants.atlas.overrides.Q.algorithm is missing, and no policy is given to take it from; it must be"
                                + " one of " + ALGORITHMS);
        assertThat(problems(() -> TenantPlansDocument.parse(
                        document("'atlas':{'overrides':{'X':{'limit':{'requests':9,'per':'1m'}}}}"),
                        Optional.of(POLICY))))
                .containsExactly(
                        "tenants.atlas.overrides.X.algorithm is missing, and the policy has no rule 'X' to take it"
                                + " from; it must be one of " + ALGORITHMS);
    }

    @Test
    void names_every_mistake_by_its_place() {
        assertThat(problems(() ->
                        read("'':{},'atlas':{'plan':'a b','status':'gone','unlimited':1,'zone':'+1','homeRegion':7,"
                                + "'colour':'red','overrides':{'P Q':{},'P':{'algorithm':'gcra','limit':{'capacity':5}}}},"
                                + "'big corp':{'overrides':[]},'birch':7")))
                .containsExactly(
                        "tenants.\"\" has a key that is not text of 1 to 256 characters",
                        "tenants.atlas.plan is \"a b\"; it must be a name of 1 to 64 letters, digits, dots, hyphens and"
                                + " underscores",
                        "tenants.atlas.status is \"gone\"; it must be one of [active, suspended, removed]",
                        "tenants.atlas.unlimited is 1; it must be true or false",
                        "tenants.atlas.zone is \"+1\"; it must be the name of a time zone, such as Europe/Zurich",
                        "tenants.atlas.homeRegion is 7; it must be a name of 1 to 64 letters, digits, dots, hyphens and"
                                + " underscores",
                        "tenants.atlas.overrides.\"P Q\" has a key that is not a name of 1 to 64 letters, digits, dots,"
                                + " hyphens and underscores",
                        "tenants.atlas.overrides.P.limit.refill is missing; it must be an object",
                        "tenants.atlas.colour is not a field of the format; what may stand here is [homeRegion, overrides,"
                                + " plan, status, unlimited, zone]",
                        "tenants.\"big corp\".overrides is a list; it must be an object",
                        "tenants.birch is 7; it must be an object");
        assertThat(problems(
                        () -> TenantPlansDocument.parse(bytes("{'kind':'PolicySnapshot','more':1}"), Optional.empty())))
                .containsExactly(
                        "apiVersion is missing; it must be one of [headgate.io/v1]",
                        "kind is \"PolicySnapshot\"; it must be one of [TenantPlans]",
                        "tenants is missing; it must be an object",
                        "more is not a field of the format; what may stand here is [apiVersion, kind, tenants]");
        assertThat(problems(() -> read("'atlas':{'plan':'a','plan':'b'}")))
                .containsExactly("tenants.atlas.plan stands twice, again in line 1; a field may stand once");
    }

    @Test
    void takes_100_overrides_and_10000_tenants_and_no_more() {
        assertThat(read("'atlas':{'overrides':{" + many(100) + "}}").get(0).overrides())
                .hasSize(100);
        assertThat(problems(() -> read("'atlas':{'overrides':{" + many(101) + "}}")))
                .containsExactly("tenants.atlas.overrides has 101 rules; at most 100 are allowed");
        assertThat(read(tenants(10_000))).hasSize(10_000);
        assertThat(problems(() -> read(tenants(10_001))))
                .containsExactly("tenants has 10001 tenants; at most 10000 are allowed");
    }

    @Test
    void reads_what_it_writes() {
        for (int seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            List<TenantPlan> plans = IntStream.range(0, random.nextInt(5))
                    .mapToObj(i -> plan("tenant \"" + i, random))
                    .toList();

            List<TenantPlan> again = TenantPlansDocument.of(TenantPlansDocument.written(plans), Optional.empty());

            assertThat(again).as("seed %d", seed).isEqualTo(plans);
        }
    }

    @Test
    void writes_no_defaults() {
        assertThat(TenantPlansDocument.written(List.of(TenantPlan.on("atlas", "gold"))))
                .hasToString("{\"apiVersion\":\"headgate.io/v1\",\"kind\":\"TenantPlans\","
                        + "\"tenants\":{\"atlas\":{\"plan\":\"gold\"}}}");
    }

    // Review

    @Test
    void a_review_finds_nothing_in_a_plan_that_fits() {
        assertThat(review("{'plan':'gold','overrides':{'P':{'algorithm':'gcra','limit':{'capacity':3,"
                        + "'refill':{'tokens':1,'per':'1s'}}},'Q':{'unlimited':true}}}"))
                .isEmpty();
        assertThat(review("{'overrides':{'Q':{'algorithm':'fixed-window','limit':{'requests':0,'per':'1s'}}}}"))
                .isEmpty();
    }

    @Test
    void a_review_names_what_has_no_effect_and_what_nobody_could_pay() {
        assertThat(review("{'plan':'silver','overrides':{"
                        + "'A':{'algorithm':'fixed-window','limit':{'requests':5,'per':'1s'}},"
                        + "'P':{'algorithm':'gcra','limit':{'capacity':2,'refill':{'tokens':1,'per':'1s'}}},"
                        + "'Q':{'algorithm':'fixed-window','limit':{'requests':6,'per':'1s'}},"
                        + "'X':{'unlimited':true}}}"))
                .containsExactly(
                        "tenants.atlas.plan is 'silver', which is no plan of the policy, so the default holds; there are"
                                + " [default, gold]",
                        "tenants.atlas.overrides.A has no effect: the rule is one of stage 'ip', which does not know the"
                                + " tenant",
                        "tenants.atlas.overrides.P.limit is 2, below the 3 that one request is charged: it could never be"
                                + " paid",
                        "tenants.atlas.overrides.Q.limit is 6, below the 7 that one request is charged: it could never be"
                                + " paid",
                        "tenants.atlas.overrides.X is for no rule of the policy; there are [P, Q, A]");
        assertThat(review("{'overrides':{'P':{'algorithm':'sliding-log','limit':{'requests':2,'per':'1s'}}}}"))
                .containsExactly(
                        "tenants.atlas.overrides.P.algorithm is 'sliding-log', so it has no effect: the rule's is"
                                + " 'gcra'");
        assertThat(PlanReview.ofOverride("--limit", "A", new FixedWindowLimit(5, 1_000), POLICY))
                .isEmpty();
        assertThat(PlanReview.ofOverride("--limit", "P", new GcraLimit(2, 1, 1_000), POLICY))
                .hasSize(1);
    }

    private static List<String> review(String atlas) {
        return PlanReview.of(read("'atlas':" + atlas).get(0), POLICY).stream()
                .map(Object::toString)
                .toList();
    }

    private static TenantPlan plan(String tenant, Random random) {
        SortedMap<String, Limit> overrides = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            overrides.put("R" + i, RandomPolicies.limit(random));
        }
        return new TenantPlan(
                tenant,
                RandomPolicies.any(List.of(Status.values()), random),
                random.nextBoolean() ? "default" : "gold",
                random.nextBoolean(),
                random.nextBoolean() ? Optional.empty() : Optional.of("America/New_York"),
                random.nextBoolean() ? Optional.empty() : Optional.of("eu-1"),
                overrides);
    }

    private static SortedMap<String, Limit> overrides(String first, Limit limit, String second, Limit other) {
        SortedMap<String, Limit> overrides = new TreeMap<>();
        overrides.put(first, limit);
        overrides.put(second, other);
        return overrides;
    }

    private static String many(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "'R" + i + "':{'unlimited':true}")
                .collect(Collectors.joining(","));
    }

    private static String tenants(int count) {
        return IntStream.range(0, count).mapToObj(i -> "'t" + i + "':{}").collect(Collectors.joining(","));
    }

    private static List<TenantPlan> read(String tenants) {
        return TenantPlansDocument.parse(document(tenants), Optional.empty());
    }

    private static byte[] document(String tenants) {
        return bytes("{'apiVersion':'headgate.io/v1','kind':'TenantPlans','tenants':{" + tenants + "}}");
    }
}
