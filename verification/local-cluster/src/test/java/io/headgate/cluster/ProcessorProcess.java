package io.headgate.cluster;

import io.headgate.processor.ProcessorMain;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A processor as a program, which a test may kill or freeze, and its admin port. */
final class ProcessorProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String STARTED = "admin port ";
    private static final Pattern SHARD = Pattern.compile("\\{\"shard\":(\\d+),\"status\":\"(\\w+)\"");

    private final HttpClient client = HttpClient.newHttpClient();
    private final ChildJvm jvm;
    private int adminPort;

    private ProcessorProcess(ChildJvm jvm) {
        this.jvm = jvm;
    }

    /** Starts a processor and returns at once. */
    static ProcessorProcess launch(Path output, Map<String, String> settings) {
        List<String> arguments = new ArrayList<>();
        settings.forEach((name, value) -> arguments.addAll(List.of("--set", name + "=" + value)));
        return new ProcessorProcess(ChildJvm.start(
                output,
                List.of("-Xmx256m", "-XX:+UseSerialGC"),
                ProcessorMain.class,
                arguments.toArray(String[]::new)));
    }

    /** Starts a processor and returns when its admin port is open. */
    static ProcessorProcess start(Path output, Map<String, String> settings) {
        ProcessorProcess process = launch(output, settings);
        process.awaitStarted();
        return process;
    }

    private void awaitStarted() {
        String line = jvm.awaitLine(STARTED, PATIENCE);
        adminPort = Integer.parseInt(line.substring(line.lastIndexOf(STARTED) + STARTED.length()));
    }

    boolean isAlive() {
        return jvm.isAlive();
    }

    /** Waits until it has ended by itself. */
    int awaitExitCode() {
        return jvm.awaitExitCode(PATIENCE);
    }

    /** Waits for a line of its output. */
    String awaitLine(String text) {
        return jvm.awaitLine(text, PATIENCE);
    }

    /** The numbers of the shards that it owns and that decide. */
    List<Integer> readyShards() throws IOException, InterruptedException {
        List<Integer> ready = new ArrayList<>();
        Matcher shards = SHARD.matcher(get("/shards").body());
        while (shards.find()) {
            if (shards.group(2).equals("READY")) {
                ready.add(Integer.parseInt(shards.group(1)));
            }
        }
        return ready;
    }

    /** Waits until it decides for at least so many shards. */
    void awaitReadyShards(int shards) throws IOException, InterruptedException {
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        while (readyShards().size() < shards) {
            if (System.nanoTime() > giveUpAt) {
                throw new AssertionError("only " + readyShards() + " of " + shards + " shards decide after " + PATIENCE
                        + "; it says:\n" + get("/shards").body());
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path, String form) throws IOException, InterruptedException {
        return client.send(request(path).POST(BodyPublishers.ofString(form)).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + path))
                .timeout(Duration.ofSeconds(20));
    }

    void kill9() {
        jvm.kill9();
    }

    void pause() {
        jvm.pause();
    }

    void resume() {
        jvm.resume();
    }

    @Override
    public void close() {
        jvm.close();
    }
}
