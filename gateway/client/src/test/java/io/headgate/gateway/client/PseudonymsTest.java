package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.policy.Stage;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class PseudonymsTest {

    private static final Caller RAW =
            new Caller("atlas", "erika.mustermann@example.com", "key-8f21-SECRET", "203.0.113.77", "login-of-erika");

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
