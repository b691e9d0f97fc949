package io.headgate.core.shard;

import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits that a rule has had since its oldest counter was last touched.
 *
 * @param stage the stage that the rule counted in last
 * @param scope what the rule counted by last
 * @param composite the parts of that, if it is a composite
 * @param meter what the rule counted last
 * @param shadow whether the rule was a shadow rule last
 * @param eras oldest first, never empty
 */
record RuleHistory(Stage stage, Scope scope, List<Part> composite, String meter, boolean shadow, List<Era> eras) {

    /** The most changes of one rule's limit within one round of the sweep. */
    static final int MAX_ERAS = 1_000;

    RuleHistory {
        composite = List.copyOf(composite);
        eras = List.copyOf(eras);
    }

    static RuleHistory startingWith(Rule rule, long offset, long nowMillis) {
        return of(rule, List.of(new Era(offset, nowMillis, rule.limit(), rule.byPlan(), true)));
    }

    Era current() {
        return eras.get(eras.size() - 1);
    }

    /** The history once {@code rule} is in force. Another key, meter or algorithm, or the rule's wish, begins afresh. */
    RuleHistory followedBy(Rule rule, long offset, long nowMillis) {
        Limit last = current().limit();
        boolean sameKey = rule.stage() == stage
                && rule.scope() == scope
                && rule.composite().equals(composite)
                && rule.meter().equals(meter);
        boolean carriesOver = sameKey && last.algorithm().equals(rule.limit().algorithm()) && !rule.resetBudgets();
        if (carriesOver && last.equals(rule.limit()) && current().byPlan().equals(rule.byPlan())) {
            return of(rule, eras);
        }
        Era next = new Era(offset, nowMillis, rule.limit(), rule.byPlan(), !carriesOver);
        if (next.fresh()) {
            return of(rule, List.of(next));
        }
        List<Era> longer = new ArrayList<>(eras);
        longer.add(next);
        return of(rule, longer);
    }

    /** Without the eras that ended before {@code offset}, when every counter has been brought past it. */
    RuleHistory since(long offset) {
        int first = 0;
        while (first < eras.size() - 1 && eras.get(first + 1).fromOffset() < offset) {
            first++;
        }
        return first == 0
                ? this
                : new RuleHistory(stage, scope, composite, meter, shadow, eras.subList(first, eras.size()));
    }

    void writeTo(ByteWriter out) {
        out.putString(stage.label()).putString(scope.label()).putLong(composite.size());
        composite.forEach(part -> out.putString(part.label()));
        out.putString(meter).putBoolean(shadow).putLong(eras.size());
        eras.forEach(era -> era.writeTo(out));
    }

    static RuleHistory readFrom(ByteReader in) {
        Stage stage = Stage.labelled(in.getString());
        Scope scope = Scope.labelled(in.getString());
        List<Part> composite = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            composite.add(Part.labelled(in.getString()));
        }
        String meter = in.getString();
        boolean shadow = in.getBoolean();
        List<Era> eras = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            eras.add(Era.readFrom(in));
        }
        return new RuleHistory(stage, scope, composite, meter, shadow, eras);
    }

    private static RuleHistory of(Rule rule, List<Era> eras) {
        return new RuleHistory(rule.stage(), rule.scope(), rule.composite(), rule.meter(), rule.shadow(), eras);
    }
}
