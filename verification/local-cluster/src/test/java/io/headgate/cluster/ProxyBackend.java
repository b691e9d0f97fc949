package io.headgate.cluster;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a proxy stands before: it answers everything, and remembers what came. */
final class ProxyBackend implements AutoCloseable {

    private static final String ANSWER = "served";

    private final HttpServer server;
    private final List<String> seen = new CopyOnWriteArrayList<>();

    ProxyBackend() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            seen.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            exchange.getRequestBody().readAllBytes();
            byte[] body = ANSWER.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** What came that has a text in it: the method, and the URI as it came. */
    List<String> seen(String text) {
        return seen.stream().filter(request -> request.contains(text)).toList();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
