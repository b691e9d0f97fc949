package io.headgate.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A client of proxies with an address of its own on this machine, such as 127.0.0.9: to the proxy it is somebody else than
 * 127.0.0.8.
 */
record ProxyClient(int port, String address) {

    private static final int PATIENCE_MILLIS = 30_000;
    private static final String END_OF_HEADERS = "\r\n\r\n";

    /** A status, header lines, and the rest. */
    record Answer(int status, List<String> lines, String body) {

        Optional<String> header(String name) {
            return lines.stream()
                    .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst();
        }
    }

    Answer get(String target, String... headerLines) throws IOException {
        return send("GET", target, "", headerLines);
    }

    Answer send(String method, String target, String body, String... headerLines) throws IOException {
        StringBuilder request = new StringBuilder(
                method + " " + target + " HTTP/1.1\r\nHost: shop.example\r\n" + "Connection: close\r\n");
        if (!body.isEmpty()) {
            request.append("Content-Length: ").append(body.length()).append("\r\n");
        }
        for (String line : headerLines) {
            request.append(line).append("\r\n");
        }
        request.append("\r\n").append(body);
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
            return answer(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static Answer answer(String text) {
        int end = text.indexOf(END_OF_HEADERS);
        if (!text.startsWith("HTTP/1.") || end < 0) {
            throw new AssertionError("no answer of HTTP/1: \"" + text + "\"");
        }
        List<String> lines = text.substring(0, end).lines().toList();
        return new Answer(
                Integer.parseInt(lines.get(0).substring(9, 12)),
                lines.subList(1, lines.size()),
                text.substring(end + END_OF_HEADERS.length()));
    }
}
