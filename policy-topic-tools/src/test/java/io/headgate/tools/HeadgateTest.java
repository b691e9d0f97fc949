package io.headgate.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadgateTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void says_which_version_it_is() {
        assertThat(run("--version")).isZero();

        assertThat(text(out)).matches("headgate \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\n");
    }

    @Test
    void lists_its_commands_and_its_exit_codes() {
        assertThat(run("--help")).isZero();

        assertThat(text(out).lines().map(String::strip))
                .anyMatch(line -> line.startsWith("up  "))
                .anyMatch(line -> line.startsWith("replay  "))
                .anyMatch(line -> line.startsWith("bench  "))
                .anyMatch(line -> line.startsWith("evaluate  "))
                .anyMatch(line -> line.startsWith("tenant  "))
                .anyMatch(line -> line.startsWith("shard  "))
                .containsSubsequence("0   done", "1   failed or refused; stderr says why", "2   wrong usage");
        assertThat(text(err)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"evaluate", "shard list", "shard accept-loss"})
    void lists_the_exit_codes_of_each_command(String command) {
        assertThat(run((command + " --help").split(" "))).isZero();

        assertThat(text(out)).startsWith("Usage: headgate " + command + " [-h]").contains("\n  2   wrong usage\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "shard"})
    void shows_its_help_when_the_command_is_missing(String args) {
        assertThat(run(args.isEmpty() ? new String[0] : new String[] {args})).isEqualTo(2);

        assertThat(text(err)).startsWith("Usage: headgate").contains("Commands:");
    }

    @Test
    void lists_the_shards_of_a_processor() throws IOException {
        String shards = """
                [
                {"shard":3,"status":"READY","nextOffset":1042,"logTimeMillis":1431857103000,"policyVersion":43,"losses":0,"halted":null},
                {"shard":11,"status":"HALTED","nextOffset":7,"logTimeMillis":0,"policyVersion":0,"losses":2,"halted":"offset 9 is next"}
                ]
                """;
        try (Processor processor = new Processor(200, shards)) {
            assertThat(run("shard", "list", "--admin", processor.address())).isZero();
            assertThat(processor.requests).containsExactly("GET /shards ");
        }

        assertThat(text(out)).isEqualTo("""
                SHARD  STATUS      NEXT OFFSET  LOG TIME                  POLICY  LOSSES  HALTED BECAUSE
                    3  READY              1042  2015-05-17T10:05:03Z          43       0  -
                   11  HALTED                7  1970-01-01T00:00:00Z           0       2  offset 9 is next
                """);
    }

    @Test
    void passes_on_the_list_as_json() throws IOException {
        try (Processor processor = new Processor(200, "[\n\n]\n")) {
            assertThat(run("shard", "list", "--admin", processor.address(), "--output", "json"))
                    .isZero();
        }

        assertThat(text(out)).isEqualTo("[\n\n]\n");
    }

    @Test
    void says_that_an_answer_is_no_list_of_shards() throws IOException {
        try (Processor processor = new Processor(200, "<html>")) {
            assertThat(run("shard", "list", "--admin", processor.address())).isEqualTo(1);
        }

        assertThat(text(err)).isEqualTo("the processor's answer is not a list of shards: <html>\n");
    }

    @Test
    void lets_a_shard_go_on() throws IOException {
        try (Processor processor = new Processor(200, "shard 3 goes on at offset 7\n")) {
            assertThat(acceptLoss(processor.address(), "3")).isZero();
            assertThat(processor.requests)
                    .singleElement()
                    .asString()
                    .startsWith("POST /shards/3/accept-loss ")
                    .contains("author=Ann")
                    .contains("reason=disk+%26+backup+%C3%BC");
        }

        assertThat(text(out)).isEqualTo("shard 3 goes on at offset 7\n");
    }

    @Test
    void passes_on_why_a_shard_may_not_go_on() throws IOException {
        try (Processor processor = new Processor(409, "shard 3 has not stopped\n")) {
            assertThat(acceptLoss(processor.address(), "3")).isEqualTo(1);
        }

        assertThat(text(err)).isEqualTo("shard 3 has not stopped\n");
        assertThat(text(out)).isEmpty();
    }

    @Test
    void says_that_nobody_listens() throws IOException {
        String address;
        try (Processor processor = new Processor(200, "")) {
            address = processor.address();
        }

        assertThat(run("shard", "list", "--admin", address)).isEqualTo(1);

        assertThat(text(err)).isEqualTo("nobody listens at " + address + "; is it a processor's admin port?\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "localhost:", "localhost:0", "localhost:65536", "a b:1", "a:1/x", "u@a:1"})
    void takes_only_an_address_as_the_admin_port(String address) {
        assertThat(run("shard", "list", "--admin", address)).isEqualTo(2);

        assertThat(text(err))
                .isEqualTo("headgate shard list: Invalid value for --admin: '" + address
                        + "' is not HOST:PORT, such as 127.0.0.1:9090 (see headgate shard list --help)\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "10000", "x"})
    void takes_only_a_number_as_the_shard(String shard) {
        assertThat(acceptLoss("127.0.0.1:1", shard)).isEqualTo(2);

        assertThat(text(err)).startsWith("headgate shard accept-loss: Invalid value for ");
        assertThat(text(err).lines()).hasSize(1);
    }

    private int acceptLoss(String address, String shard) {
        return run(
                "shard",
                "accept-loss",
                "--admin",
                address,
                "--shard",
                shard,
                "--author",
                "Ann",
                "--reason",
                "disk & backup ü");
    }

    private int run(String... args) {
        return Headgate.run(args, out, err);
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }

    /** Answers every request alike and remembers it. */
    private static final class Processor implements AutoCloseable {

        private final HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        private final List<String> requests = new ArrayList<>();

        Processor(int status, String answer) throws IOException {
            server.createContext("/", exchange -> {
                try (exchange) {
                    requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                            + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                    byte[] body = answer.getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
                    exchange.getResponseBody().write(body);
                }
            });
            server.start();
        }

        String address() {
            return "127.0.0.1:" + server.getAddress().getPort();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
