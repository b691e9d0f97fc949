package io.headgate.core.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DecisionIdTest {

    @Test
    void reads_what_it_writes() {
        DecisionId smallest = new DecisionId(0, 0, 0);
        DecisionId largest = new DecisionId(999_999_999, 999_999_999_999_999_999L, 999_999_999);

        assertThat(DecisionId.parse(smallest.toString())).isEqualTo(smallest);
        assertThat(DecisionId.parse(largest.toString())).isEqualTo(largest);
        assertThat(DecisionId.parse("3-1042-0")).isEqualTo(new DecisionId(3, 1_042, 0));
    }

    @Test
    void refuses_everything_else() {
        for (String wrong : new String[] {
            "",
            "-",
            "--",
            "3-1042",
            "3--0",
            "-1042-0",
            "3-1042-",
            "3-1042-0-1",
            "-3-1042-0",
            "3-+1-0",
            "a-1-0",
            "3-1 -0",
            "3-1042-1234567890",
            "1234567890-1-0",
            "3-1234567890123456789-0",
            "٣-1-0"
        }) {
            assertThatThrownBy(() -> DecisionId.parse(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + wrong + "'; it must be shard-offset-index");
        }
    }
}
