package io.headgate.cluster;

/** The broker could not start. The message is one line that a person at a terminal can act on. */
public class BrokerStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BrokerStartException(String message) {
        super(message);
    }

    BrokerStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
