package io.headgate.gateway.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** A connection that sends whatever it is told, however wrong or slow. */
final class RawConnection implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 30_000;

    private final Socket socket;

    RawConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
    }

    static String headersOfCheck(int bodyLength) {
        return "POST /v1/check HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: "
                + bodyLength + "\r\n\r\n";
    }

    RawConnection send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** The next so many bytes. */
    String read(int length) throws IOException {
        return new String(readBytes(length), StandardCharsets.UTF_8);
    }

    byte[] readBytes(int length) throws IOException {
        return socket.getInputStream().readNBytes(length);
    }

    /** All that comes until a text has come, or the other side closes. */
    String readUntil(String text) throws IOException {
        StringBuilder all = new StringBuilder();
        int next = 0;
        while (next >= 0 && all.indexOf(text) < 0) {
            next = socket.getInputStream().read();
            all.append((char) Math.max(0, next));
        }
        return all.toString();
    }

    /** All that comes until the other side closes, which it must within half a minute. */
    String readToTheEnd() throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder all = new StringBuilder();
        byte[] some = new byte[8_192];
        try {
            for (int length = in.read(some); length >= 0; length = in.read(some)) {
                all.append(new String(some, 0, length, StandardCharsets.UTF_8));
            }
        } catch (SocketException reset) {
            // What was sent after the close is answered by a reset. It is an end like any other.
        }
        return all.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
