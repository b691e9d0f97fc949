package io.headgate.gateway.server;

/** A server could not start; the message says why in one line. */
public final class ServerStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ServerStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
