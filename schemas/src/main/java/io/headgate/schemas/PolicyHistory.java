package io.headgate.schemas;

import io.headgate.core.policy.Activation;
import io.headgate.core.policy.InForce;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.core.policy.Policy;
import io.headgate.schemas.PolicyRefusal.Cause;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.ZoneNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The policies on the topic that a shard may apply, in order. A version counts if it is believed and is the one after the
 * newest before it; of two with one version the one with the lower offset stands. Whoever reads the topic from the beginning comes to the same list.
 * Not safe for use by several threads.
 */
public final class PolicyHistory {

    private final PolicyTrust trust;
    private final List<Accepted> accepted = new ArrayList<>();
    private Optional<String> domain = Optional.empty();
    private Optional<InForce> inForce = Optional.empty();

    /**
     * Begins before the first record.
     *
     * @param trust whose versions count
     */
    public PolicyHistory(PolicyTrust trust) {
        this.trust = trust;
    }

    /**
     * A policy document, where it stands on its topic, and the time zones that it names.
     *
     * @param standsAlone whether it is for everybody at once, so that a shard which never had a policy may begin with it
     */
    public record Accepted(
            long offset, long version, String contentHash, byte[] document, Set<String> zones, boolean standsAlone) {}

    /**
     * Takes the next record of the topic.
     *
     * @param offset where it stands
     * @param appendedAtMillis its timestamp, which on this topic is that of its being appended
     * @param value null where a record was deleted
     * @return why it is refused; empty if it is accepted or is the same as the newest
     */
    public Optional<PolicyRefusal> take(long offset, long appendedAtMillis, byte[] value) {
        if (value == null) {
            return refused(Cause.UNREADABLE, "value is null; policies are never deleted");
        }
        try {
            PolicyRecord record = PolicyRecord.fromBytes(value);
            byte[] bytes = record.document().getBytes(StandardCharsets.UTF_8);
            PolicyDocument document = PolicyDocument.parse(bytes);
            Optional<PolicyRefusal> refusal = refusal(record, document, appendedAtMillis);
            if (refusal.isEmpty() && !isNewest(record)) {
                domain = Optional.of(record.domain());
                Set<String> zones = ZoneNames.zones(document.policy());
                Policy policy = document.policy();
                boolean standsAlone = policy.activation().equals(Activation.AT_ONCE);
                accepted.add(new Accepted(offset, record.version(), record.contentHash(), bytes, zones, standsAlone));
                inForce = Optional.of(
                        inForce.map(before -> before.followedBy(policy)).orElseGet(() -> InForce.only(policy)));
            }
            return refusal;
        } catch (UnreadableRecordException | InvalidPolicyException broken) {
            return refused(Cause.UNREADABLE, broken.getMessage());
        }
    }

    private static Optional<PolicyRefusal> refused(Cause cause, String reason) {
        return Optional.of(new PolicyRefusal(cause, reason));
    }

    /** The domain that the topic is for; empty before the first version. */
    public Optional<String> domain() {
        return domain;
    }

    /**
     * The versions on the topic that stand together: the newest for everybody and, if a newer one is for some, that. Where
     * one takes effect at a time of its own, it is as if that had come.
     */
    public Optional<InForce> inForce() {
        return inForce;
    }

    /** The newest version, if there is one. */
    public Optional<Accepted> newest() {
        return accepted.isEmpty() ? Optional.empty() : Optional.of(accepted.get(accepted.size() - 1));
    }

    /**
     * What a shard still has to apply, in order. A shard that never had a policy begins with the newest that stands
     * alone; every other needs each in turn, since one of them may have reset budgets.
     */
    public List<Accepted> after(long policySource) {
        if (policySource < 0) {
            return List.copyOf(accepted.subList(newestAlone(), accepted.size()));
        }
        return accepted.stream()
                .filter(policy -> policy.offset() > policySource)
                .toList();
    }

    /** The time zones that the policy in force names, and those that the shard still has to apply. */
    public Set<String> zonesFrom(long policySource) {
        Set<String> zones = new TreeSet<>();
        after(policySource).forEach(policy -> zones.addAll(policy.zones()));
        accepted.stream()
                .filter(policy -> policy.offset() == policySource)
                .forEach(policy -> zones.addAll(policy.zones()));
        return zones;
    }

    /** Drops what came before the newest that stands alone; for a reader who needs no more. What is refused stays refused. */
    public void forgetOlder() {
        accepted.subList(0, newestAlone()).clear();
    }

    /** The place of the newest that stands alone; 0 if there is none. */
    private int newestAlone() {
        int place = accepted.size() - 1;
        while (place > 0 && !accepted.get(place).standsAlone()) {
            place--;
        }
        return Math.max(0, place);
    }

    private Optional<PolicyRefusal> refusal(PolicyRecord record, PolicyDocument document, long appendedAtMillis) {
        if (!document.contentHash().equals(record.contentHash())) {
            return refused(Cause.UNREADABLE, "content hash does not fit the document");
        }
        if (document.metadata().version() != record.version()
                || !document.metadata().domain().equals(record.domain())) {
            return refused(
                    Cause.UNREADABLE,
                    "record says version " + record.version() + " of '" + record.domain()
                            + "', its document version " + document.metadata().version() + " of '"
                            + document.metadata().domain() + "'");
        }
        if (!document.metadata().author().equals(record.author())
                || !document.metadata().reason().equals(record.reason())) {
            return refused(Cause.UNREADABLE, "record says another author or reason than its document");
        }
        if (domain.isPresent() && !domain.get().equals(record.domain())) {
            return refused(
                    Cause.UNTRUSTED, "domain is '" + record.domain() + "'; this topic is for '" + domain.get() + "'");
        }
        long newest = newest().map(Accepted::version).orElse(0L);
        if (record.version() < newest) {
            return refused(Cause.OUT_OF_ORDER, "version " + record.version() + " is older than version " + newest);
        }
        if (record.version() == newest) {
            return isNewest(record)
                    ? Optional.empty()
                    : refused(Cause.OUT_OF_ORDER, "version " + newest + " exists with other content");
        }
        return trust.refusal(record, document, inForce, appendedAtMillis)
                .map(reason -> new PolicyRefusal(Cause.UNTRUSTED, reason))
                .or(() -> problems(document.policy()).map(reason -> new PolicyRefusal(Cause.INVALID, reason)));
    }

    private Optional<String> problems(Policy policy) {
        List<Problem> problems = new ArrayList<>(ZoneNames.unknown(policy));
        problems.addAll(
                inForce.map(before -> before.problemsOf(policy)).orElseGet(() -> InForce.problemsOfFirst(policy)));
        return problems.isEmpty() ? Optional.empty() : Optional.of(new InvalidPolicyException(problems).getMessage());
    }

    private boolean isNewest(PolicyRecord record) {
        return newest().map(Accepted::contentHash).equals(Optional.of(record.contentHash()));
    }
}
