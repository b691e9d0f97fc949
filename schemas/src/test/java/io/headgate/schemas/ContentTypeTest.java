package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContentTypeTest {

    private static Headers headers(String name, String value) {
        return new RecordHeaders().add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "Application/JSON",
                " application/json ",
                "application/json;charset=utf-8",
                "application/json; charset=\"UTF-8\"; profile=x",
                "application/json;",
                "\"application/json\"",
                "\"application/json;charset=\\\"utf-8\\\"\""
            })
    void says_json_under_either_name(String value) {
        assertThat(ContentType.of(headers("content-type", value))).isEqualTo(ContentType.JSON);
        assertThat(ContentType.of(headers("contentType", value))).isEqualTo(ContentType.JSON);
    }

    @Test
    void without_a_content_type_a_record_is_avro() {
        assertThat(ContentType.of(new RecordHeaders())).isEqualTo(ContentType.AVRO);
        assertThat(ContentType.of(headers("Content-Type", "application/json"))).isEqualTo(ContentType.AVRO);
        assertThat(ContentType.of(new RecordHeaders().add("content-type", null)))
                .isEqualTo(ContentType.AVRO);
    }

    @Test
    void the_last_header_of_a_name_counts_and_the_plain_name_before_springs() {
        Headers twice = headers("content-type", "text/plain").add("content-type", bytes("application/json"));
        Headers both = headers("contentType", "text/plain").add("content-type", bytes("application/json"));

        assertThat(ContentType.of(twice)).isEqualTo(ContentType.JSON);
        assertThat(ContentType.of(both)).isEqualTo(ContentType.JSON);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "text/json|header content-type is 'text/json'; it must be application/json, or not be there for Avro",
                "``|header content-type is ''; it must be application/json, or not be there for Avro",
                "\"|header content-type is '\"'; it must be application/json, or not be there for Avro",
                "application/json5|header content-type is 'application/json5'; it must be application/json, or not be there for Avro",
                "application/json;charset=latin1|header content-type has charset 'latin1'; it must be utf-8"
            })
    void names_a_content_type_that_nobody_reads(String value, String told) {
        assertThatThrownBy(() -> ContentType.of(headers("content-type", value)))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessage(told);
    }

    @Test
    void a_long_content_type_is_told_in_short() {
        String longest = "x".repeat(ContentType.MAX_LENGTH);

        assertThatThrownBy(() -> ContentType.of(headers("contentType", longest)))
                .hasMessage("header contentType is '" + "x".repeat(64)
                        + "…'; it must be application/json, or not be there for Avro");
        assertThatThrownBy(() -> ContentType.of(headers("contentType", longest + "x")))
                .hasMessage("header contentType has 257 bytes; at most 256 are allowed");
    }

    @Test
    void whoever_names_a_content_type_is_answered_in_json() {
        assertThat(ContentType.ofReply(headers("contentType", "application/json")))
                .isEqualTo(ContentType.JSON);
        assertThat(ContentType.ofReply(headers("content-type", "text/plain"))).isEqualTo(ContentType.JSON);
        assertThat(ContentType.ofReply(new RecordHeaders())).isEqualTo(ContentType.AVRO);
    }

    @Test
    void a_reply_in_json_says_so_in_its_header() {
        Headers json = new RecordHeaders();
        Headers avro = new RecordHeaders();

        ContentType.JSON.writeTo(json);
        ContentType.AVRO.writeTo(avro);

        assertThat(ContentType.of(json)).isEqualTo(ContentType.JSON);
        assertThat(avro).isEmpty();
    }

    /** A thousand rules explain themselves to 500 commands: no topic takes such a reply, and without one nobody learns what was debited. */
    @Test
    void a_reply_that_would_be_too_large_goes_without_what_each_rule_said() {
        Decision one = Samples.reply().decisions().get(0);
        List<RuleOutcome> rules = Collections.nCopies(
                1_000, new RuleOutcome("r".repeat(64), RuleOutcome.Said.PASS, OptionalLong.of(Long.MAX_VALUE)));
        Decision explained = new Decision(
                one.verdict(),
                one.id(),
                one.policyVersion(),
                one.denyingRule(),
                one.scope(),
                one.limit(),
                one.remaining(),
                one.resetAfterMillis(),
                one.retryAfterMillis(),
                one.paceAfterMillis(),
                one.shadowDenials(),
                one.softDenials(),
                one.actions(),
                rules,
                one.replayed(),
                one.reason());
        Reply large = new Reply(1, 2, "", Collections.nCopies(500, explained));
        Reply bare = new Reply(1, 2, "", Collections.nCopies(500, explained.withoutRules()));
        Reply small = new Reply(1, 2, "", List.of(explained));

        for (ContentType type : ContentType.values()) {
            assertThat(type.encode(large)).isEqualTo(type.encode(bare)).hasSizeLessThan(TopicCatalogue.MAX_REPLY_BYTES);
            assertThat(type.encode(small)).hasSizeGreaterThan(60_000);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
