package io.headgate.processor;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.headgate.core.decision.Identity;
import io.headgate.core.shard.Account;
import io.headgate.core.shard.Partitioning;
import io.headgate.core.shard.ShardSettings;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The admin port: {@code GET /healthz/live}, {@code /healthz/ready}, {@code /metrics}, {@code /shadow}, {@code /shards}, {@code
 * /shards/N/accounts/PARTITION-KEY} with the key percent-encoded, and {@code POST /shards/N/accept-loss} with a form
 * {@code author=…&reason=…}.
 */
final class AdminServer implements AutoCloseable {

    private static final Pattern ACCEPT_LOSS = Pattern.compile("/shards/(\\d{1,5})/accept-loss");

    private static final Pattern ACCOUNT = Pattern.compile("/shards/(\\d{1,5})/accounts/(.+)", Pattern.DOTALL);

    /** Accept-loss may hold a few of them for ten seconds, and health must still answer. */
    private static final int THREADS = 8;

    /** So many questions about accounts may wait for a stream thread at once. */
    private static final int MAX_INQUIRIES = 4;

    /** A prefix and the longest name. */
    private static final int MAX_PARTITION_KEY = Identity.MAX_LENGTH + 16;

    private static final long ACCOUNT_TIMEOUT_MILLIS = 5_000;

    private static final int MAX_BODY = 8_192;
    private static final long ACCEPT_TIMEOUT_MILLIS = 10_000;

    /** Both are kept in the shard's header, which is written with every record. */
    private static final int MAX_AUTHOR = 256;

    private static final int MAX_REASON = 1_024;

    private final OwnedShards shards;
    private final BooleanSupplier live;
    private final BooleanSupplier ready;
    private final PrometheusMeterRegistry metrics;
    private final ShadowTally shadow;
    private final HttpServer server;
    private final Semaphore inquiries = new Semaphore(MAX_INQUIRIES);
    private final ExecutorService executor = Executors.newFixedThreadPool(THREADS, task -> {
        Thread thread = new Thread(task, "headgate-admin");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Opens the port.
     *
     * @throws IOException if it is taken
     */
    AdminServer(
            InetSocketAddress address,
            OwnedShards shards,
            BooleanSupplier live,
            BooleanSupplier ready,
            PrometheusMeterRegistry metrics,
            ShadowTally shadow)
            throws IOException {
        this.shards = shards;
        this.live = live;
        this.ready = ready;
        this.metrics = metrics;
        this.shadow = shadow;
        this.server = HttpServer.create(address, 16);
        server.createContext("/", this::handle);
        server.setExecutor(executor);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }

    /** A status, a content type and a body. */
    private record Answer(int status, String type, String body) {

        static Answer text(int status, String body) {
            return new Answer(status, "text/plain; charset=utf-8", body + "\n");
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Answer answer = answer(exchange);
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", answer.type());
            exchange.sendResponseHeaders(answer.status(), body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private Answer answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        Matcher acceptLoss = ACCEPT_LOSS.matcher(path);
        if (acceptLoss.matches()) {
            if (exchange.getRequestHeaders().containsKey("Origin")) {
                return Answer.text(403, "a page in a browser may not do this");
            }
            return exchange.getRequestMethod().equals("POST")
                    ? acceptLoss(Integer.parseInt(acceptLoss.group(1)), exchange)
                    : Answer.text(405, "use POST");
        }
        if (!exchange.getRequestMethod().equals("GET")) {
            return Answer.text(405, "use GET");
        }
        Matcher account = ACCOUNT.matcher(path);
        if (account.matches()) {
            return account(Integer.parseInt(account.group(1)), account.group(2));
        }
        return switch (path) {
            case "/healthz/live" -> health(live);
            case "/healthz/ready" -> health(ready);
            case "/metrics" -> new Answer(200, "text/plain; version=0.0.4; charset=utf-8", metrics.scrape());
            case "/shadow" -> new Answer(200, "application/json", shadow.json().toPrettyString() + "\n");
            case "/shards" -> new Answer(200, "application/json", describeShards());
            default ->
                Answer.text(
                        404,
                        "there are /healthz/live, /healthz/ready, /metrics, /shadow, /shards and"
                                + " /shards/N/accounts/PARTITION-KEY");
        };
    }

    private static Answer health(BooleanSupplier healthy) {
        return healthy.getAsBoolean() ? Answer.text(200, "ok") : Answer.text(503, "not ok");
    }

    private Answer acceptLoss(int number, HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY);
        Properties form;
        try {
            form = Forms.parse(new String(body, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException badlyEncoded) {
            return Answer.text(400, "the form cannot be read: " + badlyEncoded.getMessage());
        }
        String author = form.getProperty("author", "").strip();
        String reason = form.getProperty("reason", "").strip();
        if (author.isEmpty() || reason.isEmpty()) {
            return Answer.text(400, "author and reason are needed");
        }
        if (author.length() > MAX_AUTHOR || reason.length() > MAX_REASON) {
            return Answer.text(
                    400,
                    "author has " + author.length() + " characters and reason " + reason.length() + "; at most "
                            + MAX_AUTHOR + " and " + MAX_REASON + " are kept");
        }
        Optional<OwnedShard> shard = shards.find(number);
        if (shard.isEmpty()) {
            return Answer.text(404, "shard " + number + " is not owned by this process; ask its owner");
        }
        try {
            long offset = shard.get().acceptLoss(author, reason, ACCEPT_TIMEOUT_MILLIS);
            return Answer.text(200, "shard " + number + " goes on at offset " + offset);
        } catch (IllegalStateException notHalted) {
            return Answer.text(409, notHalted.getMessage());
        } catch (TimeoutException nothingCame) {
            return Answer.text(504, "no record came for shard " + number + " to go on with; try again");
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return Answer.text(503, "stopping");
        }
    }

    private Answer account(int number, String partitionKey) {
        if (partitionKey.length() > MAX_PARTITION_KEY) {
            return Answer.text(
                    400,
                    "partition key has " + partitionKey.length() + " characters; none has more than "
                            + MAX_PARTITION_KEY);
        }
        Optional<OwnedShard> shard = shards.find(number);
        if (shard.isEmpty()) {
            return Answer.text(404, "shard " + number + " is not owned by this process; ask its owner");
        }
        Optional<String> elsewhere = elsewhere(shard.get(), partitionKey);
        if (elsewhere.isPresent()) {
            return Answer.text(404, elsewhere.get());
        }
        if (!inquiries.tryAcquire()) {
            return Answer.text(503, MAX_INQUIRIES + " others are asking already; try again");
        }
        try {
            Account account = shard.get().account(partitionKey, ACCOUNT_TIMEOUT_MILLIS);
            return new Answer(
                    200, "application/json", AccountJson.of(number, account).toPrettyString() + "\n");
        } catch (TimeoutException nothingCame) {
            return Answer.text(503, "shard " + number + " did not say in time; try again");
        } catch (IllegalStateException failed) {
            return Answer.text(500, "shard " + number + " cannot say: " + failed.getMessage());
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return Answer.text(503, "stopping");
        } finally {
            inquiries.release();
        }
    }

    private static Optional<String> elsewhere(OwnedShard shard, String partitionKey) {
        return shard.view().settings().map(ShardSettings::shards).flatMap(count -> {
            int home = Partitioning.shardOf(partitionKey, count);
            return home == shard.number()
                    ? Optional.empty()
                    : Optional.of(
                            "the key belongs to shard " + home + " of " + count + ", not to shard " + shard.number());
        });
    }

    private String describeShards() {
        return shards.all().stream().map(AdminServer::describe).collect(Collectors.joining(",\n", "[\n", "\n]\n"));
    }

    private static String describe(OwnedShard shard) {
        return "{\"shard\":%d,\"status\":\"%s\",\"nextOffset\":%d,\"logTimeMillis\":%d,\"policyVersion\":%d,\"losses\":%d,\"halted\":%s}"
                .formatted(
                        shard.number(),
                        shard.halted().isPresent() ? "HALTED" : shard.ready() ? "READY" : "NOT_READY",
                        shard.view().nextOffset(),
                        shard.view().logTimeMillis(),
                        shard.view().policyVersion(),
                        shard.view().losses().size(),
                        shard.halted().map(reason -> "\"" + reason + "\"").orElse("null"));
    }
}
