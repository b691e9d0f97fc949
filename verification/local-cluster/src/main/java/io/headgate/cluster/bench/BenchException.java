package io.headgate.cluster.bench;

/** A bench cannot start or go on; the message says in one line what is in its way. */
final class BenchException extends Exception {

    private static final long serialVersionUID = 1L;

    BenchException(String message, Throwable cause) {
        super(message, cause);
    }
}
