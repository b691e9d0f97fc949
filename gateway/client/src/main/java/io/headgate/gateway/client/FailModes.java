package io.headgate.gateway.client;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.FailMode;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Stage;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.LocalBuckets.Charge;
import io.headgate.gateway.client.LocalBuckets.Taken;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What becomes of a request that nobody decided, as the policy says that would decide it: the fail mode of its route
 * group and those of the rules that speak of it in the stages that have not let it pass. One that is closed wins;
 * otherwise every bound has to have room, and all are debited or none. While no policy is known all is closed.
 *
 * <p>A group that the policy does not name is closed, and so is a rule that says nothing. Rules in shadow say nothing at
 * all. Where the group leaves it to the rules and none speaks, it is closed.
 */
final class FailModes {

    /** Those whose answer is the caller's own doing, or the client's end, stay what they are. */
    private static final Set<Cause> LEFT_ALONE = EnumSet.of(Cause.CONFLICT, Cause.CLOSED);

    private final LocalBuckets buckets;
    private final LocalBuckets caps;
    private final ClientMeters meters;
    private final ExemptAudit audit;
    private final String gateway;
    private final AtomicLong given = new AtomicLong();

    /**
     * Makes those of one client.
     *
     * @param buckets the bounds
     * @param caps those of exempt groups, which no flood of keys can drive out
     * @param meters counts what is engaged
     * @param audit sums up what is exempt
     * @param gateway names this life of the client, in the ids of what it admits
     */
    FailModes(LocalBuckets buckets, LocalBuckets caps, ClientMeters meters, ExemptAudit audit, String gateway) {
        this.buckets = buckets;
        this.caps = caps;
        this.meters = meters;
        this.audit = audit;
        this.gateway = gateway;
    }

    /** What the policy says of one request, before any bound is looked at. */
    private static final class Said {
        private boolean closed;
        private OptionalLong retryAfterMillis = OptionalLong.empty();
        private boolean open;
        private final List<Charge> bounds = new ArrayList<>();

        void hears(FailMode mode) {
            if (mode instanceof FailMode.Closed shut) {
                closed = true;
                if (shut.retryAfterMillis().orElse(0) > retryAfterMillis.orElse(0)) {
                    retryAfterMillis = shut.retryAfterMillis();
                }
            } else if (mode instanceof FailMode.Open) {
                open = true;
            }
        }
    }

    /**
     * The last word on a question that ends without a decision; any other answer stays what it is.
     *
     * @param policy the version that would decide it, if one is known
     * @param stages those that have not let it pass
     */
    Answer instead(
            Answer answer, Ask ask, Identity identity, boolean peek, Optional<Policy> policy, List<Stage> stages) {
        if (!(answer instanceof Unavailable unavailable) || LEFT_ALONE.contains(unavailable.cause())) {
            return answer;
        }
        if (policy.isEmpty()) {
            return closed(unavailable, OptionalLong.empty());
        }
        Said said = said(ask, identity, policy.get(), stages);
        if (said.closed || (!said.open && said.bounds.isEmpty())) {
            return closed(unavailable, said.retryAfterMillis);
        }
        Taken taken = buckets.take(said.bounds, peek);
        Fallback.Mode mode = said.bounds.isEmpty() ? Fallback.Mode.OPEN : Fallback.Mode.LOCAL_BOUNDED;
        meters.engaged(mode.name(), unavailable.cause());
        return fallback(
                mode,
                taken,
                policy.get().version(),
                taken.full().map(full -> full.key().ruleId()),
                Optional.of(unavailable));
    }

    /** The answer to a request whose route group is exempt; empty if it is not. */
    Optional<Answer> exempt(Ask ask, boolean peek, Optional<Policy> policy) {
        Optional<String> group = policy.flatMap(known -> known.routes().groupOf(ask.route()));
        Optional<Limit> cap = group.map(name -> policy.get().conduct().exempt().get(name));
        if (cap.isEmpty()) {
            return Optional.empty();
        }
        CounterKey key = new CounterKey("", List.of(group.get()));
        Taken taken = caps.take(List.of(new Charge(key, cap.get(), 1)), peek);
        meters.exempted(group.get(), taken.all());
        audit.note(group.get(), taken.all(), policy.get().version());
        return Optional.of(
                fallback(Fallback.Mode.EXEMPT, taken, policy.get().version(), Optional.empty(), Optional.empty()));
    }

    private Answer closed(Unavailable unavailable, OptionalLong retryAfterMillis) {
        meters.engaged("CLOSED", unavailable.cause());
        return new Unavailable(
                unavailable.cause(),
                unavailable.decision(),
                unavailable.detail(),
                retryAfterMillis,
                unavailable.earlier());
    }

    private Fallback fallback(
            Fallback.Mode mode, Taken taken, long version, Optional<String> rule, Optional<Unavailable> because) {
        return new Fallback(
                mode,
                taken.all(),
                gateway + "-" + given.incrementAndGet(),
                version,
                rule,
                taken.retryAfterMillis(),
                because,
                because.map(Answer::earlier).orElse(List.of()));
    }

    private static Said said(Ask ask, Identity identity, Policy policy, List<Stage> stages) {
        Optional<String> group = policy.routes().groupOf(ask.route());
        FailMode ofEndpoint =
                group.map(name -> policy.conduct().failModes().get(name)).orElse(FailMode.CLOSED);
        Said said = new Said();
        said.hears(ofEndpoint);
        for (Stage stage : stages) {
            Admission admission = ask.admission(stage, identity);
            for (Rule rule : policy.rules(stage)) {
                hear(rule, admission, group, ofEndpoint, policy, said);
            }
        }
        return said;
    }

    private static void hear(
            Rule rule, Admission admission, Optional<String> group, FailMode ofEndpoint, Policy policy, Said said) {
        OptionalLong units = admission.cost(rule.meter());
        Optional<CounterKey> key = CounterKey.of(rule, admission, group);
        boolean silent = rule.shadow()
                || units.isEmpty()
                || key.isEmpty()
                || !rule.match().accepts(admission.authenticated(), group, admission.attributes());
        if (silent) {
            return;
        }
        if (rule.failMode() instanceof FailMode.LocalBounded bounded) {
            long each = rule.cost() instanceof Cost.Fixed fixed
                    ? fixed.tokens()
                    : policy.routes().costOf(group);
            said.bounds.add(new Charge(key.get(), bounded.perGateway(), Limit.charge(units.getAsLong(), each)));
        } else {
            said.hears(rule.failMode() instanceof FailMode.OfEndpoint ? ofEndpoint : rule.failMode());
        }
    }
}
