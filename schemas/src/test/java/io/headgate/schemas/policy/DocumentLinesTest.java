package io.headgate.schemas.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class DocumentLinesTest {

    private static final String DOCUMENT = """
            {
              "a": {
                "b.c": 1,
                "d": [
                  {"e": 2},
                  [3,
                   4]
                ]
              },
              "odd name": {"x": 5},
              "a": 6
            }
            """;

    @Test
    void knows_where_each_place_stands() throws IOException {
        DocumentLines lines = lines(DOCUMENT);

        assertThat(lines.lineOf("a")).isEqualTo(2);
        assertThat(lines.lineOf("a.b.c")).isEqualTo(3);
        assertThat(lines.lineOf("a.d[0].e")).isEqualTo(5);
        assertThat(lines.lineOf("a.d[1]")).isEqualTo(6);
        assertThat(lines.lineOf("a.d[1][1]")).isEqualTo(7);
        assertThat(lines.lineOf("\"odd name\".x")).isEqualTo(10);
    }

    @Test
    void knows_of_what_is_missing_where_its_nearest_parent_stands() throws IOException {
        DocumentLines lines = lines(DOCUMENT);

        assertThat(lines.lineOf("document")).isEqualTo(1);
        assertThat(lines.lineOf("a.z.y")).isEqualTo(2);
        assertThat(lines.lineOf("a.d[7].e")).isEqualTo(4);
        assertThat(lines.lineOf("a.d[0].limit.capacity × refill.per")).isEqualTo(5);
        assertThat(lines.lineOf("a.b.c × d")).isEqualTo(3);
        assertThat(lines.lineOf("")).isEqualTo(1);
    }

    @Test
    void is_not_disturbed_by_documents_that_are_none() throws IOException {
        assertThat(lines("").lineOf("spec.rules[0]")).isEqualTo(1);
        assertThat(lines("\n\n7").lineOf("spec.rules[0]")).isEqualTo(3);
        assertThat(lines("[{}]").lineOf("spec")).isEqualTo(1);
    }

    private static DocumentLines lines(String json) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            return DocumentLines.of(parser);
        }
    }
}
