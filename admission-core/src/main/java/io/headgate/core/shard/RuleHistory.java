package io.headgate.core.shard;

import io.headgate.core.limit.Counter;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits that a rule has had since its oldest counter was last touched.
 *
 * <p>A counter is brought to the present through every era since its own: it earns under each limit for as long as that
 * limit held, and is carried over at each change. So a change need not visit all counters, and it makes no difference
 * whether a full one had been dropped before.
 *
 * @param stage the stage that the rule counted in last
 * @param scope what the rule counted by last
 * @param shadow whether the rule was a shadow rule last
 * @param eras oldest first, never empty; their numbers follow each other
 */
record RuleHistory(Stage stage, Scope scope, boolean shadow, List<Era> eras) {

    /** The most changes of one rule's limit within one round of the sweep. */
    static final int MAX_ERAS = 1_000;

    RuleHistory {
        eras = List.copyOf(eras);
    }

    static RuleHistory startingWith(Rule rule, long nowMillis) {
        return new RuleHistory(
                rule.stage(), rule.scope(), rule.shadow(), List.of(new Era(0, nowMillis, rule.limit(), true)));
    }

    Era current() {
        return eras.get(eras.size() - 1);
    }

    /** The history once {@code rule} is in force. Another key or algorithm, or the rule's own wish, begins afresh. */
    RuleHistory followedBy(Rule rule, long nowMillis) {
        Limit last = current().limit();
        boolean sameKey = rule.stage() == stage && rule.scope() == scope;
        boolean carriesOver = sameKey && last.algorithm().equals(rule.limit().algorithm()) && !rule.resetBudgets();
        if (carriesOver && last.equals(rule.limit())) {
            return new RuleHistory(stage, scope, rule.shadow(), eras);
        }
        Era next = new Era(current().number() + 1, nowMillis, rule.limit(), !carriesOver);
        if (next.fresh()) {
            return new RuleHistory(rule.stage(), rule.scope(), rule.shadow(), List.of(next));
        }
        List<Era> longer = new ArrayList<>(eras);
        longer.add(next);
        return new RuleHistory(stage, scope, rule.shadow(), longer);
    }

    /** Without the eras that ended before {@code millis}, when every counter has been brought past that time. */
    RuleHistory since(long millis) {
        int first = 0;
        while (first < eras.size() - 1 && eras.get(first + 1).fromMillis() < millis) {
            first++;
        }
        return first == 0 ? this : new RuleHistory(stage, scope, shadow, eras.subList(first, eras.size()));
    }

    /** A stored counter as it stands at {@code nowMillis} under the limit in force. */
    Counter present(BucketEntry entry, long nowMillis) {
        long behind = entry.era() - eras.get(0).number();
        if (behind < 0 || !eras.get((int) behind).limit().owns(entry.counter())) {
            return current().limit().fresh(nowMillis);
        }
        Counter counter = entry.counter();
        for (int i = (int) behind; i < eras.size() - 1; i++) {
            Era next = eras.get(i + 1);
            Limit limit = eras.get(i).limit();
            counter = next.limit().adopted(limit.advanced(counter, next.fromMillis()), limit, next.fromMillis());
        }
        return current().limit().advanced(counter, nowMillis);
    }
}
