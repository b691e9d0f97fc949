package io.headgate.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A proxy of this machine, in the foreground, with all its files in one folder. It ends with {@link #close()}. */
final class ProxyProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final int port;

    private ProxyProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts one, and waits until it listens.
     *
     * @param install what to do if it is missing, for whoever reads the failure
     */
    static ProxyProcess start(Path folder, int port, String install, List<String> command) throws IOException {
        Path output = folder.resolve("output-" + port + ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("HOME", folder.toString());
        Process process;
        try {
            process = builder.start();
        } catch (IOException missing) {
            throw new AssertionError(command.get(0) + " cannot be started: " + install, missing);
        }
        ProxyProcess proxy = new ProxyProcess(process, port);
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .failFast(() -> {
                        if (!process.isAlive()) {
                            throw new AssertionError(command.get(0) + " ended by itself; it says:\n" + read(output));
                        }
                    })
                    .until(proxy::listens);
        } catch (RuntimeException | Error failed) {
            proxy.close();
            throw failed;
        }
        return proxy;
    }

    /** A port that nobody listens on just now. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    ProxyClient client(String address) {
        return new ProxyClient(port, address);
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static String read(Path output) {
        try {
            return Files.readString(output, StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            return "(unreadable)";
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
