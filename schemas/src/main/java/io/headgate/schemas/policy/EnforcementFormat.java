package io.headgate.schemas.policy;

import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Enforcement;
import io.headgate.schemas.policy.LimitReading.Limits;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** {@code enforcement} of a rule: enforce, shadow with what its author expects of it, or soft up to a bound. */
final class EnforcementFormat {

    private static final Enforcement SOFT = new Enforcement.Soft(Enforcement.Soft.MOST);
    private static final Map<String, Enforcement> MODES =
            Labels.of(new Enforcement[] {Enforcement.ENFORCE, Enforcement.SHADOW, SOFT}, Enforcement::label);

    private static final String HARD_AT = "hardAt";
    private static final String EXPECTED = "expectedDenyRatio";
    private static final String UNTIL = "until";

    private EnforcementFormat() {}

    static Optional<Enforcement> read(Section section) {
        Optional<Enforcement> mode = section.requiredChoice("mode", MODES, Map.of());
        Optional<Integer> hardAt = section.percent(HARD_AT, 0, Enforcement.Soft.LEAST, Enforcement.Soft.MOST);
        Optional<Integer> expected = section.percent(EXPECTED, 1, 0, 1_000);
        Optional<Long> until = section.instantMillis(UNTIL);
        section.close();
        return mode.map(chosen -> {
            if (!chosen.equals(SOFT)) {
                section.onlyFor(HARD_AT, "enforcement soft", chosen.label());
            }
            if (!chosen.equals(Enforcement.SHADOW)) {
                section.onlyFor(EXPECTED, "enforcement shadow", chosen.label());
                section.onlyFor(UNTIL, "enforcement shadow", chosen.label());
            }
            if (chosen.equals(Enforcement.SHADOW)) {
                return new Enforcement.Shadow(
                        expected.map(OptionalInt::of).orElseGet(OptionalInt::empty),
                        until.map(OptionalLong::of).orElseGet(OptionalLong::empty));
            }
            return chosen.equals(SOFT)
                    ? hardAt.<Enforcement>map(Enforcement.Soft::new).orElse(SOFT)
                    : chosen;
        });
    }

    /** Notes a soft limit that is too high for its algorithm to count what may be owed beyond it. */
    static boolean canBeOwed(Section rule, Enforcement enforcement, Limits limits) {
        if (!(enforcement instanceof Enforcement.Soft soft)) {
            return true;
        }
        try {
            raise(limits.limit(), soft);
            limits.byPlan().values().forEach(limit -> raise(limit, soft));
            return true;
        } catch (IllegalArgumentException tooHigh) {
            rule.problems()
                    .add(
                            rule.place("enforcement"),
                            "lets more be owed than can be counted, at " + soft.hardPercent() + "% of the limit: "
                                    + tooHigh.getMessage());
            return false;
        }
    }

    private static Limit raise(Limit limit, Enforcement.Soft soft) {
        return limit.raised(soft.debtTokens(limit.tokens()));
    }
}
