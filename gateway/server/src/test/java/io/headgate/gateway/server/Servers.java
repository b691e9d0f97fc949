package io.headgate.gateway.server;

import io.headgate.gateway.client.Limiter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Gateways on free ports, and plain requests to them. */
final class Servers {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private Servers() {}

    static GatewayServer start(Map<String, String> settings, Limiter limiter) {
        return start(settings, limiter, new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }

    static GatewayServer start(Map<String, String> settings, Limiter limiter, PrometheusMeterRegistry registry) {
        Map<String, String> all = new HashMap<>(
                Map.of(ServerSettings.PORT, "0", ServerSettings.ADMIN_PORT, "0", ServerSettings.DRAIN_QUIET_MS, "0"));
        all.putAll(settings);
        return GatewayServer.start(new ServerSettings(all), limiter, registry);
    }

    static HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
        return HTTP.send(request(port, path).GET().build(), BodyHandlers.ofString());
    }

    static HttpResponse<String> check(int port, String body) throws IOException, InterruptedException {
        return HTTP.send(checkRequest(port, body), BodyHandlers.ofString());
    }

    static CompletableFuture<HttpResponse<String>> checkAsync(int port, String body) {
        return HTTP.sendAsync(checkRequest(port, body), BodyHandlers.ofString());
    }

    static HttpRequest checkRequest(int port, String body) {
        return request(port, CheckService.PATH)
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    static HttpRequest.Builder request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(PATIENCE);
    }
}
