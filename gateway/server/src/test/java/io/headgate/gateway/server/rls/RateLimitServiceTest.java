package io.headgate.gateway.server.rls;

import static io.headgate.gateway.server.rls.Envoy.descriptor;
import static io.headgate.gateway.server.rls.Envoy.request;
import static io.headgate.gateway.server.rls.Envoy.withHits;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Value;
import io.grpc.Status;
import io.headgate.envoy.config.core.v3.HeaderValue;
import io.headgate.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.headgate.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import io.headgate.envoy.service.ratelimit.v3.RateLimitRequest;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.headgate.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.headgate.envoy.type.v3.RateLimitUnit;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.server.GatewayServer;
import io.headgate.gateway.server.ServerSettings;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Envoy's protocol over a real channel to a real server; behind it a shard that really folds. */
@Timeout(120)
class RateLimitServiceTest {

    private static final String SHOP = "shop";
    private static final AtomicReference<Limiter> LIMITER = new AtomicReference<>();
    private static final PrometheusMeterRegistry REGISTRY = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private static final GatewayServer SERVER = GatewayServer.start(
            new ServerSettings(Map.of(
                    ServerSettings.PORT,
                    "0",
                    ServerSettings.ADMIN_PORT,
                    "0",
                    ServerSettings.DRAIN_QUIET_MS,
                    "0",
                    "rls.keys.user",
                    "account",
                    "rls.keys.tenant",
                    "customer",
                    RlsSettings.DEADLINE_MS,
                    "10000")),
            new Delegate(LIMITER::get),
            REGISTRY);
    private static final Envoy ENVOY = new Envoy(SERVER.port());

    private final ShardLimiter limiter = ShardLimiter.under(ShopPolicy.SPEC);

    @BeforeEach
    void useOwnLimiter() {
        LIMITER.set(limiter);
    }

    @AfterAll
    static void close() {
        ENVOY.close();
        SERVER.close();
    }

    private static double counted(String name, String... tags) {
        return REGISTRY.get(name).tags(tags).counter().count();
    }

    private static DescriptorStatus only(RateLimitResponse response) {
        assertThat(response.getStatusesCount()).isEqualTo(1);
        return response.getStatuses(0);
    }

    private static String metadata(RateLimitResponse response, String name) {
        return response.getDynamicMetadata()
                .getFieldsOrDefault(name, Value.getDefaultInstance())
                .getStringValue();
    }

    private static Map<String, String> headers(RateLimitResponse response) {
        return response.getResponseHeadersToAddList().stream()
                .collect(Collectors.toMap(HeaderValue::getKey, HeaderValue::getValue));
    }

    // ---- fields of a request

    @Test
    void a_descriptor_is_counted_until_its_limit() {
        for (int left = 2; left >= 0; left--) {
            RateLimitResponse response = ENVOY.ask(request(SHOP, descriptor("path", "/a")));

            assertThat(response.getOverallCode()).isEqualTo(Code.OK);
            assertThat(only(response).getCode()).isEqualTo(Code.OK);
            assertThat(only(response).getLimitRemaining()).isEqualTo(left);
        }

        RateLimitResponse response = ENVOY.ask(request(SHOP, descriptor("path", "/a")));

        assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(only(response).getCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(only(response).getLimitRemaining()).isZero();
        assertThat(ENVOY.ask(request(SHOP, descriptor("path", "/b"))).getOverallCode())
                .isEqualTo(Code.OK);
    }

    @Test
    void hits_that_are_not_given_are_one_and_those_of_the_request_go_for_each_descriptor() {
        assertThat(only(ENVOY.ask(request(SHOP, descriptor("ten", "x")).setHitsAddend(0)))
                        .getLimitRemaining())
                .isEqualTo(9);

        RateLimitResponse response = ENVOY.ask(
                request(SHOP, descriptor("ten", "x"), descriptor("ten", "y")).setHitsAddend(4));

        assertThat(response.getStatusesList())
                .extracting(DescriptorStatus::getLimitRemaining)
                .containsExactly(5, 6);
    }

    @Test
    void hits_of_a_descriptor_go_before_those_of_the_request() {
        RateLimitResponse response =
                ENVOY.ask(request(SHOP, withHits(7, descriptor("ten", "x")), descriptor("ten", "y"))
                        .setHitsAddend(2));

        assertThat(response.getStatusesList())
                .extracting(DescriptorStatus::getLimitRemaining)
                .containsExactly(3, 8);
    }

    @Test
    void no_hits_of_a_descriptor_only_check() {
        for (int i = 0; i < 3; i++) {
            RateLimitResponse look = ENVOY.ask(
                    request(SHOP, withHits(0, descriptor("path", "/a"))).setHitsAddend(2));
            assertThat(look.getOverallCode()).isEqualTo(Code.OK);
            assertThat(only(look).getLimitRemaining()).isEqualTo(3);
        }

        ENVOY.ask(request(SHOP, descriptor("path", "/a")).setHitsAddend(3));
        RateLimitResponse look = ENVOY.ask(request(SHOP, withHits(0, descriptor("path", "/a"))));

        assertThat(look.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(only(look).getLimitRemaining()).isZero();
    }

    @Test
    void a_check_beside_a_charge_refuses_the_request_and_then_nothing_is_charged() {
        ENVOY.ask(request(SHOP, descriptor("path", "/hot")));

        RateLimitResponse refused =
                ENVOY.ask(request(SHOP, withHits(0, descriptor("path", "/hot")), descriptor("ten", "x")));
        RateLimitResponse look = ENVOY.ask(request(SHOP, withHits(0, descriptor("ten", "x"))));

        assertThat(refused.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(refused.getStatusesList())
                .extracting(DescriptorStatus::getCode)
                .containsExactly(Code.OVER_LIMIT, Code.OK);
        assertThat(only(look).getLimitRemaining()).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({"4294967295", "1000000000001", "9223372036854775807", "-1"})
    void more_hits_than_any_limit_has_are_over_it_and_never_wrap_around(long hits) {
        RateLimitResponse response = ENVOY.ask(request(SHOP, withHits(hits, descriptor("ten", "x"))));

        assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(only(response).getLimitRemaining()).isEqualTo(10);
    }

    @Test
    void hits_of_the_request_are_unsigned() {
        RateLimitResponse response =
                ENVOY.ask(request(SHOP, descriptor("ten", "x")).setHitsAddend(-1));

        assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    }

    @Test
    void hits_are_not_given_back_and_the_whole_request_says_so_before_anything_is_counted() {
        double before = counted("ratelimit.rls.requests", "outcome", "unimplemented");

        Status status = ENVOY.refused(
                request(SHOP, descriptor("ten", "x"), descriptor("ten", "x").setIsNegativeHits(true)));

        assertThat(status.getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
        assertThat(status.getDescription()).contains("descriptors[1].is_negative_hits is true");
        assertThat(limiter.asked()).isEmpty();
        assertThat(counted("ratelimit.rls.requests", "outcome", "unimplemented"))
                .isEqualTo(before + 1);
    }

    @Test
    void a_limit_that_a_descriptor_brings_along_counts_for_nothing_and_is_counted() {
        double before = counted("ratelimit.rls.overrides.ignored");
        RateLimitDescriptor.Builder descriptor = descriptor("path", "/a")
                .setLimit(
                        RateLimitOverride.newBuilder().setRequestsPerUnit(1_000).setUnit(RateLimitUnit.DAY));

        RateLimitResponse response = ENVOY.ask(request(SHOP, descriptor));

        assertThat(only(response).getCurrentLimit().getRequestsPerUnit()).isEqualTo(3);
        assertThat(only(response).getCurrentLimit().getUnit()).isEqualTo(Unit.MINUTE);
        assertThat(counted("ratelimit.rls.overrides.ignored")).isEqualTo(before + 1);
    }

    // ---- what is answered

    @Test
    void an_unknown_domain_passes_without_a_limit_and_is_counted() {
        double before = counted("ratelimit.rls.unknown.domains");

        RateLimitResponse response = ENVOY.ask(request("elsewhere", descriptor("path", "/a"), descriptor("b", "c")));

        assertThat(response.getOverallCode()).isEqualTo(Code.OK);
        assertThat(response.getStatusesList())
                .hasSize(2)
                .allSatisfy(status -> assertThat(status)
                        .isEqualTo(
                                DescriptorStatus.newBuilder().setCode(Code.OK).build()));
        assertThat(counted("ratelimit.rls.unknown.domains")).isEqualTo(before + 1);
    }

    @ParameterizedTest
    @CsvSource({"nobody,x,,", "a,x,,", "path,/a,more,x", "plan,gold,,"})
    void a_descriptor_that_no_rule_speaks_of_passes_without_a_limit(
            String key, String value, String more, String next) {
        double before = counted("ratelimit.rls.unknown.domains");
        RateLimitDescriptor.Builder descriptor =
                more == null ? descriptor(key, value) : descriptor(key, value, more, next);

        RateLimitResponse response = ENVOY.ask(request(SHOP, descriptor));

        assertThat(response.getOverallCode()).isEqualTo(Code.OK);
        assertThat(only(response))
                .isEqualTo(DescriptorStatus.newBuilder().setCode(Code.OK).build());
        assertThat(counted("ratelimit.rls.unknown.domains")).isEqualTo(before);
    }

    @Test
    void an_empty_domain_is_an_error() {
        Status status = ENVOY.refused(request("", descriptor("path", "/a")));

        assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(status.getDescription()).isEqualTo("domain is blank; it must say what is limited");
    }

    @Test
    void a_request_without_descriptors_is_an_error_and_both_mistakes_are_told_at_once() {
        assertThat(ENVOY.refused(request(SHOP)).getDescription())
                .isEqualTo("descriptors has 0 elements; it must have 1 to 64");
        assertThat(ENVOY.refused(request("")).getDescription()).contains("domain is blank", "descriptors has 0");
    }

    @Test
    void as_many_descriptors_as_there_may_be_are_answered_and_one_more_is_an_error() {
        RateLimitRequest.Builder request = request("elsewhere");
        IntStream.range(0, DescriptorReader.MAX_DESCRIPTORS)
                .forEach(i -> request.addDescriptors(descriptor("k", "v" + i)));
        assertThat(ENVOY.ask(request).getStatusesCount()).isEqualTo(64);

        Status status = ENVOY.refused(request.addDescriptors(descriptor("k", "more")));

        assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(status.getDescription()).contains("has 65 elements", "1 to 64");
    }

    @Test
    void every_descriptor_that_cannot_be_asked_is_told_of_and_no_value_is_repeated() {
        RateLimitDescriptor.Builder many = RateLimitDescriptor.newBuilder();
        IntStream.range(0, 32)
                .forEach(i -> many.addEntriesBuilder().setKey("k" + i).setValue("v"));

        Status status = ENVOY.refused(request(
                SHOP,
                descriptor("", "secret-value"),
                RateLimitDescriptor.newBuilder(),
                many,
                descriptor("remote_address", "secret-value"),
                descriptor("account", "secret-value", "account", "secret-other"),
                descriptor("path", "/fine")));

        assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(status.getDescription())
                .contains(
                        "descriptors[0]: the key of an entry is empty",
                        "descriptors[1]: descriptor has 0 entries; it must have 1 to 31",
                        "descriptors[2]: descriptor has 32 entries",
                        "descriptors[3]: ip is",
                        "descriptors[4]: two entries say different things of who asks; key account is the second")
                .doesNotContain("secret", "descriptors[5]");
        assertThat(limiter.asked()).isEmpty();
    }

    @Test
    void before_a_policy_is_known_there_is_an_error() {
        LIMITER.set(new ShardLimiter());

        Status status = ENVOY.refused(request(SHOP, descriptor("path", "/a")));

        assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(status.getDescription()).isEqualTo("no policy is known yet");
    }

    @Test
    void unlimited_has_as_much_left_as_the_protocol_has_room_for() {
        RateLimitResponse response = ENVOY.ask(request(SHOP, descriptor("plan", "free")));

        assertThat(response.getOverallCode()).isEqualTo(Code.OK);
        assertThat(only(response).hasCurrentLimit()).isFalse();
        assertThat(Integer.toUnsignedLong(only(response).getLimitRemaining())).isEqualTo(4_294_967_295L);
    }

    @Test
    void one_descriptor_over_its_limit_refuses_the_request_and_the_others_are_not_charged() {
        ENVOY.ask(request(SHOP, descriptor("path", "/hot")));

        for (int i = 0; i < 5; i++) {
            RateLimitResponse response = ENVOY.ask(
                    request(SHOP, descriptor("path", "/a"), descriptor("path", "/hot"), descriptor("ten", "x")));

            assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
            assertThat(response.getStatusesList())
                    .extracting(DescriptorStatus::getCode)
                    .containsExactly(Code.OK, Code.OVER_LIMIT, Code.OK);
            assertThat(response.getStatusesList())
                    .extracting(DescriptorStatus::getLimitRemaining)
                    .containsExactly(3, 0, 10);
        }
    }

    @Test
    void a_denied_request_does_not_count() {
        ENVOY.ask(request(SHOP, descriptor("ten", "x")).setHitsAddend(8));
        for (int i = 0; i < 5; i++) {
            assertThat(ENVOY.ask(request(SHOP, descriptor("ten", "x")).setHitsAddend(3))
                            .getOverallCode())
                    .isEqualTo(Code.OVER_LIMIT);
        }

        RateLimitResponse smaller =
                ENVOY.ask(request(SHOP, descriptor("ten", "x")).setHitsAddend(2));

        assertThat(smaller.getOverallCode()).isEqualTo(Code.OK);
    }

    @Test
    void a_shadow_rule_denies_nothing_and_the_metadata_say_that_it_would_have() {
        RateLimitResponse shadowed = ENVOY.ask(request(SHOP, descriptor("trial", "x")));
        RateLimitResponse other = ENVOY.ask(request(SHOP, descriptor("path", "/a")));

        assertThat(shadowed.getOverallCode()).isEqualTo(Code.OK);
        assertThat(shadowed.getDynamicMetadata()
                        .getFieldsOrThrow("shadow_would_deny")
                        .getBoolValue())
                .isTrue();
        assertThat(other.getDynamicMetadata()
                        .getFieldsOrThrow("shadow_would_deny")
                        .getBoolValue())
                .isFalse();
    }

    @Test
    void an_exact_value_goes_before_its_key_alone() {
        assertThat(only(ENVOY.ask(request(SHOP, descriptor("path", "/hot"))))
                        .getCurrentLimit()
                        .getRequestsPerUnit())
                .isEqualTo(1);
        assertThat(only(ENVOY.ask(request(SHOP, descriptor("path", "/cold"))))
                        .getCurrentLimit()
                        .getRequestsPerUnit())
                .isEqualTo(3);
    }

    @Test
    void nothing_is_allowed_where_the_limit_is_none() {
        RateLimitResponse response = ENVOY.ask(request(SHOP, descriptor("zero", "out")));

        assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(only(response).getCurrentLimit().getRequestsPerUnit()).isZero();
        assertThat(headers(response)).as("no wait would do").doesNotContainKey("Retry-After");
    }

    // ---- limits and waits

    @ParameterizedTest
    @CsvSource({
        "path,/a,3,MINUTE,path",
        "ten,x,10,UNKNOWN,ten",
        "bucket,x,5,UNKNOWN,bucket",
        "account,ann,4,DAY,account"
    })
    void a_limit_has_a_unit_only_where_it_holds_for_exactly_that(
            String key, String value, int requests, Unit unit, String name) {
        DescriptorStatus status = only(ENVOY.ask(request(SHOP, descriptor(key, value))));

        assertThat(status.getCurrentLimit().getRequestsPerUnit()).isEqualTo(requests);
        assertThat(status.getCurrentLimit().getUnit()).isEqualTo(unit);
        assertThat(status.getCurrentLimit().getName()).isEqualTo(name);
    }

    @Test
    void the_time_until_a_window_ends_is_told_to_the_millisecond_in_whole_seconds_rounded_up_in_the_header() {
        limiter.pass(17_250);
        ENVOY.ask(request(SHOP, descriptor("path", "/hot")));

        RateLimitResponse denied = ENVOY.ask(request(SHOP, descriptor("path", "/hot")));

        Duration left = only(denied).getDurationUntilReset();
        assertThat(left.getNanos()).isEqualTo(750_000_000);
        assertThat(headers(denied)).containsEntry("Retry-After", Long.toString(left.getSeconds() + 1));
    }

    @Test
    void a_bucket_tells_when_the_same_request_fits() {
        ENVOY.ask(request(SHOP, descriptor("bucket", "x")).setHitsAddend(5));

        RateLimitResponse denied =
                ENVOY.ask(request(SHOP, descriptor("bucket", "x")).setHitsAddend(2));

        assertThat(only(denied).getDurationUntilReset())
                .isEqualTo(Duration.newBuilder().setSeconds(2).build());
    }

    @Test
    void our_own_headers_come_along() {
        RateLimitResponse allowed = ENVOY.ask(request(SHOP, descriptor("ten", "x")));

        assertThat(headers(allowed))
                .containsEntry("RateLimit-Policy", "\"ten\";q=10;w=10")
                .containsEntry("RateLimit", "\"ten\";r=9;t=10")
                .doesNotContainKey("Retry-After");
    }

    @Test
    void headers_and_metadata_tell_of_the_descriptor_with_the_least_left_or_the_longest_wait() {
        RateLimitResponse allowed =
                ENVOY.ask(request(SHOP, descriptor("ten", "x"), descriptor("path", "/hot"), descriptor("path", "/a")));
        assertThat(metadata(allowed, "rule")).isEqualTo("hot");
        assertThat(headers(allowed).get("RateLimit")).startsWith("\"hot\";r=0");

        ENVOY.ask(request(SHOP, descriptor("ten", "x")).setHitsAddend(9));
        RateLimitResponse denied =
                ENVOY.ask(request(SHOP, descriptor("ten", "x"), descriptor("path", "/hot"), descriptor("path", "/a")));

        assertThat(metadata(denied, "rule")).isEqualTo("hot");
        assertThat(denied.getStatusesList())
                .extracting(DescriptorStatus::getCode)
                .containsExactly(Code.OVER_LIMIT, Code.OVER_LIMIT, Code.OK);
    }

    @Test
    void metadata_name_the_decision_the_version_and_the_rule() {
        RateLimitResponse response = ENVOY.ask(request(SHOP, descriptor("remote_address", "192.0.2.7")));

        assertThat(metadata(response, "decision_id")).matches("0-\\d+-0");
        assertThat(metadata(response, "policy_version")).isEqualTo("1");
        assertThat(response.getDynamicMetadata()
                        .getFieldsOrThrow("decision_ids")
                        .getListValue()
                        .getValuesList())
                .as("of stages ip and tenant")
                .hasSize(2);
        assertThat(metadata(ENVOY.ask(request(SHOP, descriptor("path", "/a"))), "rule"))
                .isEqualTo("path");
    }

    // ---- nobody decides

    @Test
    void what_nobody_could_decide_is_no_response_but_unavailable() {
        limiter.answerInstead(asked ->
                CompletableFuture.completedFuture(Unavailable.because(Cause.DEADLINE, "no answer came in time")));

        Status status = ENVOY.refused(request(SHOP, descriptor("path", "/a")));

        assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(status.getDescription()).isEqualTo("DEADLINE: no answer came in time");
    }

    @Test
    void a_denial_stands_whatever_nobody_could_decide_beside_it() {
        ENVOY.ask(request(SHOP, descriptor("path", "/hot")));
        limiter.answerInstead(asked -> CompletableFuture.completedFuture(
                asked.ask().attributes().containsKey("ten")
                        ? Unavailable.because(Cause.DEADLINE, "no answer came in time")
                        : limiter.fold(asked)));

        RateLimitResponse response = ENVOY.ask(request(SHOP, descriptor("ten", "x"), descriptor("path", "/hot")));

        assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(response.getStatusesList())
                .extracting(DescriptorStatus::getCode)
                .containsExactly(Code.UNKNOWN, Code.OVER_LIMIT);
    }

    @ParameterizedTest
    @CsvSource({"true,OK", "false,OVER_LIMIT"})
    void what_the_policy_says_of_a_request_that_nobody_decides_is_answered(boolean admitted, Code code) {
        limiter.answerInstead(asked -> CompletableFuture.completedFuture(fallback(admitted)));

        RateLimitResponse response = ENVOY.ask(request(SHOP, descriptor("path", "/a")));

        assertThat(response.getOverallCode()).isEqualTo(code);
        assertThat(only(response).hasCurrentLimit()).isFalse();
        assertThat(metadata(response, "fallback")).isEqualTo("LOCAL_BOUNDED");
        assertThat(metadata(response, "fallback_id")).isEqualTo("F-1");
        assertThat(metadata(response, "rule")).isEqualTo(admitted ? "" : "path");
        assertThat(headers(response)).isEqualTo(admitted ? Map.of() : Map.of("Retry-After", "2"));
    }

    private static Answer fallback(boolean admitted) {
        return new Fallback(
                Fallback.Mode.LOCAL_BOUNDED,
                admitted,
                "F-1",
                1,
                admitted ? Optional.empty() : Optional.of("path"),
                admitted ? OptionalLong.empty() : OptionalLong.of(1_500),
                Optional.of(Unavailable.because(Cause.BREAKER, "the breaker is open")),
                List.of());
    }

    @Test
    void a_call_with_a_timeout_leaves_the_limiter_four_fifths_of_it() {
        ENVOY.ask(request(SHOP, descriptor("path", "/a")));
        long unhurried = limiter.asked().get(0).ask().deadlineMillis().orElseThrow();

        RateLimitResponse hurried = RateLimitServiceGrpc.newBlockingStub(ENVOY.channel())
                .withDeadlineAfter(5, TimeUnit.SECONDS)
                .shouldRateLimit(request(SHOP, descriptor("path", "/a")).build());

        assertThat(hurried.getOverallCode()).isEqualTo(Code.OK);
        assertThat(unhurried).isBetween(9_000L, 10_000L);
        assertThat(limiter.asked().get(1).ask().deadlineMillis().orElseThrow()).isBetween(1L, 4_000L);
    }

    // ---- who asks

    @Test
    void an_address_counts_in_its_own_stage() {
        for (int i = 0; i < 2; i++) {
            assertThat(ENVOY.ask(request(SHOP, descriptor("remote_address", "192.0.2.7")))
                            .getOverallCode())
                    .isEqualTo(Code.OK);
        }

        assertThat(ENVOY.ask(request(SHOP, descriptor("remote_address", "192.0.2.7")))
                        .getOverallCode())
                .isEqualTo(Code.OVER_LIMIT);
        assertThat(ENVOY.ask(request(SHOP, descriptor("remote_address", "192.0.2.8")))
                        .getOverallCode())
                .isEqualTo(Code.OK);
    }

    @Test
    void a_user_is_who_the_settings_say_and_counts_as_authenticated() {
        ENVOY.ask(request(SHOP, descriptor("account", "ann")));
        ENVOY.ask(request(SHOP, descriptor("path", "/a")));

        assertThat(limiter.asked().get(0).ask().caller().user()).isEqualTo("ann");
        assertThat(limiter.asked().get(0).ask().authenticated()).isTrue();
        assertThat(limiter.asked().get(1).ask().caller().user()).isEmpty();
        assertThat(limiter.asked().get(1).ask().authenticated()).isFalse();
    }

    @Test
    void the_tenant_is_the_domain_unless_an_entry_names_one() {
        ENVOY.ask(request(SHOP, descriptor("path", "/a")));
        ENVOY.ask(request(SHOP, descriptor("customer", "atlas", "path", "/a")));

        assertThat(limiter.asked())
                .extracting(asked -> asked.ask().caller().tenant())
                .containsExactly("shop", "atlas");
    }

    @Test
    void a_value_that_no_policy_names_leaves_as_a_pseudonym_and_one_that_it_names_as_it_is() {
        ENVOY.ask(request(SHOP, descriptor("path", "/account/erika")));
        ENVOY.ask(request(SHOP, descriptor("path", "/hot")));
        ENVOY.ask(request(SHOP, descriptor("account", "erika", "path", "")));

        String pseudonym = limiter.pseudonym("path", "/account/erika");
        assertThat(limiter.asked().get(0).ask().route()).isEqualTo("RLS /shop/path/" + pseudonym);
        assertThat(limiter.asked().get(0).ask().attributes())
                .isEqualTo(Map.of("path", pseudonym, "entry.descriptor", "0"));
        assertThat(limiter.asked().get(1).ask().route()).isEqualTo("RLS /shop/path/%2Fhot");
        assertThat(limiter.asked().get(2).ask().route())
                .isEqualTo("RLS /shop/account/" + limiter.pseudonym("account", "erika") + "/path/%");
    }

    @Test
    void a_value_is_named_as_soon_as_a_policy_that_may_decide_names_it() {
        ENVOY.ask(request(SHOP, descriptor("ten", "seven")));
        limiter.decideBy("'routes':{'seven':[{'method':'*','path':'/shop/ten/seven'}]},'rules':[]");

        ENVOY.ask(request(SHOP, descriptor("ten", "seven")));
        ENVOY.ask(request(SHOP, descriptor("path", "/hot")));

        assertThat(limiter.asked())
                .extracting(asked -> asked.ask().route())
                .containsExactly(
                        "RLS /shop/ten/" + limiter.pseudonym("ten", "seven"),
                        "RLS /shop/ten/seven",
                        "RLS /shop/path/%2Fhot");
    }

    @Test
    void a_value_that_a_rule_asks_for_as_an_attribute_is_named() {
        limiter.decideBy("'rules':[{'id':'gets','stage':'tenant','match':{'attributes':{'method':'GET'}},"
                + "'algorithm':'fixed-window','limit':{'requests':1,'per':'1m','align':'epoch'}}]");

        RateLimitResponse first = ENVOY.ask(request(SHOP, descriptor("method", "GET", "user", "ann")));
        RateLimitResponse second = ENVOY.ask(request(SHOP, descriptor("method", "GET", "user", "bob")));
        RateLimitResponse other = ENVOY.ask(request(SHOP, descriptor("method", "PUT", "user", "bob")));

        assertThat(List.of(first, second, other))
                .extracting(RateLimitResponse::getOverallCode)
                .containsExactly(Code.OK, Code.OVER_LIMIT, Code.OK);
    }

    // ---- the channel

    @Test
    void a_request_that_is_too_long_is_refused() {
        Status tooLong = ENVOY.refused(request(SHOP, descriptor("path", "x".repeat(EnvoyDoor.MAX_MESSAGE_LENGTH))));
        Status absurd = ENVOY.refused(request(SHOP, descriptor("path", "x".repeat(1_000_000))));

        assertThat(tooLong.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(absurd.getCode()).as("by HTTP, before gRPC sees it").isNotEqualTo(Status.Code.OK);
        assertThat(limiter.asked()).isEmpty();
    }

    @Test
    void requests_are_counted_by_what_became_of_them() {
        double ok = counted("ratelimit.rls.requests", "outcome", "ok");
        double over = counted("ratelimit.rls.requests", "outcome", "over_limit");
        double invalid = counted("ratelimit.rls.requests", "outcome", "invalid");

        ENVOY.ask(request(SHOP, descriptor("path", "/hot")));
        ENVOY.ask(request(SHOP, descriptor("path", "/hot")));
        ENVOY.refused(request(SHOP));

        assertThat(counted("ratelimit.rls.requests", "outcome", "ok")).isEqualTo(ok + 1);
        assertThat(counted("ratelimit.rls.requests", "outcome", "over_limit")).isEqualTo(over + 1);
        assertThat(counted("ratelimit.rls.requests", "outcome", "invalid")).isEqualTo(invalid + 1);
    }
}
