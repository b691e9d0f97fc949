package io.headgate.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Asks gateways over HTTP. */
final class HttpCaller {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newHttpClient();

    /** A status and a JSON body. */
    record Answer(int status, JsonNode body) {}

    Answer check(int port, String question) throws IOException, InterruptedException {
        return answer(client.send(request(port, question), BodyHandlers.ofByteArray()));
    }

    CompletableFuture<Answer> checkAsync(int port, String question) {
        return client.sendAsync(request(port, question), BodyHandlers.ofByteArray())
                .thenApply(HttpCaller::answer);
    }

    /** What a gateway shows to Prometheus. */
    String metrics(int port) throws IOException, InterruptedException {
        return client.send(get(port, "/metrics"), BodyHandlers.ofString()).body();
    }

    /** The status of what stands at a path. */
    int status(int port, String path) throws IOException, InterruptedException {
        return client.send(get(port, path), BodyHandlers.discarding()).statusCode();
    }

    private static HttpRequest get(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(20))
                .build();
    }

    static String spend(String tenant) {
        return "{\"tenant\":\"" + tenant + "\",\"user\":\"u\",\"route\":\"" + LoadPolicy.SPEND + "\"}";
    }

    private static HttpRequest request(int port, String question) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/check"))
                .timeout(Duration.ofSeconds(20))
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofString(question))
                .build();
    }

    private static Answer answer(HttpResponse<byte[]> response) {
        try {
            return new Answer(response.statusCode(), JSON.readTree(response.body()));
        } catch (IOException notJson) {
            throw new AssertionError("answer " + response.statusCode() + " is not JSON", notJson);
        }
    }
}
