package io.headgate.gateway.client;

/** A client could not start; the message says what is missing. */
public final class ClientStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ClientStartException(String message, Throwable cause) {
        super(message, cause);
    }

    public ClientStartException(String message) {
        super(message);
    }
}
