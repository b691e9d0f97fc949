package io.headgate.cluster;

/** A local cluster cannot start; the message says in one line what is in its way. */
final class ClusterStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ClusterStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
