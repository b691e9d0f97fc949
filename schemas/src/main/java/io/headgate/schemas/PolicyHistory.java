package io.headgate.schemas;

import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.ZoneNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The policies on the topic that a shard may apply, in order. A version counts if it is above all before it; of two with
 * one version the one with the lower offset stands. Whoever reads the topic from the beginning comes to the same list.
 * Not safe for use by several threads.
 */
public final class PolicyHistory {

    private final List<Accepted> accepted = new ArrayList<>();
    private Optional<String> domain = Optional.empty();

    /** A policy document, where it stands on its topic, and the time zones that it names. */
    public record Accepted(long offset, long version, String contentHash, byte[] document, Set<String> zones) {}

    /**
     * Takes the next record of the topic.
     *
     * @param offset where it stands
     * @param value null where a record was deleted
     * @return why it is refused; empty if it is accepted or is the same as the newest
     */
    public Optional<String> take(long offset, byte[] value) {
        if (value == null) {
            return Optional.of("value is null; policies are never deleted");
        }
        try {
            PolicyRecord record = PolicyRecord.fromBytes(value);
            byte[] bytes = record.document().getBytes(StandardCharsets.UTF_8);
            PolicyDocument document = PolicyDocument.parse(bytes);
            Optional<String> refusal = refusal(record, document);
            if (refusal.isEmpty() && !isNewest(record)) {
                domain = Optional.of(record.domain());
                Set<String> zones = ZoneNames.zones(document.policy());
                accepted.add(new Accepted(offset, record.version(), record.contentHash(), bytes, zones));
            }
            return refusal;
        } catch (UnreadableRecordException | InvalidPolicyException broken) {
            return Optional.of(broken.getMessage());
        }
    }

    /** The policy that stands, if there is one. */
    public Optional<Accepted> newest() {
        return accepted.isEmpty() ? Optional.empty() : Optional.of(accepted.get(accepted.size() - 1));
    }

    /**
     * What a shard still has to apply, in order. A shard that never had a policy begins with the newest; every other
     * needs each in turn, since one of them may have reset budgets.
     */
    public List<Accepted> after(long policySource) {
        if (policySource < 0) {
            return newest().map(List::of).orElse(List.of());
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

    /** Drops all but the newest; for a reader who goes by that alone. What is refused stays refused. */
    public void forgetOlder() {
        if (accepted.size() > 1) {
            accepted.subList(0, accepted.size() - 1).clear();
        }
    }

    private Optional<String> refusal(PolicyRecord record, PolicyDocument document) {
        if (!document.contentHash().equals(record.contentHash())) {
            return Optional.of("content hash does not fit the document");
        }
        if (document.metadata().version() != record.version()
                || !document.metadata().domain().equals(record.domain())) {
            return Optional.of("record says version " + record.version() + " of '" + record.domain()
                    + "', its document version " + document.metadata().version() + " of '"
                    + document.metadata().domain() + "'");
        }
        List<Problem> unknownZones = ZoneNames.unknown(document.policy());
        if (!unknownZones.isEmpty()) {
            return Optional.of(new InvalidPolicyException(unknownZones).getMessage());
        }
        if (domain.isPresent() && !domain.get().equals(record.domain())) {
            return Optional.of("domain is '" + record.domain() + "'; this topic is for '" + domain.get() + "'");
        }
        long newest = newest().map(Accepted::version).orElse(0L);
        if (record.version() < newest) {
            return Optional.of("version " + record.version() + " is older than version " + newest);
        }
        if (record.version() == newest && !isNewest(record)) {
            return Optional.of("version " + newest + " exists with other content");
        }
        return Optional.empty();
    }

    private boolean isNewest(PolicyRecord record) {
        return newest().map(Accepted::contentHash).equals(Optional.of(record.contentHash()));
    }
}
