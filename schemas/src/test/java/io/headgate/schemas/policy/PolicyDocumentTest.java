package io.headgate.schemas.policy;

import static io.headgate.schemas.policy.Documents.assertProblems;
import static io.headgate.schemas.policy.Documents.assertRuleProblems;
import static io.headgate.schemas.policy.Documents.document;
import static io.headgate.schemas.policy.Documents.json;
import static io.headgate.schemas.policy.Documents.onlyRule;
import static io.headgate.schemas.policy.Documents.parse;
import static io.headgate.schemas.policy.Documents.problems;
import static io.headgate.schemas.policy.Documents.withRules;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Match.Authentication;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PolicyDocumentTest {

    private static final String BUCKET = "'limit':{'capacity':20,'refill':{'tokens':2,'per':'1s'}}";
    private static final String GOOD_RULE = "{'id':'R','stage':'tenant','algorithm':'token-bucket'," + BUCKET + "}";

    private static final String INTEGER = "an integer of 0 to 1000000000000";

    // What is read

    @Test
    void reads_a_rule_with_every_field() {
        Rule rule = onlyRule("{'id':'P-READ.v2','stage':'tenant','scope':'user',"
                + "'match':{'authenticated':true,'routes':['read'],'attributes':{'tier':'gold'}},"
                + "'algorithm':'token-bucket'," + BUCKET + ",'cost':3,'enforcement':{'mode':'shadow'},"
                + "'resetBudgets':true,'reason':'spring sale','failMode':{'mode':'closed'}}");

        assertThat(rule)
                .isEqualTo(new Rule(
                        "P-READ.v2",
                        Stage.TENANT,
                        Scope.USER,
                        new Match(Authentication.AUTHENTICATED, Set.of("read"), Map.of("tier", "gold")),
                        new TokenBucketLimit(20, 2, 1_000),
                        new Cost.Fixed(3),
                        Enforcement.SHADOW,
                        true,
                        "spring sale"));
    }

    @Test
    void fills_in_what_a_rule_leaves_out() {
        Rule rule = onlyRule("{'id':'R','stage':'ip','algorithm':'unlimited'}");

        assertThat(rule)
                .isEqualTo(new Rule(
                        "R",
                        Stage.IP,
                        Scope.IP,
                        Match.EVERYTHING,
                        new Unlimited(),
                        Cost.ONE,
                        Enforcement.ENFORCE,
                        false,
                        ""));
    }

    @Test
    void reads_every_algorithm() {
        assertThat(limit("token-bucket", "{'capacity':1000000000000,'refill':{'tokens':0,'per':'366d'}}"))
                .isEqualTo(new TokenBucketLimit(1_000_000_000_000L, 0, 31_622_400_000L));
        assertThat(limit("gcra", "{'capacity':5,'refill':{'tokens':1,'per':'500ms'}}"))
                .isEqualTo(new GcraLimit(5, 1, 500));
        assertThat(limit("fixed-window", "{'requests':20,'per':'10s','align':'epoch'}"))
                .isEqualTo(new FixedWindowLimit(20, 10_000));
        assertThat(limit("sliding-window-counter", "{'requests':10,'per':'5m'}"))
                .isEqualTo(new SlidingWindowLimit(10, 300_000));
        assertThat(limit("sliding-log", "{'requests':1000,'per':'1h'}"))
                .isEqualTo(new SlidingLogLimit(1_000, 3_600_000));
    }

    @Test
    void reads_the_parts_around_the_rules() {
        PolicyDocument document = parse(document(
                "'name':'northstar','version':43,'supersedes':42,'owner':'o@example','author':'ada','reason':'why'",
                "'domain':'api','routes':{'read':[{'method':'GET','path':'/c/{id}'},{'method':'*','path':'/d'}]},"
                        + "'endpoints':{'read':{'cost':7,'failMode':{'mode':'closed'}}},"
                        + "'cardinality':{'bucketsPerRuleAndShard':5},'rules':[]"));

        assertThat(document.metadata())
                .isEqualTo(new PolicyDocument.Metadata(
                        "northstar", "api", 43, OptionalLong.of(42), "o@example", "ada", "why"));
        Policy policy = document.policy();
        assertThat(policy.name()).isEqualTo("northstar");
        assertThat(policy.version()).isEqualTo(43);
        assertThat(policy.bucketsPerRuleAndShard()).isEqualTo(5);
        assertThat(policy.rules()).isEmpty();
        assertThat(policy.routes().groupOf("GET /c/9?x=1")).contains("read");
        assertThat(policy.routes().costOf(Optional.of("read"))).isEqualTo(7);
    }

    @Test
    void reads_a_cost_from_the_route() {
        Rule rule = onlyRule("{'id':'R','stage':'tenant','algorithm':'unlimited','cost':{'fromRoute':true}}");

        assertThat(rule.cost()).isEqualTo(new Cost.FromRoute());
    }

    @Test
    void remembers_a_million_buckets_by_default() {
        assertThat(parse(withRules(GOOD_RULE)).policy().bucketsPerRuleAndShard())
                .isEqualTo(1_000_000);
    }

    @Test
    void reads_a_tree_as_it_reads_bytes() throws IOException {
        String text = withRules(GOOD_RULE);
        JsonNode tree = new ObjectMapper().readTree(json(text));

        assertThat(PolicyDocument.of(tree).canonicalBytes())
                .isEqualTo(parse(text).canonicalBytes());
    }

    // Canonical form

    @Test
    void gives_the_same_bytes_whatever_the_order_of_keys_and_white_space() {
        PolicyDocument one = parse("{'kind':'PolicySnapshot','apiVersion':'headgate.io/v1'," + "'spec':{'rules':["
                + GOOD_RULE + "],'domain':'d'},'metadata':{'version':1,'name':'n'}}");
        PolicyDocument other =
                parse(" {\n'metadata' : {'name':'\\u006e',\t'version':1}, 'spec':{'domain':'d',\r\n'rules':[ {"
                        + BUCKET + ",'algorithm':'token-bucket','stage':'tenant','id':'R'} ]},"
                        + "'apiVersion':'headgate.io/v1','kind':'PolicySnapshot'}");

        assertThat(other.canonicalBytes()).isEqualTo(one.canonicalBytes());
        assertThat(other.contentHash()).isEqualTo(one.contentHash());
    }

    @Test
    void writes_sorted_keys_and_no_white_space_and_the_defaults_that_decide() {
        PolicyDocument document = parse(
                document("'version':1,'name':'n','reason':'\\u00e9 \\\"\\n\\u0001\\/'", "'rules':[],'domain':'d'"));

        assertThat(new String(document.canonicalBytes(), StandardCharsets.UTF_8))
                .isEqualTo(
                        json(
                                "{'apiVersion':'headgate.io/v1','kind':'PolicySnapshot',"
                                        + "'metadata':{'name':'n','reason':'é \\'\\n\\u0001/','version':1},"
                                        + "'spec':{'cardinality':{'bucketsPerRuleAndShard':1000000},'domain':'d','idempotency':{'keysPerTenant':100000,'retention':'60s'},'rules':[]}}"));
        assertThat(document.contentHash())
                .isEqualTo("6f6336c5f29289ed597a692ae19c840a68b4acac3b523cf1578fa70fe31c5593")
                .isNotEqualTo(parse(document("'version':2,'name':'n'", "'rules':[],'domain':'d'"))
                        .contentHash());
    }

    @Test
    void reads_its_own_canonical_bytes_to_the_same_policy_and_bytes() {
        PolicyDocument document = parse(withRules(GOOD_RULE));

        PolicyDocument again = PolicyDocument.parse(document.canonicalBytes());

        assertThat(again.canonicalBytes()).isEqualTo(document.canonicalBytes());
        assertThat(PolicyDocument.READER.read(document.canonicalBytes()).rules())
                .isEqualTo(document.policy().rules());
    }

    /** The canonical form sorts the groups; a request must not change its group by that. */
    @Test
    void finds_the_most_specific_route_wherever_it_stands() {
        PolicyDocument document = parse(document(
                "'name':'n','version':1",
                "'domain':'d','rules':[],'routes':{'z':[{'method':'*','path':'/c/new'},{'method':'GET','path':'/c'}],"
                        + "'y':[{'method':'GET','path':'/c/{id}'},{'method':'POST','path':'/c/{id}'}],"
                        + "'x':[{'method':'*','path':'/c/{id}'},{'method':'GET','path':'/c/{id}/**'}],"
                        + "'a':[{'method':'*','path':'/**'}]}"));

        for (Policy policy : List.of(document.policy(), PolicyDocument.READER.read(document.canonicalBytes()))) {
            assertThat(policy.routes().groupOf("GET /c/new")).contains("z");
            assertThat(policy.routes().groupOf("GET /c")).contains("z");
            assertThat(policy.routes().groupOf("GET /c/7")).contains("y");
            assertThat(policy.routes().groupOf("PUT /c/7")).contains("x");
            assertThat(policy.routes().groupOf("GET /c/7/8")).contains("x");
            assertThat(policy.routes().groupOf("PUT /c/7/8")).contains("a");
            assertThat(policy.routes().groupOf("GET /")).contains("a");
        }
    }

    // Mistakes

    @Test
    void names_a_choice_that_is_not_even_text() {
        assertProblems(
                "{'apiVersion':1,'kind':[],'metadata':{'name':'n','version':1},'spec':{'domain':'d','rules':[]}}",
                "apiVersion is 1; it must be one of [headgate.io/v1]",
                "kind is a list; it must be one of [PolicySnapshot]");
    }

    @Test
    void names_what_is_missing() {
        assertProblems(
                "{}",
                "apiVersion is missing; it must be one of [headgate.io/v1]",
                "kind is missing; it must be one of [PolicySnapshot]",
                "metadata is missing; it must be an object",
                "spec is missing; it must be an object");
        assertProblems(
                "{'apiVersion':'headgate.io/v1','kind':'PolicySnapshot','metadata':{},'spec':{}}",
                "spec.domain is missing; it must be a name of 1 to 64 letters, digits, dots, hyphens and underscores",
                "metadata.name is missing; it must be a name of 1 to 64 letters, digits, dots, hyphens and underscores",
                "metadata.version is missing; it must be an integer of 1 to 9223372036854775807",
                "spec.rules is missing; it must be a list");
        assertRuleProblems(
                "{}",
                "spec.rules[0].id is missing; it must be a name of 1 to 64 letters, digits, dots, hyphens and underscores",
                "spec.rules[0].stage is missing; it must be one of [ip, target, tenant]",
                "spec.rules[0].algorithm is missing; it must be one of [token-bucket, fixed-window,"
                        + " sliding-window-counter, sliding-log, gcra, unlimited]");
        assertRuleProblems(
                "{'id':'R','stage':'ip','algorithm':'gcra','limit':{}}",
                "spec.rules[0].limit.capacity is missing; it must be " + INTEGER,
                "spec.rules[0].limit.refill is missing; it must be an object");
        assertRuleProblems(
                "{'id':'R','stage':'ip','algorithm':'fixed-window','limit':{}}",
                "spec.rules[0].limit.requests is missing; it must be " + INTEGER,
                "spec.rules[0].limit.per is missing; it must be a duration: a positive integer with ms, s, m, h or d,"
                        + " such as 10s");
    }

    @Test
    void takes_nothing_but_a_plain_integer_for_an_integer() {
        for (String written :
                List.of("'20'", "20.0", "2e1", "-0", "null", "true", "-1", "1000000000001", "99999999999999999999")) {
            assertProblems(
                    withRules(GOOD_RULE.replace("'capacity':20", "'capacity':" + written)),
                    "spec.rules[0].limit.capacity is " + json(written) + "; it must be " + INTEGER);
        }
        assertProblems(
                withRules(GOOD_RULE.replace("'capacity':20", "'capacity':[20]")),
                "spec.rules[0].limit.capacity is a list; it must be " + INTEGER);
    }

    @Test
    void takes_the_numbers_of_a_tree_no_more_kindly() throws IOException {
        JsonNode tree =
                new ObjectMapper().readTree(json(withRules(GOOD_RULE.replace("'capacity':20", "'capacity':20.0"))));

        assertThat(problems(() -> PolicyDocument.of(tree)))
                .containsExactly("spec.rules[0].limit.capacity is 20.0; it must be " + INTEGER);
    }

    @Test
    void refuses_fields_that_it_does_not_know() {
        assertRuleProblems(
                GOOD_RULE.replace("'capacity':20", "'capacity':20,'burst':3"),
                "spec.rules[0].limit.burst is not a field of the format; what may stand here is [capacity, refill]");
        assertProblems(
                withRules(GOOD_RULE).replace("'kind'", "'x\\ny':1,'kind'"),
                "\"x?y\" is not a field of the format; what may stand here is [apiVersion, kind, metadata, spec]");
        assertRuleProblems(
                "{'id':'R','stage':'ip','algorithm':'unlimited','limit':{}}",
                "spec.rules[0].limit is there; a rule with algorithm unlimited must have none");
    }

    @Test
    void refuses_a_key_that_stands_twice() {
        assertProblems(
                withRules(GOOD_RULE.replace("'capacity':20", "'capacity':20,'capacity':20")),
                "spec.rules[0].limit.capacity stands twice, again in line 1; a field may stand once");
    }

    @Test
    void refuses_names_and_texts_that_would_not_do_elsewhere() {
        assertProblems(
                document("'name':'a/b','version':1,'owner':7,'reason':'\\ud800'", "'domain':'','rules':[]"),
                "spec.domain is \"\"; it must be a name of 1 to 64 letters, digits, dots, hyphens and underscores",
                "metadata.name is \"a/b\"; it must be a name of 1 to 64 letters, digits, dots, hyphens and underscores",
                "metadata.owner is 7; it must be text of at most 256 characters",
                "metadata.reason is \"\ud800\"; it must be text of at most 1024 characters");
        assertProblems(
                document("'name':'n','version':1,'reason':'" + "r".repeat(1_025) + "'", "'domain':'d','rules':[]"),
                "metadata.reason is \"" + "r".repeat(80) + "…\"; it must be text of at most 1024 characters");
        assertProblems(
                document("'name':'n','version':1,'supersedes':1", "'domain':'d','rules':[]"),
                "metadata.supersedes is 1; it must be below the version, 1");
    }

    @Test
    void refuses_bad_routes_and_still_knows_their_groups() {
        assertProblems(
                document(
                        "'name':'n','version':1",
                        "'domain':'d','routes':{'a':[{'method':'get','path':'/x'},{'method':'GET','path':'x','query':1}],"
                                + "'b':[],'c':7,'d':['GET /']},"
                                + "'rules':[{'id':'R','stage':'ip','algorithm':'unlimited','match':{'routes':['a','b','c','d','e']}}]"),
                "spec.routes.a[0].method is 'get'; it must be upper-case letters, or *",
                "spec.routes.a[1].query is not a field of the format; what may stand here is [method, path]",
                "spec.routes.a[1].path is 'x'; it must begin with /",
                "spec.routes.b is empty; it must have a route",
                "spec.routes.c is 7; it must be a list",
                "spec.routes.d[0] is \"GET /\"; it must be an object",
                "spec.rules[0].match.routes has 'e', which is no route group; there are [a, b, c, d]");
    }

    @Test
    void refuses_two_routes_for_the_same_requests() {
        assertProblems(
                document(
                        "'name':'n','version':1",
                        "'domain':'d','rules':[],'routes':{'a':[{'method':'GET','path':'/x/{id}'}],"
                                + "'b':[{'method':'PUT','path':'/x/{id}'},{'method':'GET','path':'/x/{name}'}]}"),
                "spec.routes.b[1] fits the same requests as spec.routes.a[0]; one of them must go");
    }

    /** It was refused with an exception that no follower of the topic expected. */
    @Test
    void refuses_an_id_that_is_not_for_policies_like_any_other_mistake() {
        assertRuleProblems(
                GOOD_RULE.replace("'R'", "'headgate.ban'").replace("20", "-1"),
                "spec.rules[0].id is \"headgate.ban\"; it must not begin with headgate.",
                "spec.rules[0].limit.capacity is -1; it must be " + INTEGER);
    }

    @Test
    void refuses_a_match_that_says_nothing() {
        assertRuleProblems(
                "{'id':'R','stage':'ip','algorithm':'unlimited',"
                        + "'match':{'authenticated':'no','routes':[],'attributes':{'a':1}}}",
                "spec.rules[0].match.authenticated is \"no\"; it must be true or false",
                "spec.rules[0].match.routes is empty; name a route group, or leave it out to match every route",
                "spec.rules[0].match.attributes.a is 1; it must be text of at most 256 characters");
    }

    @Test
    void refuses_bad_costs() {
        assertRuleProblems(
                "{'id':'R','stage':'ip','algorithm':'unlimited','cost':{'fromRoute':false}}",
                "spec.rules[0].cost.fromRoute is false; it must be true, or the cost an integer");
        assertRuleProblems(
                "{'id':'R','stage':'ip','algorithm':'unlimited','cost':'route'}",
                "spec.rules[0].cost is \"route\"; it must be " + INTEGER);
        assertProblems(
                document("'name':'n','version':1", "'domain':'d','rules':[],'endpoints':{'read':{'cost':-1}}"),
                "spec.endpoints.read.cost is -1; it must be " + INTEGER,
                "spec.endpoints.read names no route group; there are []");
    }

    @Test
    void says_what_the_core_refuses_at_the_place_where_it_stands() {
        assertRuleProblems(
                "{'id':'R','stage':'ip','scope':'user','algorithm':'unlimited'}",
                "spec.rules[0].scope is 'user'; in stage 'ip' it must be one of [ip, route, composite]");
        assertRuleProblems(
                "{'id':'R','stage':'ip','algorithm':'gcra',"
                        + "'limit':{'capacity':1000000000000,'refill':{'tokens':1,'per':'366d'}}}",
                "spec.rules[0].limit.capacity × refill.per is 1000000000000 × 31622400000 ms; for gcra it must be at most"
                        + " 2^61: use token-bucket, or a shorter period with fewer tokens");
        assertRuleProblems(
                GOOD_RULE + "," + GOOD_RULE, "spec.rules[1].id is 'R', as an earlier rule's; ids must differ");
    }

    @Test
    void refuses_by_name_what_this_version_cannot_do() {
        assertRuleProblems(
                "{'id':'R','stage':'tenant','scope':'global','algorithm':'concurrency',"
                        + "'limit':{'inFlight':3,'slotLease':'10m'},"
                        + "'global':{'strategy':'shard-lease','lease':{'chunk':100,'ttl':'5s'},"
                        + "'whenUnreachable':'spend-held-only'}}",
                "spec.rules[0].scope is not supported by this version: scope global",
                "spec.rules[0].algorithm is not supported by this version: concurrency limits",
                "spec.rules[0].global is not supported by this version: leases (global)");
    }

    @Test
    void an_exempt_endpoint_has_a_cap_and_no_fail_mode() {
        assertThat(parse(document(
                                "'name':'n','version':1",
                                "'domain':'d','rules':[],'routes':{'probes':[{'method':'GET','path':'/h'}]},"
                                        + "'endpoints':{'probes':{'exempt':{'limit':{'requests':50,'per':'1s'}}}}"))
                        .policy()
                        .conduct()
                        .exempt())
                .isEqualTo(Map.of("probes", new FixedWindowLimit(50, 1_000)));
        assertProblems(
                document(
                        "'name':'n','version':1",
                        "'domain':'d','rules':[],'routes':{'probes':[{'method':'GET','path':'/h'}]},"
                                + "'endpoints':{'gone':{'exempt':{'limit':{'requests':50,'per':'1s'}}},"
                                + "'probes':{'failMode':{'mode':'open'},'exempt':{'limit':{'requests':50,'per':'1s'}}}}"),
                "spec.endpoints.probes.exempt stands beside failMode; nobody is asked about an exempt endpoint, so it needs"
                        + " none",
                "spec.endpoints.gone names no route group; there are [probes]");
    }

    @Test
    void checks_what_it_refuses_all_the_same() {
        assertRuleProblems(
                "{'id':'R','stage':'tenant','algorithm':'concurrency','limit':{'inFlight':-1,'slots':2}}",
                "spec.rules[0].algorithm is not supported by this version: concurrency limits",
                "spec.rules[0].limit.inFlight is -1; it must be " + INTEGER,
                "spec.rules[0].limit.slotLease is missing; it must be a duration: a positive integer with ms, s, m, h or d,"
                        + " such as 10s",
                "spec.rules[0].limit.slots is not a field of the format; what may stand here is [inFlight, slotLease]");
        assertRuleProblems(
                "{'id':'R','stage':'tenant','algorithm':'fixed-window','limit':{'requests':50,'per':'10s'},"
                        + "'global':{'strategy':'regional-lease','lease':{'chunk':51,'ttl':'11s'},'x':1}}",
                "spec.rules[0].global is not supported by this version: leases (global)",
                "spec.rules[0].global.lease.chunk is 51, above the rule's limit; it must be at most 50",
                "spec.rules[0].global.lease.ttl is 11000 ms, longer than the rule's window; it must be at most 10000 ms",
                "spec.rules[0].global.x is not a field of the format; what may stand here is [lease, strategy,"
                        + " whenUnreachable]");
        assertRuleProblems(
                "{'id':'R','stage':'tenant','algorithm':'fixed-window','limit':{'requests':50,'per':'10s'},"
                        + "'global':{'strategy':'independent','lease':{'chunk':5,'ttl':'1s'}}}",
                "spec.rules[0].global is not supported by this version: leases (global)",
                "spec.rules[0].global.lease is there; only strategy shard-lease or regional-lease has it, not"
                        + " independent");
        assertRuleProblems(
                "{'id':'R','stage':'tenant','scope':'global','algorithm':'fixed-window',"
                        + "'limit':{'requests':50,'per':'10s'},'cost':51,"
                        + "'global':{'strategy':'shard-lease'}}",
                "spec.rules[0].scope is not supported by this version: scope global",
                "spec.rules[0].global is not supported by this version: leases (global)",
                "spec.rules[0].global.lease is missing; it must be an object",
                "spec.rules[0].cost is 51, above the rule's limit of 50: nobody could ever pay it");
        assertProblems(
                document(
                        "'name':'n','version':1",
                        "'domain':'d','rules':[],'routes':{'probes':[{'method':'GET','path':'/h'}]},"
                                + "'endpoints':{'probes':{'exempt':{'limit':{'requests':50}}}}"),
                "spec.endpoints.probes.exempt.limit.per is missing; it must be a duration: a positive integer with ms, s, m,"
                        + " h or d, such as 10s");
    }

    @Test
    void names_all_mistakes_of_all_rules_at_once_by_their_place() {
        assertRuleProblems(
                "{'id':'A','stage':'ip','algorithm':'leaky','limit':{'requests':1},'match':{'routes':['gone']}},"
                        + "7,"
                        + "{'id':'B b','stage':'IP','algorithm':'sliding-log','limit':{'requests':1001,'per':10},'cost':-1},"
                        + "{'id':'A','stage':'ip','algorithm':'unlimited'}",
                "spec.rules[1] is 7; it must be an object",
                "spec.rules[0].algorithm is \"leaky\"; it must be one of [token-bucket, fixed-window,"
                        + " sliding-window-counter, sliding-log, gcra, unlimited]",
                "spec.rules[2].id is \"B b\"; it must be a name of 1 to 64 letters, digits, dots, hyphens and underscores",
                "spec.rules[2].stage is \"IP\"; it must be one of [ip, target, tenant]",
                "spec.rules[2].limit.requests is 1001; it must be an integer of 0 to 1000",
                "spec.rules[2].limit.per is 10; it must be a duration: a positive integer with ms, s, m, h or d, such as 10s",
                "spec.rules[2].cost is -1; it must be " + INTEGER,
                "spec.rules[0].match.routes has 'gone', which is no route group; there are [read]",
                "spec.rules[3].id is 'A', as an earlier rule's; ids must differ");
    }

    /** Vector V54: found when the policy is published, not at run time as a 429 for ever. */
    @Test
    void refuses_a_cost_above_the_capacity_and_an_unexplained_zero_refill() {
        String eternal = "spec.rules[0].cost is 25, above the rule's limit of 20: nobody could ever pay it";
        String unfilled =
                "spec.rules[0].limit.refill.tokens is 0, so nothing is ever earned back; say why in the rule's"
                        + " 'reason', or refill";

        assertRuleProblems(v54(25, 2, ""), eternal);
        assertThat(parse(withRules(v54(20, 2, ""))).policy().rules()).hasSize(1);
        assertRuleProblems(v54(25, 0, ""), eternal, unfilled);
        assertThat(parse(withRules(v54(20, 0, "one-off trial credits")))
                        .policy()
                        .rules())
                .hasSize(1);
        assertRuleProblems(v54(-1, 2, ""), "spec.rules[0].cost is -1; it must be " + INTEGER);
    }

    // What is not a document at all

    @Test
    void refuses_what_is_not_one_json_object() {
        assertProblems("", "document is empty");
        assertProblems("[]", "document is a list; it must be an object");
        assertProblems("null", "document is null; it must be an object");
        assertProblems(withRules(GOOD_RULE) + " {}", "document is followed by another one; there must be one alone");
        assertThat(problems(() -> parse("{'a':\nNaN}")))
                .singleElement()
                .asString()
                .startsWith("document is not JSON that can be read: ")
                .endsWith("(line 2, column 4)");
        assertThat(problems(() -> PolicyDocument.parse(new byte[] {'{', (byte) 0xc3, '}'})))
                .containsExactly("document is not UTF-8");
    }

    @Test
    void refuses_nesting_beyond_any_document() {
        assertThat(problems(() -> parse("[".repeat(33) + "]".repeat(33))))
                .singleElement()
                .asString()
                .contains("nesting depth (33)");
        assertThat(problems(() -> parse("[".repeat(100_000)))).hasSize(1);
    }

    @Test
    void takes_a_document_of_a_mebibyte_and_not_a_byte_more() {
        byte[] good = json(withRules(GOOD_RULE)).getBytes(StandardCharsets.UTF_8);
        byte[] full = Arrays.copyOf(good, PolicyDocument.MAX_BYTES);
        Arrays.fill(full, good.length, full.length, (byte) ' ');
        byte[] over = Arrays.copyOf(full, full.length + 1);
        over[full.length] = ' ';

        assertThat(PolicyDocument.parse(full).policy().rules()).hasSize(1);
        assertThat(problems(() -> PolicyDocument.parse(over)))
                .containsExactly("document has 524289 bytes; at most 524288 are allowed");
    }

    private static String v54(long cost, long refillTokens, String reason) {
        return "{'id':'R','stage':'tenant','algorithm':'token-bucket','limit':{'capacity':20,'refill':{'tokens':"
                + refillTokens + ",'per':'1000ms'}},'cost':" + cost + ",'reason':'" + reason + "'}";
    }

    private static Limit limit(String algorithm, String limit) {
        return onlyRule("{'id':'R','stage':'ip','reason':'r','algorithm':'" + algorithm + "','limit':" + limit + "}")
                .limit();
    }
}
