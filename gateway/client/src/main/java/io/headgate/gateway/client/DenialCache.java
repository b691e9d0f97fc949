package io.headgate.gateway.client;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Policy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Denials of a moment ago, repeated to the same request without asking: for as long as the denial's hint, the policy and
 * {@link #MOST_MILLIS} all allow. The same request is one of the same caller, route, attributes and costs: then the same
 * rules speak of it and charge the same, and it would be denied again, with what is left of the same hint. A dearer or
 * cheaper one is asked for.
 *
 * <p>What an operator does in between (a credit, a reset, a ban that is lifted), and a version of the policy that a shard
 * has and this client has not, is not noticed for so long.
 */
final class DenialCache {

    /** The longest that a denial is repeated, whatever the policy says, in ms. */
    static final long MOST_MILLIS = 250;

    private final LongSupplier nanoClock;
    private final Cache<Admission, Denial> denials;

    /** A denial, when it came, how long it is repeated, and the newest policy that was known then. */
    private record Denial(Decision decision, long sinceNanos, long forNanos, long policySource) {}

    /**
     * Makes an empty one.
     *
     * @param most how many denials are kept
     * @param nanoClock the client's clock
     */
    DenialCache(long most, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.denials = Caffeine.newBuilder()
                .maximumSize(most)
                .ticker(nanoClock::getAsLong)
                .executor(Runnable::run)
                .expireAfter(
                        Expiry.<Admission, Denial>writing((admission, denial) -> Duration.ofNanos(denial.forNanos())))
                .build();
    }

    /**
     * Keeps a decision that came now, if it may be repeated.
     *
     * @param policy the version that it names, if it is known
     * @param policySource the place of the newest version that is known
     */
    void keep(Admission admission, Decision decision, Optional<Policy> policy, long policySource) {
        if (decision.verdict() != Verdict.DENY || decision.retryAfterMillis().isEmpty() || policy.isEmpty()) {
            return;
        }
        long millis = Math.min(
                Math.min(
                        decision.retryAfterMillis().getAsLong(),
                        policy.get().conduct().responses().denyCacheMillis()),
                MOST_MILLIS);
        if (millis > 0) {
            denials.put(
                    admission,
                    new Denial(decision, nanoClock.getAsLong(), TimeUnit.MILLISECONDS.toNanos(millis), policySource));
        }
    }

    /** The denial to repeat, with what is left of its hint; empty if the shard has to be asked. */
    Optional<Decision> find(Admission admission, long policySource) {
        Denial denial = denials.getIfPresent(admission);
        if (denial == null || denial.policySource() != policySource) {
            return Optional.empty();
        }
        long passedNanos = nanoClock.getAsLong() - denial.sinceNanos();
        return passedNanos < denial.forNanos()
                ? Optional.of(denial.decision().after(TimeUnit.NANOSECONDS.toMillis(passedNanos)))
                : Optional.empty();
    }
}
