package io.headgate.cluster;

/** Another program listens on the port that clients should use. */
public final class PortTakenException extends BrokerStartException {

    private static final long serialVersionUID = 1L;

    private final int port;

    PortTakenException(String host, int port, Throwable cause) {
        super(
                "port " + port + " on " + host
                        + " is taken; stop the program that listens there or choose another port (0 picks a free one)",
                cause);
        this.port = port;
    }

    public int port() {
        return port;
    }
}
