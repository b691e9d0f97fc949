package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Replies in JSON, byte by byte: clients and other nodes depend on every one. */
class JsonRepliesTest {

    private static String json(Reply reply) {
        return new String(JsonReplies.encode(reply), StandardCharsets.UTF_8);
    }

    @Test
    void has_every_field_that_there_is_in_the_order_of_their_names() {
        assertThat(json(Samples.reply()))
                .isEqualTo("{\"decisions\":["
                        + "{\"actions\":[\"ban-7\"],\"decisionId\":\"3-1042-7\",\"denyingRule\":\"P-READ\",\"limit\":20,"
                        + "\"paceAfterMillis\":40,\"policyVersion\":43,\"reason\":\"\",\"remaining\":0,"
                        + "\"replayed\":true,\"resetAfterMillis\":9999,\"retryAfterMillis\":500,\"rules\":["
                        + "{\"remaining\":0,\"ruleId\":\"P-READ\",\"said\":\"DENY\"},"
                        + "{\"remaining\":0,\"ruleId\":\"P-SOFT\",\"said\":\"SOFT\"},"
                        + "{\"ruleId\":\"P-FREE\",\"said\":\"PASS\"},{\"ruleId\":\"P-ANON\",\"said\":\"SKIP\"}],"
                        + "\"scope\":\"api-key\",\"shadowDenials\":[\"S-1\",\"S-2\"],\"softDenials\":[\"P-SOFT\"],"
                        + "\"verdict\":\"DENY\"},"
                        + "{\"actions\":[],\"decisionId\":\"0-0-0\",\"policyVersion\":0,"
                        + "\"reason\":\"this shard does not know its policy\",\"replayed\":false,\"rules\":[],"
                        + "\"shadowDenials\":[],\"softDenials\":[],\"verdict\":\"NOT_READY\"}"
                        + "],\"logTimeMillis\":1800000000000,\"problem\":\"\",\"shard\":3}");
    }

    @Test
    void says_why_there_are_no_decisions() {
        assertThat(json(new Reply(5, 1, "line 1: \"é\u0001", List.of())))
                .isEqualTo("{\"decisions\":[],\"logTimeMillis\":1,\"problem\":\"line 1: \\\"é\\u0001\",\"shard\":5}");
    }

    @Test
    void names_every_verdict_as_it_is() {
        for (Verdict verdict : Verdict.values()) {
            Decision decision = Decision.undecided(verdict, new DecisionId(1, 2, 3), 4, "");

            assertThat(json(new Reply(1, 1, "", List.of(decision)))).contains("\"verdict\":\"" + verdict.name() + "\"");
        }
    }
}
