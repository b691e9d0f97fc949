package io.headgate.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.tools.AccessLog.Entry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Asks a gateway for every entry of an access log, in order of time, a bounded number at once. Each is asked as an
 * anonymous request of its address.
 */
final class Replay {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(30);

    private final URI check;
    private final double speed;
    private final int concurrency;

    /**
     * Prepares a replay.
     *
     * @param gateway the gateway's address
     * @param speed how many times faster than recorded; 0 as fast as it goes
     * @param concurrency how many requests may be under way
     */
    Replay(URI gateway, double speed, int concurrency) {
        this.check = gateway.resolve("/v1/check");
        this.speed = speed;
        this.concurrency = concurrency;
    }

    /** Why a gateway does not answer; empty if it does. */
    static Optional<String> whySilent(URI gateway) throws InterruptedException {
        HttpRequest version = HttpRequest.newBuilder(gateway.resolve("/version"))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            HttpClient.newHttpClient().send(version, HttpResponse.BodyHandlers.discarding());
            return Optional.empty();
        } catch (IOException silent) {
            return Optional.of(silent.getClass().getSimpleName());
        }
    }

    ReplayReport run(List<Entry> entries) throws InterruptedException {
        ReplayReport report = new ReplayReport();
        Progress progress = new Progress(entries.size());
        HttpClient client =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
        Semaphore underWay = new Semaphore(concurrency);
        long startNanos = System.nanoTime();
        for (Entry entry : entries) {
            pace(entry, entries.get(0), startNanos);
            underWay.acquire();
            progress.show(report.sent());
            report.countSent();
            long sentNanos = System.nanoTime();
            var unused = client.sendAsync(request(entry), HttpResponse.BodyHandlers.ofByteArray())
                    .whenComplete((response, failure) -> {
                        long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - sentNanos);
                        if (failure == null) {
                            report.countAnswer(entry.ip(), response.statusCode(), body(response), micros);
                        } else {
                            report.countFailure(failure);
                        }
                        underWay.release();
                    });
        }
        underWay.acquire(concurrency);
        progress.finish(report.sent());
        report.finish(System.nanoTime() - startNanos);
        return report;
    }

    private void pace(Entry entry, Entry first, long startNanos) throws InterruptedException {
        if (speed > 0) {
            double dueNanos = (entry.timeMillis() - first.timeMillis()) * 1e6 / speed;
            TimeUnit.NANOSECONDS.sleep((long) dueNanos - (System.nanoTime() - startNanos));
        }
    }

    private HttpRequest request(Entry entry) {
        ObjectNode body = JSON.createObjectNode()
                .put("ip", entry.ip())
                .put("authenticated", false)
                .put("route", entry.route());
        try {
            return HttpRequest.newBuilder(check)
                    .timeout(REQUEST_TIMEOUT)
                    .header("content-type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)))
                    .build();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static JsonNode body(HttpResponse<byte[]> response) {
        try {
            return JSON.readTree(response.body());
        } catch (IOException notJson) {
            return JSON.missingNode();
        }
    }
}
