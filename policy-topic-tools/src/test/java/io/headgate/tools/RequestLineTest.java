package io.headgate.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.tools.RequestLine.Op;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestLineTest {

    @Test
    void reads_every_field() {
        assertThat(parse("{'t':7,'op':'peek','tenant':'atlas','user':'U-17','apiKey':'K1','ip':'::1','target':'ann',"
                        + "'authenticated':false,'route':'GET /catalog','attributes':{'a':'','b':'2'},'cost':0,"
                        + "'requestId':'r1','costs':{'tokens-in':5},'idempotencyKey':'k1'}"))
                .isEqualTo(new RequestLine(
                        7,
                        Op.PEEK,
                        "atlas",
                        "U-17",
                        "K1",
                        "::1",
                        "ann",
                        false,
                        "GET /catalog",
                        Map.of("a", "", "b", "2"),
                        0,
                        "r1",
                        Map.of("tokens-in", 5L),
                        "k1"));
    }

    @Test
    void fills_in_what_is_left_out() {
        assertThat(parse("{'t':0}"))
                .isEqualTo(new RequestLine(0, Op.ADMIT, "", "", "", "", "", false, "", Map.of(), 1, "", Map.of(), ""));
        assertThat(parse("{'t':0,'tenant':'atlas'}").authenticated()).isTrue();
    }

    @Test
    void takes_the_cost_from_among_the_costs_too() {
        RequestLine line = parse("{'t':0,'costs':{'requests':7,'tokens-in':5}}");

        assertThat(line.cost()).isEqualTo(7);
        assertThat(line.costs()).isEqualTo(Map.of("tokens-in", 5L));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}|has no field 't', the time in milliseconds",
                "{'t':'0'}|has t \"0\"; it must be an integer of 0 to 253402300799999",
                "{'t':-1}|has t -1; it must be an integer of 0 to 253402300799999",
                "{'t':253402300800000}|has t 253402300800000; it must be an integer of 0 to 253402300799999",
                "{'t':1.0}|has t 1.0; it must be an integer of 0 to 253402300799999",
                "{'t':null}|has t null; it must be an integer of 0 to 253402300799999",
                "{'t':0,'t':0}|has the field 't' twice",
                "{'t':0,'T':0}|has the field 'T', which is none of [t, op, tenant, user, apiKey, ip, target, authenticated,"
                        + " route, attributes, cost, requestId, costs, idempotencyKey]",
                "{'t':0,'op':'take'}|has op \"take\"; it must be admit or peek",
                "{'t':0,'op':1}|has op 1; it must be admit or peek",
                "{'t':0,'tenant':17}|has tenant 17; it must be text that is not empty; leave it out if there is none",
                "{'t':0,'user':''}|has user \"\"; it must be text that is not empty; leave it out if there is none",
                "{'t':0,'ip':[]}|has ip a list; it must be text that is not empty; leave it out if there is none",
                "{'t':0,'authenticated':'true'}|has authenticated \"true\"; it must be true or false",
                "{'t':0,'attributes':[]}|has attributes a list; it must be an object of texts",
                "{'t':0,'attributes':{'a':1}}|has attributes.a 1; it must be text",
                "{'t':0,'attributes':{'a':{}}}|has attributes.a an object; it must be text",
                "{'t':0,'attributes':{'a':'1','a':'1'}}|has the attribute 'a' twice",
                "{'t':0,'costs':[]}|has costs a list; it must be an object of integers by meter",
                "{'t':0,'costs':{'a':'1'}}|has costs.a \"1\"; it must be an integer of 0 to 1000000000000",
                "{'t':0,'costs':{'a':1,'a':1}}|has the meter 'a' twice",
                "{'t':0,'cost':1,'costs':{'requests':1}}|has cost and costs.requests, which are the same",
                "{'t':0,'idempotencyKey':''}|has idempotencyKey \"\"; it must be text that is not empty; leave it out if there"
                        + " is none",
                "{'t':0,'cost':-1}|has cost -1; it must be an integer of 0 to 1000000000000",
                "{'t':0,'cost':99999999999999999999}|has cost 99999999999999999999; it must be an integer of 0 to"
                        + " 1000000000000",
                "{'t':0,'cost':NaN}|is not JSON: Non-standard token 'NaN': enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS`"
                        + " to allow",
                "[]|is not a JSON object",
                "{'t':0} {}|has something after its JSON object",
            })
    void says_what_is_wrong_with_a_line(String line, String why) {
        assertThatThrownBy(() -> RequestLine.parse(json(line))).hasMessage(why);
    }

    @Test
    void names_the_bad_lines_of_a_file_and_reads_the_others() throws IOException {
        List<RequestLine> requests = new ArrayList<>();
        List<BadLine> badLines = new ArrayList<>();
        byte[] file = json("{'t':1}\r\n\n{'t':2\n\u00e9\n{'t':3}").getBytes(StandardCharsets.ISO_8859_1);

        RequestLine.stream(new ByteArrayInputStream(file), requests::add, badLines::add);

        assertThat(requests).extracting(RequestLine::timeMillis).containsExactly(1L, 3L);
        assertThat(badLines).extracting(BadLine::lineNumber).containsExactly(3L, 4L);
        assertThat(badLines.get(0).why()).startsWith("is not JSON: Unexpected end-of-input");
        assertThat(badLines.get(1).why()).isEqualTo("is not UTF-8");
    }

    private static RequestLine parse(String line) {
        try {
            return RequestLine.parse(json(line));
        } catch (UnreadableLineException e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    /** Quotes are single here, to be readable. */
    private static String json(String text) {
        return text.replace('\'', '"');
    }
}
