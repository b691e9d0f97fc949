package io.headgate.tools.imports;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.RateLimitDescriptor;
import io.headgate.schemas.policy.PolicyDocument;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A shard under an imported policy, asked as the contract in docs/import.md says. */
final class ImportedShard {

    private final Shard shard = new Shard(0, new MemoryStore(), PolicyDocument.READER);
    private long offset;

    ImportedShard(PolicyDocument policy) {
        fold(
                0,
                new Controlled(new Control.ApplySettings(
                        0, -1, new ShardSettings(1, 1, "none", 30_000, 1_024, 16, 3_600_000, 1_000))));
        fold(0, new Controlled(new Control.ApplyPolicy(0, -1, policy.canonicalBytes())));
        fold(0, new Controlled(new Control.CaughtUp()));
    }

    Decision ask(RateLimitDescriptor descriptor, int place, long hits, long nowMillis) {
        Admission admission = new Admission(
                Stage.TENANT,
                new Identity(descriptor.domain(), "", "", "", ""),
                true,
                descriptor.route(),
                descriptor.attributes(place),
                Map.of("requests", hits));
        Folded folded = fold(
                nowMillis,
                new LogRecord.Requests(
                        Optional.empty(), List.of(new Command.Ask(admission, false, Command.NEVER, true))));
        return folded.decisions().get(0);
    }

    /** The ids of the rules that spoke of a request. */
    static List<String> rulesOf(Decision decision) {
        return decision.rules().stream()
                .filter(outcome -> outcome.said() != Said.SKIP)
                .map(Decision.RuleOutcome::ruleId)
                .toList();
    }

    private Folded fold(long nowMillis, LogRecord.Payload payload) {
        Folded folded = shard.fold(new LogRecord(offset++, nowMillis, payload));
        if (!folded.problems().isEmpty()) {
            throw new AssertionError(folded.problems());
        }
        return folded;
    }
}
