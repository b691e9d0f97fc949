package io.headgate.tools.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.headgate.tools.Desk;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShadowCommandTest {

    private final Desk desk = new Desk();
    private final List<HttpServer> processors = new ArrayList<>();

    @AfterEach
    void stop() {
        processors.forEach(processor -> processor.stop(0));
    }

    @Test
    void sums_over_processors_and_compares_with_what_was_expected() throws Exception {
        String one = processor(200, """
                {"sinceMillis": 2000, "notTallied": 0, "rules": [
                  {"rule": "TIGHT", "asked": 900, "denied": 20, "expectedDenyPermille": 25, "missed": 0,
                   "untilMillis": 1000, "keys": [{"key": "atlas", "denied": 15}, {"key": "birch", "denied": 5}]}]}
                """);
        String two = processor(200, """
                {"sinceMillis": 1000, "notTallied": 3, "rules": [
                  {"rule": "TIGHT", "asked": 100, "denied": 6, "expectedDenyPermille": 25, "missed": 2,
                   "untilMillis": 1000, "keys": [{"key": "birch", "denied": 6}]},
                  {"rule": "OPEN", "asked": 10, "denied": 10, "missed": 0, "keys": []}]}
                """);

        assertThat(shadow("--admin", one, "--admin", two)).as(desk.err()).isZero();

        assertThat(desk.out())
                .contains("since 1970-01-01T00:00:01Z")
                .containsPattern("TIGHT +1000 +26 +2.6 % +2.5 % +1970-01-01T00:00:01Z +more than expected, ended")
                .containsPattern(" 15  atlas\\n +11  birch")
                .contains("a count may be up to 2 too low")
                .containsPattern("OPEN +10 +10 +100.0 % +- +- ")
                .contains("3 requests were seen by further rules");

        assertThat(shadow("--admin", one, "--output", "json", "--keys", "1")).isZero();
        JsonNode rule = new ObjectMapper().readTree(desk.out()).path("rules").get(0);
        assertThat(rule.path("standing").asText()).isEqualTo("within");
        assertThat(rule.path("deniedPermille").asLong()).isEqualTo(22);
        assertThat(rule.path("keys")).hasSize(1);

        assertThat(shadow("--admin", one, "--check")).isZero();
        assertThat(shadow("--admin", one, two, "--check")).isEqualTo(1);
        assertThat(desk.err()).contains("would have denied more than expected: [TIGHT]");
    }

    @Test
    void what_is_no_tally_is_refused_with_a_reason() throws Exception {
        for (String body : List.of("", "[]", "{}", "not json", "{\"sinceMillis\": 1, \"rules\": {}}")) {
            assertThat(shadow("--admin", processor(200, body))).as(body).isEqualTo(1);
            assertThat(desk.err()).contains("is no tally of rules in shadow");
        }
        assertThat(shadow("--admin", processor(404, "there are others"))).isEqualTo(1);
        assertThat(desk.err()).contains("answers 404: there are others");
        String good = processor(200, "{\"sinceMillis\": 1, \"rules\": []}");
        assertThat(shadow("--admin", good)).isZero();
        assertThat(desk.out()).contains("no rule in shadow was asked since");
        assertThat(shadow("--admin", good, "--admin", good)).isEqualTo(2);
        assertThat(desk.err()).contains("is named twice");
        assertThat(shadow("--admin", good, "--keys", "51")).isEqualTo(2);
        assertThat(shadow("--admin", "nonsense")).isEqualTo(2);
        assertThat(shadow()).isEqualTo(2);
    }

    private String processor(int status, String body) throws IOException {
        HttpServer processor = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        processor.createContext("/", exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(
                    exchange.getRequestURI().getPath().equals("/shadow") ? status : 500,
                    bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        processor.start();
        processors.add(processor);
        return "127.0.0.1:" + processor.getAddress().getPort();
    }

    private int shadow(String... args) {
        String[] all = new String[args.length + 2];
        all[0] = "policy";
        all[1] = "shadow";
        System.arraycopy(args, 0, all, 2, args.length);
        return desk.run(all);
    }
}
