package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class PseudonymsTest {

    private final Pseudonyms pseudonyms =
            new Pseudonyms(HexFormat.of().parseHex("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"));

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
    void one_text_has_another_pseudonym_in_each_attribute() {
        // printf 'attribute:to%%20number\0erika' | openssl dgst …, as above
        assertThat(pseudonyms.attribute("to number", "erika")).isEqualTo("799a3441114277747c66ef803d327b99");
        assertThat(List.of(
                        pseudonyms.attribute("user", "x"),
                        pseudonyms.attribute("to", "x"),
                        pseudonyms.attribute("t", "ox"),
                        pseudonyms.user("x")))
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
        assertThat(pseudonyms.attribute("remote_address", "")).isEmpty();
    }

    @Test
    void a_short_secret_is_refused() {
        assertThatThrownBy(() -> new Pseudonyms(new byte[31]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("31")
                .hasMessageContaining("32");
    }
}
