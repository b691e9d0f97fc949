package io.headgate.gateway.client.feedback;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProblemJsonTest {

    @Test
    void members_come_after_the_four_that_each_problem_has() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("violated-policies", List.of("P-1", "P-2"));
        members.put("degraded", false);
        members.put("policyVersion", 43L);

        String json = new HttpProblem(HttpProblem.QUOTA_EXCEEDED, "Quota exceeded", "No room.", members).toJson(429);

        assertThat(json)
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Quota exceeded\",\"status\":429,\"detail\":\"No room.\","
                        + "\"violated-policies\":[\"P-1\",\"P-2\"],\"degraded\":false,\"policyVersion\":43}");
    }

    @Test
    void whatever_is_in_a_text_a_reader_of_JSON_reads_it() throws Exception {
        StringBuilder everything = new StringBuilder("😀 \uD800 half");
        for (char c = 0; c < 0x800; c++) {
            everything.append(c);
        }

        String json = new HttpProblem("t", "t", everything.toString(), Map.of("\"\n", "\\")).toJson(503);

        JsonNode read = new ObjectMapper().readTree(json);
        assertThat(read.path("detail").asText()).isEqualTo(everything.toString());
        assertThat(read.path("\"\n").asText()).isEqualTo("\\");
        assertThat(read.path("status").asInt()).isEqualTo(503);
    }
}
