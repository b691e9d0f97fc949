package io.headgate.processor;

import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.Policy;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The policies on the topic that a shard may apply, in order. A version counts if it is above all before it; of two with
 * one version the one with the lower offset stands. Whoever reads the topic from the beginning comes to the same list.
 */
final class PolicyHistory {

    /** The largest document, so that a control record with it fits into a record of any broker. */
    static final int MAX_DOCUMENT_BYTES = 512 * 1024;

    private final List<Accepted> accepted = new ArrayList<>();
    private Optional<String> domain = Optional.empty();

    /** A policy document and where it stands on its topic. */
    record Accepted(long offset, long version, String contentHash, byte[] document) {}

    /**
     * Takes the next record of the topic.
     *
     * @return why it is refused; empty if it is accepted or is the same as the newest
     */
    Optional<String> take(long offset, byte[] value) {
        try {
            PolicyRecord record = PolicyRecord.fromBytes(value);
            byte[] document = record.document().getBytes(StandardCharsets.UTF_8);
            Optional<String> refusal = refusal(record, document);
            boolean repeated = newest().map(Accepted::contentHash).equals(Optional.of(record.contentHash()));
            if (refusal.isEmpty() && !repeated) {
                domain = Optional.of(record.domain());
                accepted.add(new Accepted(offset, record.version(), record.contentHash(), document));
            }
            return refusal;
        } catch (UnreadableRecordException | InvalidPolicyException broken) {
            return Optional.of(broken.getMessage());
        }
    }

    Optional<Accepted> newest() {
        return accepted.isEmpty() ? Optional.empty() : Optional.of(accepted.get(accepted.size() - 1));
    }

    /**
     * What a shard still has to apply, in order. A shard that never had a policy begins with the newest; every other
     * needs each in turn, since one of them may have reset budgets.
     */
    List<Accepted> after(long policySource) {
        if (policySource < 0) {
            return newest().map(List::of).orElse(List.of());
        }
        return accepted.stream()
                .filter(policy -> policy.offset() > policySource)
                .toList();
    }

    private Optional<String> refusal(PolicyRecord record, byte[] document) {
        if (document.length > MAX_DOCUMENT_BYTES) {
            return Optional.of("document has " + document.length + " bytes; at most " + MAX_DOCUMENT_BYTES
                    + " are allowed");
        }
        if (domain.isPresent() && !domain.get().equals(record.domain())) {
            return Optional.of("domain is '" + record.domain() + "'; this topic is for '" + domain.get() + "'");
        }
        if (!PolicyDocument.contentHash(document).equals(record.contentHash())) {
            return Optional.of("content hash does not fit the document");
        }
        Policy policy = PolicyDocument.fromCanonical(document);
        if (policy.version() != record.version()) {
            return Optional.of("record says version " + record.version() + ", its document " + policy.version());
        }
        long newest = newest().map(Accepted::version).orElse(0L);
        boolean repeated = newest().map(Accepted::contentHash).equals(Optional.of(record.contentHash()));
        if (record.version() < newest) {
            return Optional.of("version " + record.version() + " is older than version " + newest);
        }
        if (record.version() == newest && !repeated) {
            return Optional.of("version " + newest + " exists with other content");
        }
        return Optional.empty();
    }
}
