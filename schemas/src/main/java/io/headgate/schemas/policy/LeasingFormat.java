package io.headgate.schemas.policy;

import io.headgate.core.limit.Bounds;
import io.headgate.core.policy.Leasing;
import io.headgate.schemas.policy.LimitReading.Limits;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code global} of a rule: how one budget is spent in several places. It is read and checked, and then refused: this
 * version cannot do it, and a document that asks for it must not be obeyed by half.
 */
final class LeasingFormat {

    private static final Map<String, Leasing.Strategy> STRATEGIES =
            Labels.of(Leasing.Strategy.values(), Leasing.Strategy::label);
    private static final Map<String, String> WHEN_UNREACHABLE =
            Labels.of(List.of("spend-held-only", "bounded-fallback"));

    private LeasingFormat() {}

    /** Notes every mistake, and that it is not supported. */
    static void check(Section rule, Optional<Limits> limits) {
        if (!rule.has("global")) {
            return;
        }
        rule.notSupported("global", "leases (global)");
        rule.section("global").ifPresent(global -> {
            Optional<Leasing.Strategy> strategy = global.requiredChoice("strategy", STRATEGIES, Map.of());
            global.choice("whenUnreachable", WHEN_UNREACHABLE, Map.of());
            strategy.ifPresent(chosen -> checkLease(global, chosen, limits));
            global.has("lease");
            global.close();
        });
    }

    private static void checkLease(Section global, Leasing.Strategy strategy, Optional<Limits> limits) {
        if (!strategy.leases()) {
            global.onlyFor("lease", "strategy shard-lease or regional-lease", strategy.label());
            global.onlyFor("whenUnreachable", "strategy shard-lease or regional-lease", strategy.label());
            return;
        }
        global.requiredSection("lease").ifPresent(lease -> {
            Optional<Long> chunk = lease.requiredInteger("chunk", 1, Bounds.MAX_TOKENS);
            Optional<Long> ttl = lease.requiredDurationMillis("ttl", Bounds.MAX_PERIOD_MILLIS);
            lease.close();
            if (chunk.isPresent() && ttl.isPresent() && limits.isPresent()) {
                Leasing leasing = new Leasing(strategy, chunk.get(), ttl.get());
                global.problems()
                        .addAll(leasing.problemsUnder(
                                lease.place(),
                                limits.get().limit(),
                                limits.get().planned()));
            }
        });
    }
}
