package io.headgate.schemas.policy;

import static io.headgate.schemas.policy.Documents.assertProblems;
import static io.headgate.schemas.policy.Documents.assertRuleProblems;
import static io.headgate.schemas.policy.Documents.document;
import static io.headgate.schemas.policy.Documents.onlyRule;
import static io.headgate.schemas.policy.Documents.parse;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Conduct;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.FailMode;
import io.headgate.core.policy.Responses;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.StaleSnapshot;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a document says of gateways, and of when and for whom a version is. */
class GatewayConductTest {

    private static final String ROUTES = "'routes':{'read':[{'method':'GET','path':'/r'}]},";
    private static final String MOMENT = "; it must be a moment after 1970 with its offset from UTC, such as"
            + " \"2027-01-15T08:00:00Z\" or \"2027-01-15T09:00:00+01:00\"";

    // Fail modes

    @Test
    void reads_the_fail_mode_of_a_rule() {
        assertThat(onlyRule(window("")).failMode()).isEqualTo(FailMode.CLOSED);
        assertThat(failMode("{'mode':'closed'}")).isEqualTo(FailMode.CLOSED);
        assertThat(failMode("{'mode':'closed','retryAfter':'5s'}"))
                .isEqualTo(new FailMode.Closed(OptionalLong.of(5_000)));
        assertThat(failMode("{'mode':'open'}")).isEqualTo(new FailMode.Open());
        assertThat(failMode("{'mode':'endpoint'}")).isEqualTo(new FailMode.OfEndpoint());
        assertThat(failMode("{'mode':'local-bounded','perGateway':{'requests':4,'per':'10s'},'expectedGateways':5}"))
                .isEqualTo(new FailMode.LocalBounded(new FixedWindowLimit(4, 10_000), 5));
    }

    @Test
    void reads_the_bound_of_a_gateway_by_the_algorithm_of_the_rule_where_that_has_its_shape() {
        String window = "{'requests':4,'per':'10s'}";
        String bucket = "{'capacity':4,'refill':{'tokens':1,'per':'10s'}}";
        String windowLimit = "{'requests':400,'per':'10s'}";
        String bucketLimit = "{'capacity':400,'refill':{'tokens':400,'per':'10s'}}";

        assertThat(bound("sliding-window-counter", windowLimit, window)).isEqualTo(new SlidingWindowLimit(4, 10_000));
        assertThat(bound("sliding-log", windowLimit, window)).isEqualTo(new SlidingLogLimit(4, 10_000));
        assertThat(bound("fixed-window", windowLimit, bucket)).isEqualTo(new TokenBucketLimit(4, 1, 10_000));
        assertThat(bound("gcra", bucketLimit, bucket)).isEqualTo(new GcraLimit(4, 1, 10_000));
        assertThat(bound("gcra", bucketLimit, window)).isEqualTo(new FixedWindowLimit(4, 10_000));
        assertThat(bound("token-bucket", bucketLimit, bucket)).isEqualTo(new TokenBucketLimit(4, 1, 10_000));
    }

    @Test
    void refuses_a_bound_that_only_a_shard_could_keep() {
        assertRuleProblems(
                window("'failMode':{'mode':'local-bounded','perGateway':{'requests':1,'per':'day','align':'calendar'},"
                        + "'expectedGateways':2}"),
                "spec.rules[0].failMode.perGateway.align is \"calendar\"; a gateway has no calendar, it must be epoch");
        assertRuleProblems(
                window("'failMode':{'mode':'local-bounded','perGateway':{'requests':{'fromPlan':'n'},'per':'1s'},"
                        + "'expectedGateways':0}"),
                "spec.rules[0].failMode.perGateway.requests is an object; only a rule's limits can be by plan, here it must"
                        + " be an integer of 0 to 1000000000000",
                "spec.rules[0].failMode.expectedGateways is 0; it must be an integer of 1 to 100000");
    }

    @Test
    void reads_the_fail_modes_of_endpoints() {
        Conduct conduct = conduct(ROUTES + "'endpoints':{'read':{'failMode':{'mode':'local-bounded'}}},");

        assertThat(conduct.failModes()).isEqualTo(Map.of("read", new FailMode.OfRules()));
        assertThat(conduct(ROUTES + "'endpoints':{'read':{'failMode':{'mode':'closed','retryAfter':'1d'}}},")
                        .failModes())
                .isEqualTo(Map.of("read", new FailMode.Closed(OptionalLong.of(86_400_000))));
        assertThat(conduct(ROUTES + "'endpoints':{'read':{'cost':3}},").failModes())
                .isEmpty();
    }

    // Shadow and signatures

    @ParameterizedTest
    @CsvSource({"0%,0", "0.2%,2", "2%,20", "2.0%,20", "99.9%,999", "100%,1000"})
    void reads_what_a_shadow_rule_is_expected_to_deny(String written, int permille) {
        assertThat(onlyRule(window("'enforcement':{'mode':'shadow','expectedDenyRatio':'" + written
                                + "','until':'2027-01-15T01:00:00+01:00'}"))
                        .enforcement())
                .isEqualTo(new Enforcement.Shadow(
                        OptionalInt.of(permille),
                        OptionalLong.of(Instant.parse("2027-01-15T00:00:00Z").toEpochMilli())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"'100.1%'", "'101%'", "'0.25%'", "'.5%'", "'2'", "'2 %'", "'02%'", "'-1%'", "0.02", "2"})
    void refuses_other_ratios(String written) {
        assertRuleProblems(
                window("'enforcement':{'mode':'shadow','expectedDenyRatio':" + written + "}"),
                "spec.rules[0].enforcement.expectedDenyRatio is " + written.replace('\'', '"')
                        + "; it must be a percentage of 0% to 100% with at most 1 decimal, such as \"10%\"");
    }

    @Test
    void reads_how_many_must_sign() {
        assertThat(onlyRule(window("")).secondSignature()).isFalse();
        assertThat(onlyRule(window("'signatures':1")).secondSignature()).isFalse();
        assertThat(onlyRule(window("'signatures':2")).secondSignature()).isTrue();
    }

    // When and for whom

    @Test
    void reads_when_a_version_takes_effect() {
        assertThat(activation("")).isEqualTo(Activation.AT_ONCE);
        assertThat(activation("'effectiveAt':'2027-01-15T08:00:00.250Z',").effectiveAtMillis())
                .hasValue(Instant.parse("2027-01-15T08:00:00.250Z").toEpochMilli());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2027-01-15",
                "2027-01-15T08:00:00",
                "2027-01-15 08:00:00Z",
                "2027-02-29T08:00:00Z",
                "2027-01-15T24:00:01Z",
                "2027-01-15T08:00:00+25:00",
                "1969-12-31T23:59:59Z",
                "2027-01-15T08:00:00.1234Z",
                "+12027-01-15T08:00:00Z"
            })
    void refuses_what_is_no_moment(String written) {
        assertProblems(spec("'effectiveAt':'" + written + "',"), "spec.effectiveAt is \"" + written + "\"" + MOMENT);
    }

    @Test
    void reads_whom_a_version_is_for() {
        assertThat(activation("'rollout':{'tenants':['atlas','big corp'],'percent':'0.5%'},")
                        .rollout())
                .isEqualTo(new Rollout.Tenants(new TreeSet<>(Set.of("atlas", "big corp")), 50));
        assertThat(activation("'rollout':{'percent':'99.99%'},").rollout())
                .isEqualTo(new Rollout.Tenants(new TreeSet<>(), 9_999));
        assertThat(activation(ROUTES + "'rollout':{'routes':['read']},").rollout())
                .isEqualTo(new Rollout.Routes(new TreeSet<>(Set.of("read"))));
    }

    @Test
    void a_version_names_no_more_tenants_than_shards_can_remember() {
        String most = "'tenant'" + ",'t'".repeat(ActivationFormat.MOST_TENANTS - 1);

        assertThat(activation("'rollout':{'tenants':[" + most + "]},").rollout())
                .isInstanceOf(Rollout.Tenants.class);
        assertProblems(
                spec("'rollout':{'tenants':[" + most + ",'t']},"),
                "spec.rollout.tenants names 1001 tenants; at most 1000 are allowed, and percent reaches more");
    }

    // What callers are told

    @Test
    void reads_what_gateways_answer() {
        Conduct conduct = conduct("'responses':{'headers':['x-ratelimit','retry-after'],'advertiseTo':'nobody',"
                + "'retryJitter':'20%','denyCache':'250ms'},'staleSnapshot':{'after':'2h','action':'fail-mode'},");

        assertThat(conduct)
                .isEqualTo(new Conduct(
                        new TreeMap<>(),
                        new TreeMap<>(),
                        new Responses(
                                Set.of(Responses.Header.RETRY_AFTER, Responses.Header.X_RATELIMIT),
                                Responses.Audience.NOBODY,
                                20,
                                250),
                        new StaleSnapshot(7_200_000, StaleSnapshot.Action.FAIL_MODE)));
        assertThat(conduct("")).isEqualTo(Conduct.DEFAULT);
        assertThat(conduct("'responses':{},'staleSnapshot':{},")).isEqualTo(Conduct.DEFAULT);
        assertThat(conduct("'responses':{'headers':[]},").responses().headers()).isEmpty();
    }

    /** A document without them keeps the hash under which it was published before there were any. */
    @Test
    void writes_out_the_numbers_of_sections_that_are_there_and_adds_no_section() {
        assertThat(canonical("'responses':{},'staleSnapshot':{},"))
                .contains("\"responses\":{\"retryJitter\":\"0%\"}", "\"staleSnapshot\":{\"after\":\"1h\"}");
        assertThat(canonical("")).doesNotContain("responses", "staleSnapshot", "rollout", "endpoints");
    }

    private static String canonical(String part) {
        return new String(parse(spec(part)).canonicalBytes(), StandardCharsets.UTF_8);
    }

    private static Conduct conduct(String part) {
        PolicyDocument document = parse(spec(part));
        Conduct again = PolicyDocument.READER.read(document.canonicalBytes()).conduct();
        assertThat(again).isEqualTo(document.policy().conduct());
        return again;
    }

    private static Activation activation(String part) {
        return parse(spec(part)).policy().activation();
    }

    private static FailMode failMode(String failMode) {
        return onlyRule(window("'failMode':" + failMode)).failMode();
    }

    private static Object bound(String algorithm, String limit, String perGateway) {
        FailMode read = onlyRule("{'id':'R','stage':'tenant','algorithm':'" + algorithm + "','limit':" + limit
                        + ",'failMode':{'mode':'local-bounded','perGateway':" + perGateway + ",'expectedGateways':1}}")
                .failMode();
        return ((FailMode.LocalBounded) read).perGateway();
    }

    private static String window(String more) {
        return "{'id':'R','stage':'tenant','algorithm':'fixed-window','limit':{'requests':20,'per':'10s'}"
                + (more.isEmpty() ? "" : "," + more) + "}";
    }

    private static String spec(String part) {
        return document("'name':'n','version':1", part + "'domain':'d','rules':[]");
    }
}
