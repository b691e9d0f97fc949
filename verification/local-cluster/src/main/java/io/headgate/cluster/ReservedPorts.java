package io.headgate.cluster;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import org.apache.kafka.server.ServerSocketFactory;

/**
 * The broker's two listening sockets, bound before Kafka sees the first setting and handed to it when it asks. Between
 * "this port is free" and "the broker listens on it" nobody else can take it, and whoever connects to it can only reach
 * this broker.
 */
final class ReservedPorts implements ServerSocketFactory, AutoCloseable {

    static final String HOST = "127.0.0.1";
    static final String CLIENT_LISTENER = "PLAINTEXT";
    static final String CONTROLLER_LISTENER = "CONTROLLER";

    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final int BACKLOG = 64;

    private final ServerSocketChannel client;
    private final ServerSocketChannel controller;

    private ReservedPorts(ServerSocketChannel client, ServerSocketChannel controller) {
        this.client = client;
        this.controller = controller;
    }

    /** @param clientPort 0 picks a free one */
    static ReservedPorts reserve(int clientPort) {
        ServerSocketChannel client = listen(clientPort);
        try {
            return new ReservedPorts(client, listen(0));
        } catch (RuntimeException e) {
            closeQuietly(client, e);
            throw e;
        }
    }

    private static ServerSocketChannel listen(int port) {
        try {
            ServerSocketChannel socket = ServerSocketChannel.open();
            try {
                socket.configureBlocking(false);
                socket.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), BACKLOG);
                return socket;
            } catch (IOException | RuntimeException e) {
                closeQuietly(socket, e);
                throw e;
            }
        } catch (BindException e) {
            throw new PortTakenException(HOST, port, e);
        } catch (IOException e) {
            throw new BrokerStartException("port " + port + " on " + HOST + " cannot be opened: " + e, e);
        }
    }

    int clientPort() {
        return client.socket().getLocalPort();
    }

    int controllerPort() {
        return controller.socket().getLocalPort();
    }

    @Override
    public ServerSocketChannel openServerSocket(
            String listener, InetSocketAddress address, int backlog, int receiveBufferBytes) {
        return switch (listener) {
            case CLIENT_LISTENER -> client;
            case CONTROLLER_LISTENER -> controller;
            default -> throw new IllegalArgumentException("no socket is reserved for listener " + listener);
        };
    }

    /** Kafka closes the sockets it was given; this is for those that it never asked for. */
    @Override
    public void close() {
        IllegalStateException failure = new IllegalStateException("the ports could not be released");
        closeQuietly(client, failure);
        closeQuietly(controller, failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    private static void closeQuietly(ServerSocketChannel socket, Exception reportTo) {
        try {
            socket.close();
        } catch (IOException e) {
            reportTo.addSuppressed(e);
        }
    }
}
