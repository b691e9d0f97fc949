package io.headgate.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.UInt64Value;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.headgate.envoy.config.core.v3.HeaderValue;
import io.headgate.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.headgate.envoy.service.ratelimit.v3.RateLimitRequest;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.headgate.envoy.type.v3.RateLimitUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The trimmed protocol beside Envoy's own, as its control plane library has it. */
class EnvoyWireTest {

    /** Envoy's own got it after the release of that library that is compared with. */
    private static final String NEWER = "envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.is_negative_hits";

    /** Newer than that library, too. */
    private static final String NEWER_UNIT = "WEEK";

    @Test
    void every_field_has_the_name_the_number_and_the_type_of_envoys_own() {
        Deque<Descriptor> ours = new ArrayDeque<>();
        ours.add(RateLimitRequest.getDescriptor());
        ours.add(RateLimitResponse.getDescriptor());
        Set<String> seen = new HashSet<>();
        while (!ours.isEmpty()) {
            Descriptor message = ours.pop();
            if (!seen.add(message.getFullName())) {
                continue;
            }
            Descriptor theirs = envoys(message.getFullName());
            for (FieldDescriptor field : message.getFields()) {
                if (field.getJavaType() == JavaType.MESSAGE
                        && field.getMessageType().getFullName().startsWith("envoy.")) {
                    ours.add(field.getMessageType());
                }
                if (!field.getFullName().equals(NEWER)) {
                    assertSame(field, theirs.findFieldByNumber(field.getNumber()));
                }
            }
        }
        assertThat(seen)
                .containsExactlyInAnyOrder(
                        "envoy.service.ratelimit.v3.RateLimitRequest",
                        "envoy.service.ratelimit.v3.RateLimitResponse",
                        "envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus",
                        "envoy.service.ratelimit.v3.RateLimitResponse.RateLimit",
                        "envoy.extensions.common.ratelimit.v3.RateLimitDescriptor",
                        "envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry",
                        "envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride",
                        "envoy.config.core.v3.HeaderValue");
    }

    @Test
    void a_request_of_envoys_is_read() throws Exception {
        byte[] sent = io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest.newBuilder()
                .setDomain("shop")
                .setHitsAddend(3)
                .addDescriptors(io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.newBuilder()
                        .addEntries(
                                io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry
                                        .newBuilder()
                                        .setKey("path")
                                        .setValue("/ü"))
                        .setLimit(io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor
                                .RateLimitOverride.newBuilder()
                                .setRequestsPerUnit(42)
                                .setUnit(io.envoyproxy.envoy.type.v3.RateLimitUnit.HOUR))
                        .setHitsAddend(UInt64Value.of(7)))
                .build()
                .toByteArray();

        RateLimitRequest read = RateLimitRequest.parseFrom(sent);

        RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
        descriptor.addEntriesBuilder().setKey("path").setValue("/ü");
        descriptor.getLimitBuilder().setRequestsPerUnit(42).setUnit(RateLimitUnit.HOUR);
        descriptor.setHitsAddend(UInt64Value.of(7));
        assertThat(read)
                .isEqualTo(RateLimitRequest.newBuilder()
                        .setDomain("shop")
                        .setHitsAddend(3)
                        .addDescriptors(descriptor)
                        .build());
        assertThat(read.toByteArray()).isEqualTo(sent);
    }

    @Test
    void envoy_reads_a_response() throws Exception {
        RateLimitResponse.Builder response = RateLimitResponse.newBuilder().setOverallCode(Code.OVER_LIMIT);
        response.addStatuses(DescriptorStatus.newBuilder()
                .setCode(Code.OVER_LIMIT)
                .setCurrentLimit(RateLimit.newBuilder()
                        .setRequestsPerUnit(5)
                        .setUnit(RateLimit.Unit.MINUTE)
                        .setName("P-EXPORT"))
                .setLimitRemaining(-1)
                .setDurationUntilReset(Duration.newBuilder().setSeconds(2).setNanos(1)));
        response.addResponseHeadersToAdd(
                HeaderValue.newBuilder().setKey("Retry-After").setValue("3"));
        response.addRequestHeadersToAdd(HeaderValue.newBuilder().setKey("x").setRawValue(ByteString.copyFromUtf8("y")));
        response.setRawBody(ByteString.copyFromUtf8("body"));
        response.setDynamicMetadata(Struct.newBuilder()
                .putFields("rule", Value.newBuilder().setStringValue("P-EXPORT").build()));

        var read = readByEnvoy(response.build());

        assertThat(read.getUnknownFields().asMap()).isEmpty();
        assertThat(read.getOverallCode().name()).isEqualTo("OVER_LIMIT");
        assertThat(read.getStatuses(0).getCode().name()).isEqualTo("OVER_LIMIT");
        assertThat(read.getStatuses(0).getCurrentLimit().getRequestsPerUnit()).isEqualTo(5);
        assertThat(read.getStatuses(0).getCurrentLimit().getUnit().name()).isEqualTo("MINUTE");
        assertThat(read.getStatuses(0).getCurrentLimit().getName()).isEqualTo("P-EXPORT");
        assertThat(Integer.toUnsignedLong(read.getStatuses(0).getLimitRemaining()))
                .isEqualTo(4_294_967_295L);
        assertThat(read.getStatuses(0).getDurationUntilReset())
                .isEqualTo(Duration.newBuilder().setSeconds(2).setNanos(1).build());
        assertThat(read.getResponseHeadersToAdd(0).getKey()).isEqualTo("Retry-After");
        assertThat(read.getResponseHeadersToAdd(0).getValue()).isEqualTo("3");
        assertThat(read.getRequestHeadersToAdd(0).getRawValue().toStringUtf8()).isEqualTo("y");
        assertThat(read.getRawBody().toStringUtf8()).isEqualTo("body");
        assertThat(read.getDynamicMetadata().getFieldsOrThrow("rule").getStringValue())
                .isEqualTo("P-EXPORT");
        assertThat(read.toByteArray()).isEqualTo(response.build().toByteArray());
    }

    @Test
    void the_method_is_called_as_envoy_calls_it() {
        assertThat(io.headgate.envoy.service.ratelimit.v3.RateLimitServiceGrpc.getShouldRateLimitMethod()
                        .getFullMethodName())
                .isEqualTo(RateLimitServiceGrpc.getShouldRateLimitMethod().getFullMethodName())
                .isEqualTo("envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit");
    }

    private static io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse readByEnvoy(RateLimitResponse response)
            throws InvalidProtocolBufferException {
        return io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.parseFrom(response.toByteArray());
    }

    private static Descriptor envoys(String fullName) {
        return switch (fullName) {
            case "envoy.service.ratelimit.v3.RateLimitRequest" ->
                io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest.getDescriptor();
            case "envoy.service.ratelimit.v3.RateLimitResponse" ->
                io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.getDescriptor();
            case "envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus" ->
                io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus.getDescriptor();
            case "envoy.service.ratelimit.v3.RateLimitResponse.RateLimit" ->
                io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.getDescriptor();
            case "envoy.extensions.common.ratelimit.v3.RateLimitDescriptor" ->
                io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.getDescriptor();
            case "envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry" ->
                io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry.getDescriptor();
            case "envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride" ->
                io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride
                        .getDescriptor();
            case "envoy.config.core.v3.HeaderValue" -> io.envoyproxy.envoy.config.core.v3.HeaderValue.getDescriptor();
            default -> throw new AssertionError(fullName + " is nothing of the protocol");
        };
    }

    private static void assertSame(FieldDescriptor field, FieldDescriptor theirs) {
        assertThat(theirs).as(field.getFullName()).isNotNull();
        assertThat(theirs.getFullName()).isEqualTo(field.getFullName());
        assertThat(theirs.getType()).as(field.getFullName()).isEqualTo(field.getType());
        assertThat(theirs.isRepeated()).as(field.getFullName()).isEqualTo(field.isRepeated());
        if (field.getJavaType() == JavaType.MESSAGE) {
            assertThat(theirs.getMessageType().getFullName())
                    .isEqualTo(field.getMessageType().getFullName());
        }
        if (field.getJavaType() == JavaType.ENUM) {
            assertSame(field.getEnumType(), theirs.getEnumType());
        }
    }

    private static void assertSame(EnumDescriptor ours, EnumDescriptor theirs) {
        assertThat(theirs.getFullName()).isEqualTo(ours.getFullName());
        ours.getValues().stream()
                .filter(value -> !value.getName().equals(NEWER_UNIT))
                .forEach(value -> assertThat(theirs.findValueByNumber(value.getNumber()))
                        .as(value.getFullName())
                        .isNotNull()
                        .satisfies(same -> assertThat(same.getName()).isEqualTo(value.getName())));
    }
}
