package io.headgate.core.policy;

/** Reads a policy document as it stands on a topic and in a shard's state. Pure: the same bytes are the same policy. */
@FunctionalInterface
public interface PolicyReader {

    /**
     * Reads one document.
     *
     * @param document a policy document in canonical JSON, UTF-8
     * @throws InvalidPolicyException naming every mistake
     */
    Policy read(byte[] document);
}
