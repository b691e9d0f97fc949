package io.headgate.tools;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** The admin port of a processor. */
public final class AdminPort {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** Longer than the processor takes to give up. */
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);

    private final String address;
    private final URI root;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECT_TIMEOUT)
            .proxy(HttpClient.Builder.NO_PROXY)
            .build();

    /**
     * Opens nothing yet.
     *
     * @param address {@code HOST:PORT}
     * @throws IllegalArgumentException if it is not that
     */
    public AdminPort(String address) {
        this.address = address;
        try {
            this.root = new URI("http://" + address);
        } catch (URISyntaxException e) {
            throw notAnAddress(address);
        }
        if (root.getHost() == null
                || root.getPort() < 1
                || root.getPort() > 65_535
                || root.getUserInfo() != null
                || !root.getRawAuthority().equals(address)) {
            throw notAnAddress(address);
        }
    }

    /** What the processor said. */
    public record Reply(int status, String body) {

        public boolean ok() {
            return status == 200;
        }
    }

    /** Asks. */
    public Reply get(String path) throws CommandFailedException {
        return send(HttpRequest.newBuilder(root.resolve(path)).GET());
    }

    Reply post(String path, Map<String, String> form) throws CommandFailedException {
        String body = form.entrySet().stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        return send(HttpRequest.newBuilder(root.resolve(path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private Reply send(HttpRequest.Builder request) throws CommandFailedException {
        try {
            var response = client.send(request.timeout(ANSWER_TIMEOUT).build(), BodyHandlers.ofString());
            return new Reply(response.statusCode(), response.body().stripTrailing());
        } catch (ConnectException e) {
            throw new CommandFailedException("nobody listens at " + address + "; is it a processor's admin port?");
        } catch (HttpTimeoutException e) {
            throw new CommandFailedException(address + " does not answer");
        } catch (IOException e) {
            throw new CommandFailedException(address + " does not answer as a processor does: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted");
        }
    }

    private static IllegalArgumentException notAnAddress(String address) {
        return new IllegalArgumentException("'" + address + "' is not HOST:PORT, such as 127.0.0.1:9090");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
