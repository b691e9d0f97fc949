package io.headgate.core.shard;

/** The store failed; the state is not to be trusted beyond what was committed. */
public final class StateStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public StateStoreException(RuntimeException cause) {
        super("the state store failed: " + cause.getMessage(), cause);
    }
}
