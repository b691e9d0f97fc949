package io.headgate.processor;

/** This process does not hold the key that a shard's control records are signed with. */
final class MissingControlKeyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MissingControlKeyException(int shard, String keyId) {
        super("shard " + shard + " is controlled with key '" + keyId + "', which the file named by "
                + ProcessorSettings.CONTROL_KEYS + " does not hold");
    }
}
