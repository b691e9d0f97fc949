package io.headgate.core.shard;

/** The log says that a newer way of deciding applies from here on; this release must not go on. */
public final class UnsupportedSemanticsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnsupportedSemanticsException(int version) {
        super("the shard log asks for semantics version " + version + "; this release knows up to "
                + ShardSettings.NEWEST_SEMANTICS + ": upgrade this process");
    }
}
