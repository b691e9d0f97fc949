package io.headgate.core.policy;

import io.headgate.core.limit.Bounds;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import java.util.OptionalLong;

/** What a gateway does with a request that nobody could decide. */
public sealed interface FailMode {

    /** What a rule or an endpoint has that says nothing. */
    FailMode CLOSED = new Closed(OptionalLong.empty());

    /** The most gateways that a bound may be shared by. */
    int MOST_GATEWAYS = 100_000;

    /** The shortest that an answer may advise to wait: header fields count in seconds. */
    long LEAST_RETRY_AFTER_MILLIS = 1_000;

    /** The longest. */
    long MOST_RETRY_AFTER_MILLIS = 24L * 3_600_000;

    /** The name in documents. */
    String label();

    /**
     * It is answered 503.
     *
     * @param retryAfterMillis what the answer advises, 1 s to 24 h; empty: nothing
     */
    record Closed(OptionalLong retryAfterMillis) implements FailMode {

        public Closed {
            retryAfterMillis.ifPresent(millis ->
                    Bounds.inRange("retryAfterMillis", millis, LEAST_RETRY_AFTER_MILLIS, MOST_RETRY_AFTER_MILLIS));
        }

        @Override
        public String label() {
            return "closed";
        }
    }

    /** It is admitted. */
    record Open() implements FailMode {
        @Override
        public String label() {
            return "open";
        }
    }

    /**
     * It is admitted within a limit that each gateway keeps for itself, for each key of the rule.
     *
     * @param perGateway that limit
     * @param expectedGateways how many gateways are expected to keep it at most, 1 to {@value #MOST_GATEWAYS}
     */
    record LocalBounded(Limit perGateway, int expectedGateways) implements FailMode {

        public LocalBounded {
            if (perGateway instanceof Unlimited) {
                throw new IllegalArgumentException("perGateway is unlimited; that is fail mode open");
            }
            Bounds.inRange("expectedGateways", expectedGateways, 1, MOST_GATEWAYS);
        }

        @Override
        public String label() {
            return "local-bounded";
        }
    }

    /** As the endpoint says that it goes to. Only rules have it. */
    record OfEndpoint() implements FailMode {
        @Override
        public String label() {
            return "endpoint";
        }
    }

    /** As the rules say that speak of the request. Only endpoints have it. */
    record OfRules() implements FailMode {
        @Override
        public String label() {
            return "local-bounded";
        }
    }
}
