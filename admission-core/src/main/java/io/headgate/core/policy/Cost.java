package io.headgate.core.policy;

import io.headgate.core.limit.Bounds;

/** What one unit of a request's own cost is charged in a rule: a request of cost 3 is charged like three requests. */
public sealed interface Cost {

    Cost ONE = new Fixed(1);

    /** The same for every request that the rule matches. */
    record Fixed(long tokens) implements Cost {
        public Fixed {
            Bounds.inRange("cost", tokens, 0, Bounds.MAX_TOKENS);
        }
    }

    /** As the request's route says; 1 where it says nothing. */
    record FromRoute() implements Cost {}
}
