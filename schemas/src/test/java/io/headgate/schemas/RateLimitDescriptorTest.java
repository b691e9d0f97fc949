package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.schemas.RateLimitDescriptor.Entry;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RateLimitDescriptorTest {

    private static final String ALPHABET = "aZ09-._~%/ *{}?#üЖ\u0000\n";

    @Test
    void is_asked_as_documented() {
        RateLimitDescriptor descriptor = new RateLimitDescriptor(
                "messaging", List.of(new Entry("message_type", "marketing"), new Entry("to number", "1/2")));

        assertThat(descriptor.route()).isEqualTo("RLS /messaging/message_type/marketing/to%20number/1%2F2");
        assertThat(descriptor.attributes(0))
                .isEqualTo(Map.of("message_type", "marketing", "entry.2", "1/2", "entry.descriptor", "0"));
    }

    @Test
    void keys_that_are_no_names_or_come_again_are_named_by_their_place() {
        assertThat(RateLimitDescriptor.names(List.of("a", "a", "b c", "entry.1", "x".repeat(64), "y".repeat(65))))
                .containsExactly("a", "entry.2", "entry.3", "entry.4", "x".repeat(64), "entry.6");
    }

    @Test
    void texts_that_would_not_fit_are_told_apart_by_their_digest() {
        String longest = "x".repeat(256);

        assertThat(RateLimitDescriptor.segment(longest)).isEqualTo(longest);
        assertThat(RateLimitDescriptor.attribute(longest)).isEqualTo(longest);
        assertThat(RateLimitDescriptor.segment(longest + "x"))
                .matches("%%[0-9a-f]{64}")
                .isEqualTo(RateLimitDescriptor.attribute(longest + "x"));
        assertThat(RateLimitDescriptor.segment("ü".repeat(42) + "abcd")).hasSize(256);
        assertThat(RateLimitDescriptor.segment("ü".repeat(43))).startsWith("%%");
        assertThat(RateLimitDescriptor.attribute("ü".repeat(43))).isEqualTo("ü".repeat(43));
    }

    @Test
    void different_texts_stay_different_and_fit_a_route() {
        Random random = new Random(1);
        Map<String, String> textOfSegment = new HashMap<>();
        Map<String, String> textOfAttribute = new HashMap<>();
        for (int i = 0; i < 50_000; i++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(20) == 0 ? 80 + random.nextInt(200) : random.nextInt(4);
            for (int c = 0; c < length; c++) {
                text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
            }
            String segment = RateLimitDescriptor.segment(text.toString());
            String attribute = RateLimitDescriptor.attribute(text.toString());

            assertThat(segment).matches("[A-Za-z0-9._~%-]{1,256}");
            assertThat(attribute.length()).isBetween(1, 256);
            assertThat(textOfSegment.computeIfAbsent(segment, unseen -> text.toString()))
                    .isEqualTo(text.toString());
            assertThat(textOfAttribute.computeIfAbsent(attribute, unseen -> text.toString()))
                    .isEqualTo(text.toString());
        }
        assertThat(RateLimitDescriptor.segment("")).isEqualTo("%");
        assertThat(RateLimitDescriptor.segment("%")).isEqualTo("%25");
        assertThat(RateLimitDescriptor.attribute("%%x")).isEqualTo("%25%25x");
    }

    @Test
    void what_is_no_descriptor_is_refused() {
        Entry entry = new Entry("k", "v");

        assertThatThrownBy(() -> new RateLimitDescriptor("", List.of(entry))).hasMessageContaining("domain is empty");
        assertThatThrownBy(() -> new RateLimitDescriptor("d", List.of())).hasMessageContaining("must have 1 to 31");
        assertThat(new RateLimitDescriptor("d", Collections.nCopies(31, entry)).attributes(0))
                .hasSize(32);
        assertThatThrownBy(() -> new RateLimitDescriptor("d", Collections.nCopies(32, entry)))
                .hasMessageContaining("has 32 entries");
        assertThatThrownBy(() -> new Entry("", "v")).hasMessageContaining("key of an entry is empty");
        assertThatThrownBy(() -> RateLimitDescriptor.segment("\ud800")).hasMessageContaining("surrogate");
    }
}
