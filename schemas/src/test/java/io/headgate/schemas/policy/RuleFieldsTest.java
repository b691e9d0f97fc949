package io.headgate.schemas.policy;

import static io.headgate.schemas.policy.Documents.assertProblems;
import static io.headgate.schemas.policy.Documents.assertRuleProblems;
import static io.headgate.schemas.policy.Documents.document;
import static io.headgate.schemas.policy.Documents.onlyRule;
import static io.headgate.schemas.policy.Documents.parse;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Meter;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a rule may say beyond the plain: how it refills, what cuts its windows, what it counts and by what. */
class RuleFieldsTest {

    private static final String WINDOW = "'algorithm':'fixed-window','limit':{'requests':5,'per':'1s'}";
    private static final String UNITS = "[day, week, month]";

    // Refill

    @Test
    void reads_how_a_bucket_is_refilled() {
        assertThat(bucket("")).isEqualTo(new TokenBucketLimit(20, 2, 1_000, Refill.GREEDY));
        assertThat(bucket(",'mode':'greedy'")).isEqualTo(new TokenBucketLimit(20, 2, 1_000, Refill.GREEDY));
        assertThat(bucket(",'mode':'interval'")).isEqualTo(new TokenBucketLimit(20, 2, 1_000, Refill.INTERVAL));
        assertThat(limit("gcra", "{'capacity':5,'refill':{'tokens':1,'per':'1s','mode':'greedy'}}"))
                .isEqualTo(new GcraLimit(5, 1, 1_000));
    }

    @Test
    void refuses_other_refills() {
        assertLimitProblems(
                "token-bucket",
                "{'capacity':5,'refill':{'tokens':1,'per':'1s','mode':'drip'}}",
                "spec.rules[0].limit.refill.mode is \"drip\"; it must be one of [greedy, interval]");
        assertLimitProblems(
                "gcra",
                "{'capacity':5,'refill':{'tokens':1,'per':'1s','mode':'interval'}}",
                "spec.rules[0].limit.refill.mode is \"interval\"; it must be one of [greedy]");
    }

    // Calendar

    @Test
    void reads_windows_of_the_calendar() {
        assertThat(limit("fixed-window", "{'requests':9,'per':'month','align':'calendar','zone':'Europe/Zurich'}"))
                .isEqualTo(calendar(9, CalendarUnit.MONTH, "Europe/Zurich"));
        assertThat(limit("fixed-window", "{'requests':9,'per':'week','align':'calendar','zone':'tenant'}"))
                .isEqualTo(calendar(9, CalendarUnit.WEEK, Window.Calendar.OF_TENANT));
        assertThat(limit("fixed-window", "{'requests':9,'per':'day','align':'calendar'}"))
                .isEqualTo(calendar(9, CalendarUnit.DAY, "UTC"));
    }

    /** Whether a zone exists is not asked here: the same document must read the same on every platform. */
    @Test
    void takes_what_can_be_a_zone_whether_there_is_one_or_not() {
        assertThat(limit("fixed-window", "{'requests':9,'per':'day','align':'calendar','zone':'Mars/Olympus'}"))
                .isEqualTo(calendar(9, CalendarUnit.DAY, "Mars/Olympus"));
        assertLimitProblems(
                "fixed-window",
                "{'requests':9,'per':'day','align':'calendar','zone':'+02:00'}",
                "spec.rules[0].limit.zone is \"+02:00\"; it must be the name of a time zone, such as Europe/Zurich, or"
                        + " tenant");
        assertLimitProblems(
                "fixed-window",
                "{'requests':9,'per':'day','align':'calendar','zone':2}",
                "spec.rules[0].limit.zone is 2; it must be the name of a time zone, such as Europe/Zurich, or tenant");
    }

    @Test
    void tells_windows_of_the_calendar_from_others() {
        assertLimitProblems(
                "fixed-window",
                "{'requests':9,'per':'month'}",
                "spec.rules[0].limit.per is a span of the calendar; that needs align: calendar");
        assertLimitProblems(
                "fixed-window",
                "{'requests':9,'per':'1d','align':'calendar'}",
                "spec.rules[0].limit.per is \"1d\"; it must be one of " + UNITS);
        assertLimitProblems(
                "fixed-window",
                "{'requests':9,'per':'1d','align':'epoch','zone':'UTC'}",
                "spec.rules[0].limit.zone is there; only windows with align: calendar are those of a zone");
        assertLimitProblems(
                "fixed-window",
                "{'requests':9,'align':'calendar'}",
                "spec.rules[0].limit.per is missing; it must be one of " + UNITS);
        assertLimitProblems(
                "fixed-window",
                "{'requests':9,'per':'1d','align':'monday'}",
                "spec.rules[0].limit.align is \"monday\"; it must be one of [epoch, calendar]");
        assertLimitProblems(
                "sliding-log",
                "{'requests':9,'per':'1d','align':'calendar'}",
                "spec.rules[0].limit.align is \"calendar\"; it must be one of [epoch]");
    }

    // Enforcement

    @Test
    void reads_from_where_on_a_soft_rule_denies() {
        assertThat(enforcement("{'mode':'soft','hardAt':'150%'}")).isEqualTo(new Enforcement.Soft(150));
        assertThat(enforcement("{'mode':'soft','hardAt':'101%'}")).isEqualTo(new Enforcement.Soft(101));
        assertThat(enforcement("{'mode':'soft'}")).isEqualTo(new Enforcement.Soft(200));
        assertThat(enforcement("{'mode':'enforce'}")).isEqualTo(Enforcement.ENFORCE);
    }

    @Test
    void refuses_other_percentages() {
        for (String written :
                List.of("'100%'", "'201%'", "'150'", "'1.5'", "'150.5%'", "'0150%'", "150", "'%'", "''")) {
            assertRuleProblems(
                    rule("'enforcement':{'mode':'soft','hardAt':" + written + "}"),
                    "spec.rules[0].enforcement.hardAt is " + written.replace('\'', '"')
                            + "; it must be a percentage of 101% to 200%, such as \"101%\"");
        }
        assertRuleProblems(
                rule("'enforcement':{'mode':'shadow','hardAt':'150%'}"),
                "spec.rules[0].enforcement.hardAt is there; only enforcement soft has it, not shadow");
    }

    @Test
    void refuses_a_soft_limit_beyond_which_nothing_can_be_counted() {
        assertRuleProblems(
                "{'id':'R','stage':'tenant','algorithm':'fixed-window','limit':{'requests':1000000000000,'per':'1s'},"
                        + "'enforcement':{'mode':'soft','hardAt':'150%'}}",
                "spec.rules[0].enforcement lets more be owed than can be counted, at 150% of the limit: requests is"
                        + " 1500000000000; it must be 0 to 1000000000000");
    }

    // Scope

    @Test
    void reads_several_parts_as_one_scope() {
        Rule rule = onlyRule(rule("'scope':{'composite':['user','route','attributes.model']}"));

        assertThat(rule.scope()).isEqualTo(Scope.COMPOSITE);
        assertThat(rule.composite())
                .containsExactly(new Part.Of(Scope.USER), new Part.Of(Scope.ROUTE), new Part.Attribute("model"));
    }

    @Test
    void refuses_parts_that_are_none() {
        String shape = "; it must be one of [ip, tenant, api-key, user, route], or attributes and a name, such as"
                + " attributes.model";
        assertRuleProblems(
                rule("'scope':{'composite':['user','target','attributes.',7,'composite']}"),
                "spec.rules[0].scope.composite[1] is \"target\"" + shape,
                "spec.rules[0].scope.composite[2] is \"attributes.\"" + shape,
                "spec.rules[0].scope.composite[3] is 7" + shape,
                "spec.rules[0].scope.composite[4] is \"composite\"" + shape);
        assertRuleProblems(
                rule("'scope':{'composite':[]}"),
                "spec.rules[0].scope.composite is []; it must have 1 to 8 parts, all different");
        assertRuleProblems(
                rule("'scope':{'composite':['user','user']}"),
                "spec.rules[0].scope.composite is [user, user]; it must have 1 to 8 parts, all different");
        assertRuleProblems(
                rule("'scope':{'composite':'user'}"), "spec.rules[0].scope.composite is \"user\"; it must be a list");
        assertRuleProblems(
                rule("'scope':{'parts':['user']}"),
                "spec.rules[0].scope.composite is missing; it must be a list of parts",
                "spec.rules[0].scope.parts is not a field of the format; what may stand here is [composite]");
        assertRuleProblems(
                rule("'scope':'composite'"),
                "spec.rules[0].scope is \"composite\"; it must be one of [ip, target, tenant, api-key, user, route]");
    }

    @Test
    void takes_8_parts_and_no_more() {
        String eight = "'attributes.a','attributes.b','attributes.c','attributes.d','attributes.e','attributes.f',"
                + "'user','route'";

        assertThat(onlyRule(rule("'scope':{'composite':[" + eight + "]}")).composite())
                .hasSize(8);
        assertRuleProblems(
                rule("'scope':{'composite':[" + eight + ",'ip']}"),
                "spec.rules[0].scope.composite is [attributes.a, attributes.b, attributes.c, attributes.d, attributes.e,"
                        + " attributes.f, user, route, ip]; it must have 1 to 8 parts, all different");
    }

    // Meter

    @Test
    void reads_what_a_rule_counts() {
        assertThat(onlyRule(rule("'meter':'tokens-in'")).meter()).isEqualTo("tokens-in");
        assertThat(onlyRule(rule("'reason':''")).meter()).isEqualTo(Meter.REQUESTS);
        assertRuleProblems(
                rule("'meter':'Tokens'"),
                "spec.rules[0].meter is 'Tokens'; it must be 1 to 32 lower-case letters, digits and hyphens and begin with"
                        + " a letter");
        assertRuleProblems(rule("'meter':7"), "spec.rules[0].meter is 7; it must be text of at most 80 characters");
    }

    // Idempotency

    @Test
    void reads_how_long_callers_keys_are_kept() {
        assertThat(idempotency("'idempotency':{'retention':'24h','keysPerTenant':10000000},"))
                .isEqualTo(new Idempotency(86_400_000, 10_000_000));
        assertThat(idempotency("'idempotency':{'retention':'1s'},")).isEqualTo(new Idempotency(1_000, 100_000));
        assertThat(idempotency("")).isEqualTo(Idempotency.DEFAULT);
        assertProblems(
                spec("'idempotency':{'retention':'999ms','keysPerTenant':0,'scope':'user'},"),
                "spec.idempotency.retention is '999ms'; it must be at least 1s",
                "spec.idempotency.keysPerTenant is 0; it must be an integer of 1 to 10000000",
                "spec.idempotency.scope is not a field of the format; what may stand here is [keysPerTenant, retention]");
        assertProblems(
                spec("'idempotency':{'retention':'25h'},"),
                "spec.idempotency.retention is '25h'; it must be at most 1d");
    }

    private static Idempotency idempotency(String part) {
        PolicyDocument document = parse(spec(part));
        Idempotency again =
                PolicyDocument.READER.read(document.canonicalBytes()).idempotency();
        assertThat(again).isEqualTo(document.policy().idempotency());
        return again;
    }

    private static String spec(String part) {
        return document("'name':'n','version':1", part + "'domain':'d','rules':[]");
    }

    private static Limit calendar(long requests, CalendarUnit unit, String zone) {
        return new FixedWindowLimit(requests, new Window.Calendar(unit, zone));
    }

    private static Limit bucket(String more) {
        return limit("token-bucket", "{'capacity':20,'refill':{'tokens':2,'per':'1s'" + more + "}}");
    }

    private static Enforcement enforcement(String enforcement) {
        return onlyRule(rule("'enforcement':" + enforcement)).enforcement();
    }

    private static Limit limit(String algorithm, String limit) {
        return onlyRule(withLimit(algorithm, limit)).limit();
    }

    private static void assertLimitProblems(String algorithm, String limit, String... problems) {
        assertRuleProblems(withLimit(algorithm, limit), problems);
    }

    private static String withLimit(String algorithm, String limit) {
        return "{'id':'R','stage':'tenant','algorithm':'" + algorithm + "','limit':" + limit + "}";
    }

    private static String rule(String more) {
        return "{'id':'R','stage':'tenant'," + WINDOW + "," + more + "}";
    }
}
