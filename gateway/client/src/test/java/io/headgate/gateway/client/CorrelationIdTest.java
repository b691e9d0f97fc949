package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CorrelationIdTest {

    @Test
    void its_bytes_name_it() {
        for (CorrelationId id : new CorrelationId[] {
            new CorrelationId(0, 0, 0),
            new CorrelationId(Long.MAX_VALUE, 9_999, (1L << 48) - 1),
            new CorrelationId(42, 7, 1_000_000)
        }) {
            assertThat(id.toBytes()).hasSize(16);
            assertThat(CorrelationId.fromBytes(id.toBytes())).hasValue(id);
        }
    }

    @Test
    void bytes_of_another_length_are_not_ours() {
        assertThat(CorrelationId.fromBytes(null)).isEmpty();
        assertThat(CorrelationId.fromBytes(new byte[15])).isEmpty();
        assertThat(CorrelationId.fromBytes(new byte[17])).isEmpty();
    }
}
