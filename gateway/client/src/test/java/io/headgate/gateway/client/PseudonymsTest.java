package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.policy.Stage;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class PseudonymsTest {

    private static final Caller RAW =
            new Caller("atlas", "erika.mustermann@example.com", "key-8f21-SECRET", "203.0.113.77", "login-of-erika");

    private final Pseudonyms pseudonyms = new Pseudonyms(HexFormat.of().parseHex(Bench.SECRET));

    @Test
    void a_pseudonym_is_32_lower_case_hexadecimal_digits_and_always_the_same() {
        assertThat(pseudonyms.user("erika")).matches("[0-9a-f]{32}").isEqualTo(pseudonyms.user("erika"));
    }

    @Test
    void a_pseudonym_is_what_any_other_implementation_makes_of_it() {
        // printf 'user\0erika' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0011…eeff, first 32 digits
        assertThat(pseudonyms.user("erika")).isEqualTo("7a5f8ff1b07c4ee8864a0280cf863d20");
        assertThat(pseudonyms.apiKey("erika")).isEqualTo("3f968539b104cdc4cd3473874a50c516");
    }

    @Test
    void one_text_has_another_pseudonym_as_user_key_address_and_target() {
        assertThat(List.of(pseudonyms.user("x"), pseudonyms.apiKey("x"), pseudonyms.ip("x"), pseudonyms.target("x")))
                .doesNotHaveDuplicates();
    }

    @Test
    void another_secret_gives_other_pseudonyms() {
        Pseudonyms others = new Pseudonyms(new byte[32]);

        assertThat(others.user("erika")).isNotEqualTo(pseudonyms.user("erika"));
    }

    @Test
    void unknown_stays_unknown() {
        assertThat(pseudonyms.user("")).isEmpty();
    }

    @Test
    void a_short_secret_is_refused() {
        assertThatThrownBy(() -> new Pseudonyms(new byte[31]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("31")
                .hasMessageContaining("32");
    }

    @Test
    void no_raw_identifier_is_in_a_record_that_is_sent() {
        Bench bench = new Bench();
        for (Stage stage : Stage.values()) {
            bench.asked(Ask.of(RAW, true, "GET /catalog").only(stage));
            bench.acknowledge();
        }

        assertThat(bench.sent()).hasSize(3);
        for (ProducerRecord<byte[], byte[]> record : bench.sent()) {
            StringBuilder everything = new StringBuilder(text(record.key())).append(text(record.value()));
            record.headers().forEach(header -> everything.append(text(header.value())));
            assertThat(everything)
                    .contains("atlas")
                    .doesNotContain(RAW.user(), RAW.apiKey(), RAW.ip(), RAW.target(), "erika", "SECRET", "203.0");
        }
    }

    @Test
    void no_raw_identifier_is_in_a_text_form_or_a_message() {
        assertThat(RAW.toString() + Ask.of(RAW, true, "GET /catalog"))
                .contains("atlas")
                .doesNotContain(RAW.user(), RAW.apiKey(), RAW.ip(), RAW.target());
        assertThatThrownBy(() -> RAW.withUser("erika".repeat(1_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("user has 5000 characters")
                .hasMessageNotContaining("erika");
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
