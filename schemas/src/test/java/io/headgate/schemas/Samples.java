package io.headgate.schemas;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Trace;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.ShardSettings;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** A record of each kind with something in every field. */
final class Samples {

    static final int SHARD = 3;

    static final ControlKey KEY = key("k1", 1);

    private Samples() {}

    static ControlKey key(String id, int filling) {
        byte[] secret = new byte[ControlKey.MIN_SECRET_LENGTH];
        Arrays.fill(secret, (byte) filling);
        return new ControlKey(id, secret);
    }

    static Requests requests() {
        Identity full = new Identity("atlas", "u1", "k1", "10.0.0.1", "someone");
        Admission admission = new Admission(
                Stage.TENANT,
                full,
                true,
                "GET /catalog",
                Map.of("plan", "gold", "naïve", "☃"),
                Map.of("requests", 1_000_000_000_000L, "tokens-in", 0L));
        Admission bare = new Admission(Stage.IP, new Identity("", "", "", "10.0.0.2", ""), false, "", Map.of(), 0);
        return new Requests(
                Optional.of(new Attempt("g1", -5, Long.MAX_VALUE)),
                List.of(
                        new Command.Ask(admission, false, 1_800_000_000_000L, true, "order-1", true),
                        new Command.Ask(bare, true, Command.NEVER, false)));
    }

    /** {@link #requests()}, written as a client would. */
    static byte[] requestsInJson() {
        return """
                {
                  "attempt": {"gateway": "g1", "epoch": -5, "sequence": 9223372036854775807},
                  "commands": [
                    {
                      "op": "admit", "stage": "tenant", "tenant": "atlas", "user": "u1", "apiKey": "k1",
                      "ip": "10.0.0.1", "target": "someone", "authenticated": true, "route": "GET /catalog",
                      "attributes": {"plan": "gold", "na\\u00efve": "☃"}, "cost": 1000000000000,
                      "costs": {"tokens-in": 0}, "deadlineMillis": 1800000000000, "explain": true,
                      "idempotencyKey": "order-1", "trace": true
                    },
                    {"op": "peek", "stage": "ip", "ip": "10.0.0.2", "cost": 0}
                  ]
                }
                """.getBytes(StandardCharsets.UTF_8);
    }

    /** The headers of a record in JSON. */
    static Headers jsonHeaders() {
        Headers headers = new RecordHeaders();
        ContentType.JSON.writeTo(headers);
        return headers;
    }

    static Reply reply() {
        Decision denied = new Decision(
                Verdict.DENY,
                new DecisionId(SHARD, 1_042, 7),
                43,
                Optional.of("P-READ"),
                Optional.of(Scope.API_KEY),
                OptionalLong.of(20),
                OptionalLong.of(0),
                OptionalLong.of(9_999),
                OptionalLong.of(500),
                OptionalLong.of(40),
                List.of("S-1", "S-2"),
                List.of("P-SOFT"),
                List.of("ban-7"),
                List.of(
                        new RuleOutcome("P-READ", RuleOutcome.Said.DENY, OptionalLong.of(0)),
                        new RuleOutcome("P-SOFT", RuleOutcome.Said.SOFT, OptionalLong.of(0)),
                        new RuleOutcome("P-FREE", RuleOutcome.Said.PASS, OptionalLong.empty()),
                        new RuleOutcome("P-ANON", RuleOutcome.Said.SKIP, OptionalLong.empty())),
                true,
                "");
        Decision undecided = Decision.undecided(
                Verdict.NOT_READY, new DecisionId(0, 0, 0), 0, "this shard does not know its policy");
        return new Reply(SHARD, 1_800_000_000_000L, "", List.of(denied, undecided));
    }

    static ShardSettings settings() {
        return new ShardSettings(1, 64, "k1", 30_000, 1_024, 10_000, 3_600_000, 5_000);
    }

    static List<Control> controls() {
        return List.of(
                new Control.ApplyPolicy(7, 5, "{\"a\":1}".getBytes(StandardCharsets.UTF_8)),
                new Control.ApplySettings(2, -1, settings()),
                new Control.Tick(1_800_000_000_000L),
                new Control.CaughtUp(),
                new Control.ApplyPlans(9, 8, List.of(plan().plan(), TenantPlan.on("birch", "standard"))),
                new Control.ApplyAction(4, -1, ban()),
                new Control.ApplyZone(new Zone(
                        "Europe/Zurich",
                        List.of(new Zone.Offset(0, 3_600_000), new Zone.Offset(1_774_746_000_000L, 7_200_000)),
                        1_900_000_000_000L)));
    }

    static PlanRecord plan() {
        SortedMap<String, Limit> overrides = new TreeMap<>();
        overrides.put("P-READ", new TokenBucketLimit(5, 1, 60_000, Refill.INTERVAL));
        overrides.put("P-PACE", new GcraLimit(5, 1, 1_000));
        overrides.put("P-DAY", new FixedWindowLimit(9, new Window.Calendar(CalendarUnit.DAY, "tenant")));
        overrides.put("P-MINUTE", new FixedWindowLimit(9, 60_000));
        overrides.put("P-SLIDE", new SlidingWindowLimit(9, 60_000));
        overrides.put("P-LOG", new SlidingLogLimit(9, 60_000));
        overrides.put("P-FREE", new Unlimited());
        TenantPlan plan = new TenantPlan(
                "atlas",
                TenantPlan.Status.SUSPENDED,
                "enterprise",
                true,
                Optional.of("Europe/Zurich"),
                Optional.of("eu"),
                overrides);
        return new PlanRecord(plan, "ada", "grew");
    }

    static Action ban() {
        Subject subject = new Subject(
                Stage.TENANT,
                new Identity("atlas", "u1", "k1", "10.0.0.1", "someone"),
                "catalog",
                Map.of("model", "m"));
        return new Action("ban-7", "ada", "abuse", subject, new Action.Ban(Scope.USER, 1_800_000_000_000L));
    }

    static List<Action> actions() {
        Subject subject = ban().subject();
        return List.of(
                ban(),
                new Action(
                        "o-1", "ada", "launch", subject, new Action.LimitOverride("P-READ", new GcraLimit(9, 1, 5), 7)),
                new Action("l-1", "ada", "calmed down", subject, new Action.Lift("ban-7")),
                new Action("r-1", "ada", "our fault", subject, new Action.Reset("P-READ")),
                new Action("c-1", "ada", "our fault", subject, new Action.Credit("P-READ", 5)));
    }

    static Trace trace() {
        return new Trace(
                new DecisionId(SHARD, 1_042, 7),
                1_800_000_000_000L,
                Stage.TENANT,
                "atlas",
                Optional.of("catalog"),
                Verdict.DENY,
                43,
                Optional.of("P-READ"),
                List.of("ban-7"),
                List.of(new Trace.Line(
                        "P-READ",
                        "enforce",
                        "requests",
                        1,
                        OptionalLong.of(20),
                        OptionalLong.of(0),
                        OptionalLong.of(0),
                        RuleOutcome.Said.DENY,
                        OptionalLong.of(500))));
    }

    static PolicyRecord policy() {
        return new PolicyRecord(
                "northstar",
                43,
                "0f".repeat(32),
                "ada",
                "tighten",
                "{\"spec\":\"☃\"}",
                List.of(new Signature("ada-2026", new byte[64])));
    }

    static PolicyStatus policyStatus() {
        return new PolicyStatus(
                PolicyStatus.shard(3),
                "processor-1",
                7,
                43,
                44,
                45,
                6,
                "signature is nobody's",
                1_790_000_000_000L,
                10_000);
    }

    static DeadLetterRecord deadLetter() {
        return new DeadLetterRecord("admission-requests", 3, 1_042, "value is null", 3, new byte[] {1, 2, 3});
    }

    /** Every kind of record as bytes, by name. */
    static Map<String, byte[]> encoded() {
        return Map.ofEntries(
                Map.entry("requests", RequestRecords.encode(requests())),
                Map.entry("reply", ReplyRecords.encode(reply())),
                Map.entry(
                        "policy control",
                        ControlRecords.encode(SHARD, controls().get(0), KEY)),
                Map.entry(
                        "settings control",
                        ControlRecords.encode(SHARD, controls().get(1), KEY)),
                Map.entry("policy status", policyStatus().toBytes()),
                Map.entry("tick", ControlRecords.encode(SHARD, controls().get(2), KEY)),
                Map.entry("caught-up", ControlRecords.encode(SHARD, controls().get(3), KEY)),
                Map.entry(
                        "plans control", ControlRecords.encode(SHARD, controls().get(4), KEY)),
                Map.entry(
                        "action control",
                        ControlRecords.encode(SHARD, controls().get(5), KEY)),
                Map.entry(
                        "zone control", ControlRecords.encode(SHARD, controls().get(6), KEY)),
                Map.entry("policy", policy().toBytes()),
                Map.entry("plan", plan().toBytes()),
                Map.entry("action", ActionRecords.encode(ban())),
                Map.entry("trace", TraceRecords.encode(trace())),
                Map.entry("dead letter", deadLetter().toBytes()));
    }

    /** The key, whatever a record names. */
    static ControlKey anyName(String named) {
        return named.isEmpty() ? key("other", 2) : KEY;
    }
}
