package io.headgate.gateway.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.policy.Responses;
import io.headgate.core.policy.Responses.Audience;
import io.headgate.core.policy.Responses.Header;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.HeadgateClient;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.testing.FoldingLimiter;
import io.headgate.gateway.servlet.HeadgateFilter;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

class HeadgateStarterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final FoldingLimiter limiter = new FoldingLimiter(
            new Responses(EnumSet.of(Header.RETRY_AFTER, Header.RATELIMIT_DRAFT10), Audience.EVERYBODY, 0, 0));
    private final HttpClient http = HttpClient.newHttpClient();

    private ConfigurableApplicationContext shop() {
        return new SpringApplicationBuilder(ShopApplication.class)
                .initializers(
                        context -> ((GenericApplicationContext) context).registerBean(Limiter.class, () -> limiter))
                .properties(Map.of(
                        "server.port", "0",
                        "server.address", "127.0.0.1",
                        "management.endpoint.health.show-components", "always",
                        "headgate.unavailable-retry-after", "3s"))
                .run();
    }

    private HttpResponse<String> get(ConfigurableApplicationContext shop, String path) throws Exception {
        String port = shop.getEnvironment().getProperty("local.server.port");
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(PATIENCE)
                        .build(),
                BodyHandlers.ofString());
    }

    @Test
    void an_application_says_429_with_the_headers_when_its_budget_is_spent() throws Exception {
        try (ConfigurableApplicationContext shop = shop()) {
            for (int i = 0; i < 5; i++) {
                HttpResponse<String> served = get(shop, "/catalog");
                assertThat(served.statusCode()).isEqualTo(200);
                assertThat(served.body()).isEqualTo("served");
                assertThat(served.headers().firstValue("RateLimit").orElseThrow())
                        .startsWith("\"P-TENANT\";r=" + (4 - i));
            }

            HttpResponse<String> denied = get(shop, "/catalog");

            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.headers().firstValue("Retry-After")).hasValue("4");
            assertThat(denied.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"P-TENANT\";r=0");
            assertThat(denied.headers().firstValue("RateLimit-Policy").orElseThrow())
                    .startsWith("\"P-TENANT\";q=5");
            assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        }
    }

    @Test
    void where_nobody_could_decide_it_says_503_and_stays_alive() throws Exception {
        try (ConfigurableApplicationContext shop = shop()) {
            Answer undecided = Unavailable.because(Cause.DEADLINE, "no answer within 1000 ms");
            limiter.answerInstead(ask -> CompletableFuture.supplyAsync(
                    () -> undecided, CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS)));

            HttpResponse<String> unavailable = get(shop, "/catalog");

            assertThat(unavailable.statusCode()).isEqualTo(503);
            assertThat(unavailable.headers().firstValue("Retry-After")).hasValue("3");
            assertThat(get(shop, "/actuator/health").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void its_health_is_whether_it_makes_sense_to_ask() throws Exception {
        try (ConfigurableApplicationContext shop = shop()) {
            assertThat(get(shop, "/actuator/health").body()).contains("\"headgate\":{\"status\":\"UP\"}");

            limiter.ready = false;

            HttpResponse<String> down = get(shop, "/actuator/health");
            assertThat(down.statusCode()).isEqualTo(503);
            assertThat(down.body()).contains("\"headgate\":{\"status\":\"DOWN\"}");
        }
    }

    private WebApplicationContextRunner runner() {
        return new WebApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(HeadgateAutoConfiguration.class, HeadgateServletAutoConfiguration.class));
    }

    @Test
    void a_setting_that_the_client_does_not_have_is_refused_by_name() {
        runner().withPropertyValues("headgate.tenant=shop", "headgate.client.bootstrap.server=127.0.0.1:1")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessage("there is no setting 'bootstrap.server'; the closest is 'bootstrap.servers'"));
    }

    /** Nobody listens on port 1. */
    @Test
    void settings_reach_the_client_and_brokers_that_are_not_there_end_the_start() {
        runner().withPropertyValues(
                        "headgate.tenant=shop",
                        "headgate.client.bootstrap.servers=127.0.0.1:1",
                        "headgate.client.start.timeout.ms=1000",
                        "headgate.client.policies.unsigned=allow",
                        "headgate.client.pseudonym.secret=" + "ab".repeat(32))
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("ClientStartException")
                        .hasMessageNotContaining("abab"));
    }

    @Test
    void a_secret_is_not_shown_with_the_properties() {
        HeadgateProperties properties =
                new HeadgateProperties(true, Map.of("pseudonym.secret", "abab"), "shop", true, PATIENCE);

        assertThat(properties.toString()).contains("pseudonym.secret").doesNotContain("abab");
    }

    @Test
    void without_a_tenant_it_says_what_would_do() {
        runner().withBean(Limiter.class, () -> limiter)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageStartingWith("headgate.tenant is blank; name the account"));
    }

    @Test
    void switched_off_there_is_no_filter_and_no_client() {
        runner().withPropertyValues("headgate.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(HeadgateClient.class)
                        .doesNotHaveBean(FilterRegistrationBean.class));
        runner().withBean(Limiter.class, () -> limiter)
                .withPropertyValues("headgate.filter=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(FilterRegistrationBean.class));
    }

    @Test
    void the_filter_is_the_last_and_sees_what_was_put_aside() {
        runner().withBean(Limiter.class, () -> limiter)
                .withPropertyValues("headgate.tenant=shop")
                .run(context -> {
                    FilterRegistrationBean<?> filter = context.getBean(FilterRegistrationBean.class);
                    assertThat(filter.getFilter()).isInstanceOf(HeadgateFilter.class);
                    assertThat(filter.getOrder()).isEqualTo(Integer.MAX_VALUE);
                    assertThat(filter.isAsyncSupported()).isTrue();
                });
    }

    @Test
    void every_property_is_described_for_editors() throws IOException {
        try (InputStream metadata =
                HeadgateProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            String json = new String(metadata.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(json)
                    .contains(
                            "\"headgate.enabled\"", "\"headgate.client\"", "\"headgate.tenant\"", "\"headgate.filter\"")
                    .contains("Settings of the client by their names");
        }
    }
}
