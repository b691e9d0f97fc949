package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.schemas.Addresses;
import io.headgate.schemas.Pseudonyms;
import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The client against the plainest way to ask several stages: shards of its own, a look at each stage for whether any
 * rule speaks of the request, then one command after the other. Random policies, random requests.
 */
class NaiveCompositionTest {

    private static final int POLICIES = 60;
    private static final int REQUESTS = 60;
    private static final int SHARDS = 5;

    /** The parts of rules: stage, and what stands between its id and its limit. */
    private static final List<String> RULES = List.of(
            "'stage':'ip','match':{'authenticated':false}",
            "'stage':'ip','match':{'authenticated':true}",
            "'stage':'ip','scope':'route'",
            "'stage':'ip','match':{'attributes':{'tier':'free'}}",
            "'stage':'ip','meter':'tokens'",
            "'stage':'ip','scope':{'composite':['route','attributes.tier']}",
            "'stage':'target','match':{'routes':['login']}",
            "'stage':'target','scope':'route','match':{'authenticated':false}",
            "'stage':'target','enforcement':{'mode':'shadow'},'match':{'attributes':{'tier':'gold'}}",
            "'stage':'tenant','match':{'routes':['read']}",
            "'stage':'tenant','scope':'user'",
            "'stage':'tenant','scope':{'composite':['user','attributes.tier']},'meter':'tokens'",
            "'stage':'tenant','enforcement':{'mode':'soft'},'match':{'authenticated':false}",
            "'stage':'tenant','scope':'api-key','match':{'authenticated':true}",
            "'stage':'tenant','scope':'ip'",
            "'stage':'tenant','scope':'route','enforcement':{'mode':'shadow'}");

    private static final List<String> ROUTES = List.of("", "POST /login", "GET /read", "read", "GET /other");

    @Test
    void the_answer_over_several_stages_is_the_naive_composition_of_one_stage_answers() {
        int staged = 0;
        int skipped = 0;
        int deniedLate = 0;
        for (int seed = 0; seed < POLICIES; seed++) {
            Random random = new Random(seed);
            PolicyDocument policy = policy(random);
            boolean known = random.nextInt(6) > 0;
            Bench bench = new Bench(SHARDS, policy.policy(), Map.of());
            if (known) {
                bench.publish(policy);
            }
            Naive naive = new Naive(new FoldingShards(SHARDS, policy.policy(), bench::logMillis, 0), known);
            for (int i = 0; i < REQUESTS; i++) {
                Ask ask = ask(random);
                boolean peek = random.nextInt(5) == 0;
                int records = bench.sent().size();
                CompletableFuture<Answer> future = peek ? bench.client.peek(ask) : bench.client.admit(ask);
                bench.answerAll();

                Decided actual = (Decided) Bench.now(future);
                List<Answered> expected = naive.answer(ask, peek);

                String place = "seed " + seed + ", request " + i + ": " + ask;
                List<Stage> stages = bench.stagesAskedSince(records);
                assertThat(answered(actual, stages)).as(place).isEqualTo(expected);
                staged += expected.size() > 1 ? 1 : 0;
                skipped += naive.skipped > 0 ? 1 : 0;
                deniedLate += expected.size() > 1 && !actual.allowed() ? 1 : 0;
                bench.pass(random.nextInt(400));
            }
        }
        assertThat(staged).as("requests of several stages").isGreaterThan(500);
        assertThat(skipped).as("requests with stages that were passed over").isGreaterThan(500);
        assertThat(deniedLate).as("requests that a later stage denied").isGreaterThan(50);
    }

    /** A stage's decision without its place in a log: the naive way appends more. */
    private record Answered(Stage stage, Decision decision) {}

    private static List<Answered> answered(Decided answer, List<Stage> asked) {
        List<Decision> decisions = new ArrayList<>(answer.earlier());
        decisions.add(answer.decision());
        assertThat(asked).hasSameSizeAs(decisions).endsWith(answer.stage());
        List<Answered> all = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            all.add(new Answered(asked.get(i), anywhere(decisions.get(i))));
        }
        return all;
    }

    private static Decision anywhere(Decision decision) {
        return new Decision(
                decision.verdict(),
                new DecisionId(0, 0, 0),
                decision.policyVersion(),
                decision.denyingRule(),
                decision.scope(),
                decision.limit(),
                decision.remaining(),
                decision.resetAfterMillis(),
                decision.retryAfterMillis(),
                decision.paceAfterMillis(),
                decision.shadowDenials(),
                decision.softDenials(),
                decision.actions(),
                decision.rules(),
                decision.replayed(),
                decision.reason());
    }

    private static final class Naive {

        private final FoldingShards shards;
        private final boolean skipsStages;
        private int skipped;

        Naive(FoldingShards shards, boolean skipsStages) {
            this.shards = shards;
            this.skipsStages = skipsStages;
        }

        List<Answered> answer(Ask ask, boolean peek) {
            Identity who = ask.identity(
                    new Addresses(32, 64), new Pseudonyms(HexFormat.of().parseHex(Bench.SECRET)));
            List<Stage> stages = new ArrayList<>();
            Stage last = Stage.IP;
            skipped = 0;
            for (Stage stage : ask.stages()) {
                if (!who.partitionKey(stage).isEmpty()) {
                    last = stage;
                    if (!skipsStages || speaks(ask, stage, who)) {
                        stages.add(stage);
                    } else {
                        skipped++;
                    }
                }
            }
            if (stages.isEmpty()) {
                stages.add(last);
            }
            List<Answered> said = new ArrayList<>();
            for (Stage stage : stages) {
                Decision decision = decide(ask, stage, who, peek);
                said.add(new Answered(stage, anywhere(decision)));
                if (decision.verdict() != Verdict.ALLOW) {
                    break;
                }
            }
            return said;
        }

        private boolean speaks(Ask ask, Stage stage, Identity who) {
            return decide(ask, stage, who, true).rules().stream().anyMatch(rule -> rule.said() != Said.SKIP);
        }

        private Decision decide(Ask ask, Stage stage, Identity who, boolean peek) {
            return shards.decide(new Command.Ask(ask.admission(stage, who), peek, Command.NEVER, true));
        }
    }

    private static PolicyDocument policy(Random random) {
        List<String> rules = new ArrayList<>();
        for (String rule : RULES) {
            if (random.nextInt(3) == 0) {
                String stage = rule.substring("'stage':'".length(), rule.indexOf("'", "'stage':'".length()));
                rules.add("{'id':'" + stage + "." + rules.size() + "'," + rule
                        + ",'algorithm':'token-bucket','limit':{'capacity':" + (1 + random.nextInt(4))
                        + ",'refill':{'tokens':1,'per':'" + (1 + random.nextInt(3)) + "s'}}}");
            }
        }
        String json = "{'apiVersion':'headgate.io/v1','kind':'PolicySnapshot','metadata':{'name':'test','version':1},"
                + "'spec':{'domain':'test','routes':{'login':[{'method':'POST','path':'/login'}],"
                + "'read':[{'method':'GET','path':'/read'}]},'rules':[" + String.join(",", rules) + "]}}";
        return PolicyDocument.parse(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static Ask ask(Random random) {
        Caller caller = Caller.unknown();
        while (caller.equals(Caller.unknown())) {
            caller = new Caller(
                    random.nextInt(3) == 0 ? "" : "tenant-" + random.nextInt(2),
                    "",
                    "",
                    random.nextInt(3) == 0 ? "" : "203.0.113." + random.nextInt(2),
                    random.nextInt(3) == 0 ? "" : "ann-" + random.nextInt(2));
        }
        caller = random.nextBoolean() ? caller : caller.withUser("u-" + random.nextInt(2));
        caller = random.nextBoolean() ? caller : caller.withApiKey("k-" + random.nextInt(2));
        Ask ask = Ask.of(caller, random.nextBoolean(), ROUTES.get(random.nextInt(ROUTES.size())))
                .withCost(random.nextInt(4) == 0 ? 2 : 1)
                .withExplanation();
        ask = random.nextInt(3) == 0 ? ask.withCosts(Map.of("tokens", 1L)) : ask;
        return switch (random.nextInt(3)) {
            case 0 -> ask;
            case 1 -> ask.withAttributes(Map.of("tier", "free"));
            default -> ask.withAttributes(Map.of("tier", "gold"));
        };
    }
}
