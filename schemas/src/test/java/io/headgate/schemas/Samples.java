package io.headgate.schemas;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
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
                Stage.TENANT, full, true, "GET /catalog", Map.of("plan", "gold", "naïve", "☃"), 1_000_000_000_000L);
        Admission bare = new Admission(Stage.IP, new Identity("", "", "", "10.0.0.2", ""), false, "", Map.of(), 0);
        return new Requests(
                Optional.of(new Attempt("g1", -5, Long.MAX_VALUE)),
                List.of(
                        new Command.Ask(admission, false, 1_800_000_000_000L, true),
                        new Command.Ask(bare, true, Command.NEVER, false)));
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
                List.of("S-1", "S-2"),
                List.of(
                        new RuleOutcome("P-READ", RuleOutcome.Said.DENY, OptionalLong.of(0)),
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
                new Control.CaughtUp());
    }

    static PolicyRecord policy() {
        return new PolicyRecord("northstar", 43, "0f".repeat(32), "ada", "tighten", "{\"spec\":\"☃\"}");
    }

    static DeadLetterRecord deadLetter() {
        return new DeadLetterRecord("admission-requests", 3, 1_042, "value is null", 3, new byte[] {1, 2, 3});
    }

    /** Every kind of record as bytes, by name. */
    static Map<String, byte[]> encoded() {
        return Map.of(
                "requests", RequestRecords.encode(requests()),
                "reply", ReplyRecords.encode(reply()),
                "policy control", ControlRecords.encode(SHARD, controls().get(0), KEY),
                "settings control", ControlRecords.encode(SHARD, controls().get(1), KEY),
                "tick", ControlRecords.encode(SHARD, controls().get(2), KEY),
                "caught-up", ControlRecords.encode(SHARD, controls().get(3), KEY),
                "policy", policy().toBytes(),
                "dead letter", deadLetter().toBytes());
    }

    /** The key, whatever a record names. */
    static ControlKey anyName(String named) {
        return named.isEmpty() ? key("other", 2) : KEY;
    }
}
