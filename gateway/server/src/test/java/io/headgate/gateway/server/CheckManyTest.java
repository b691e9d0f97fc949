package io.headgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several requests in one. */
@Timeout(60)
class CheckManyTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A server takes two seconds to close, so the tests share one; each has tenants of its own. */
    private static final FoldingLimiter LIMITER = new FoldingLimiter();

    private static final GatewayServer SERVER = Servers.start(Map.of(), LIMITER);

    @AfterEach
    void answerAsAlways() {
        LIMITER.answerAsAlways();
    }

    @AfterAll
    static void close() {
        SERVER.close();
    }

    private HttpResponse<String> check(String... checks) throws Exception {
        return Servers.check(SERVER.port(), "{\"checks\":[" + String.join(",", checks) + "]}");
    }

    private static JsonNode answers(HttpResponse<String> response) throws Exception {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JSON.readTree(response.body()).get("answers");
    }

    @Test
    void each_is_answered_in_order_with_the_status_the_fields_and_the_body_that_it_had_alone() throws Exception {
        JsonNode answers = answers(check(
                "{\"tenant\":\"atlas\",\"cost\":5}",
                "{\"tenant\":\"atlas\"}",
                "{\"tenant\":\"birch\",\"peek\":true}",
                "{\"ip\":\"203.0.113.7\"}"));

        assertThat(answers).hasSize(4);
        assertThat(answers.findValuesAsText("stage")).containsExactly("tenant", "tenant", "tenant", "ip");
        List<Integer> statuses = new ArrayList<>();
        answers.forEach(answer -> statuses.add(answer.get("status").intValue()));
        assertThat(statuses).containsExactly(200, 429, 200, 200);
        JsonNode denied = answers.get(1);
        assertThat(denied.get("headers")).isEqualTo(JSON.readTree("{\"retry-after\":\"4\"}"));
        assertThat(denied.get("body").get("denyingRule").textValue()).isEqualTo("P-TENANT");
        assertThat(denied.get("body").get("title").textValue()).isEqualTo("Quota exceeded");
        assertThat(answers.get(2).get("body").get("remaining").intValue()).isEqualTo(5);
    }

    @Test
    void one_in_a_list_is_answered_in_a_list() throws Exception {
        assertThat(answers(check("{\"tenant\":\"cedar\"}"))).hasSize(1);
    }

    @Test
    void each_has_an_idempotency_key_of_its_own() throws Exception {
        String keyed = "{\"tenant\":\"dahlia\",\"idempotencyKey\":\"order-1\"}";

        JsonNode answers = answers(check(keyed, keyed, keyed.replace("}", ",\"cost\":2}")));

        assertThat(answers.get(1).get("body").get("replayed").booleanValue()).isTrue();
        assertThat(answers.get(2).get("status").intValue()).isEqualTo(409);
    }

    @Test
    void what_nobody_decided_is_503_beside_what_somebody_did() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        LIMITER.answerInstead(ask -> asked.getAndIncrement() == 0
                ? CompletableFuture.<Answer>completedFuture(Unavailable.because(Cause.DEADLINE, "no answer in time"))
                : new FoldingLimiter().admit(ask));

        JsonNode answers = answers(check("{\"tenant\":\"atlas\"}", "{\"tenant\":\"atlas\"}"));

        assertThat(answers.get(0).get("status").intValue()).isEqualTo(503);
        assertThat(answers.get(0).get("headers").get("retry-after").textValue()).isEqualTo("1");
        assertThat(answers.get(1).get("status").intValue()).isEqualTo(200);
    }

    @Test
    void a_hundred_are_answered_and_a_hundred_and_one_refused() throws Exception {
        List<String> checks = new ArrayList<>(Collections.nCopies(100, "{\"tenant\":\"a\",\"cost\":0}"));
        assertThat(answers(check(checks.toArray(String[]::new)))).hasSize(100);
        checks.add("{\"tenant\":\"a\"}");

        HttpResponse<String> response = check(checks.toArray(String[]::new));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("checks has 101 elements; it must have 1 to 100");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"checks\":[]} | checks | checks has 0 elements; it must have 1 to 100",
                "{\"checks\":{}} | checks | checks is an object; it must be a list of objects",
                "{\"checks\":null} | checks | checks is null",
                "{\"checks\":[{\"tenant\":\"a\"}],\"tenant\":\"a\"} | tenant | there is a field 'tenant' beside checks",
                "{\"checks\":[{\"tenant\":\"a\"},7]} | checks[1] | checks[1]: it is a number; it must be a JSON object",
                "{\"checks\":[{\"tenant\":\"a\"},{}]} | checks[1] | checks[1]: there is no ip, no target, no tenant",
                "{\"checks\":[{\"tenant\":\"a\"},{\"tenant\":\"a\",\"cost\":-1}]} | checks[1].cost | checks[1]: ",
                "{\"checks\":[{\"checks\":[]}]} | checks[0].checks | there is no field 'checks'"
            })
    void a_mistake_in_one_is_named_and_none_is_asked(String body, String field, String detail) throws Exception {
        AtomicInteger asked = new AtomicInteger();
        LIMITER.answerInstead(ask -> {
            asked.incrementAndGet();
            return new CompletableFuture<>();
        });

        HttpResponse<String> response = Servers.check(SERVER.port(), body);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(JSON.readTree(response.body()).get("field").textValue()).isEqualTo(field);
        assertThat(JSON.readTree(response.body()).get("detail").textValue()).contains(detail);
        assertThat(asked).hasValue(0);
    }

    @Test
    void the_header_with_a_key_is_refused_for_it_does_not_say_whose_it_is() throws Exception {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        Servers.request(SERVER.port(), CheckService.PATH)
                                .header("content-type", "application/json")
                                .header("idempotency-key", "order-1")
                                .POST(BodyPublishers.ofString("{\"checks\":[{\"tenant\":\"a\"}]}"))
                                .build(),
                        BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("does not say which of the checks it is for");
    }
}
