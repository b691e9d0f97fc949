package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.LogRecord.Requests;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What JSON says, what is wrong with it, and that what is wrong with one command is its own affair. */
@Timeout(60)
class JsonRequestsTest {

    private static final int MAX_REASON = 500;
    private static final int MANY = 10_000_000;

    private static Requests read(String json) {
        return JsonRequests.decode(json.getBytes(StandardCharsets.UTF_8));
    }

    private static Command.Ask ask(String command) {
        return (Command.Ask) read(command).commands().get(0);
    }

    /** A command that is wrong beside one that is not. */
    private static String reason(String command) {
        Requests batch = read("{\"commands\":[" + command + ",{\"tenant\":\"good\"}]}");
        assertThat(batch.commands().get(1)).isEqualTo(ask("{\"tenant\":\"good\"}"));
        String reason = ((Command.Malformed) batch.commands().get(0)).reason();
        assertThat(reason).hasSizeLessThan(MAX_REASON);
        return reason;
    }

    private static String problem(byte[] bytes) {
        try {
            Object read = JsonRequests.decode(bytes);
            throw new AssertionError("it is read: " + read);
        } catch (UnreadableRecordException unreadable) {
            assertThat(unreadable.getMessage()).hasSizeLessThan(MAX_REASON);
            return unreadable.getMessage();
        }
    }

    private static String problem(String json) {
        return problem(json.getBytes(StandardCharsets.UTF_8));
    }

    // ---- what it says

    @Test
    void every_field_of_a_batch() {
        assertThat(JsonRequests.decode(Samples.requestsInJson())).isEqualTo(Samples.requests());
    }

    @Test
    void a_command_alone_and_what_is_left_out() {
        Identity atlas = new Identity("atlas", "", "", "", "");

        assertThat(read("{\"tenant\":\"atlas\"}"))
                .isEqualTo(new Requests(
                        Optional.empty(),
                        List.of(new Command.Ask(
                                new Admission(Stage.TENANT, atlas, true, "", Map.of(), 1),
                                false,
                                Command.NEVER,
                                false))));
    }

    @Test
    void without_a_tenant_the_stage_is_ip_and_nobody_is_authenticated() {
        Admission admission = ask("{\"ip\":\"0f\",\"tenant\":\"\"}").admission();

        assertThat(admission.stage()).isEqualTo(Stage.IP);
        assertThat(admission.authenticated()).isFalse();
    }

    @Test
    void stage_and_authenticated_may_differ_from_that() {
        Admission admission = ask("{\"tenant\":\"t\",\"target\":\"0f\",\"stage\":\"target\",\"authenticated\":false}")
                .admission();

        assertThat(admission.partitionKey()).isEqualTo("target:0f");
        assertThat(admission.authenticated()).isFalse();
    }

    @Test
    void a_batch_without_an_attempt() {
        assertThat(read("{\"commands\":[{\"tenant\":\"t\"}]}")).isEqualTo(read("{\"tenant\":\"t\"}"));
    }

    @Test
    void an_attempt() {
        String attempt = "{\"gateway\":\"g\",\"epoch\":1,\"sequence\":0}";

        assertThat(read("{\"commands\":[{}],\"attempt\":" + attempt + "}").attempt())
                .contains(new Attempt("g", 1, 0));
    }

    @Test
    void every_way_to_write_a_string() {
        String json =
                "{\"tenant\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t \\u00e9\\u00E9é \\ud83d\\ude00😀 \\u0000\u007f\u2028\"}";

        assertThat(ask(json).admission().identity().tenant()).isEqualTo("\"\\/\b\f\n\r\t ééé 😀😀 \0\u007f\u2028");
    }

    @Test
    void white_space_anywhere() {
        assertThat(read(" \t\r\n{ \"commands\" : [ { \"tenant\" : \"t\" } , { } ] }\n"))
                .isEqualTo(read("{\"commands\":[{\"tenant\":\"t\"},{}]}"));
    }

    @Test
    void as_many_commands_as_a_batch_may_have_and_not_one_more() {
        String one = "{\"tenant\":\"t\"}";

        assertThat(read("{\"commands\":[" + String.join(",", Collections.nCopies(500, one)) + "]}")
                        .commands())
                .hasSize(500);
        assertThat(problem("{\"commands\":[" + String.join(",", Collections.nCopies(501, one)) + "]}"))
                .isEqualTo("batch has 501 commands; it must have 1 to 500");
        assertThat(problem("{\"commands\":[]}")).isEqualTo("batch has 0 commands; it must have 1 to 500");
    }

    // ---- what is wrong with one command

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "7|command is 7; it must be an object",
                "null|command is null; it must be an object",
                "[]|command is a list; it must be an object",
                "{}|ip is missing; stage 'ip' cannot do without it",
                "{\"stage\":\"tenant\"}|tenant is missing; stage 'tenant' cannot do without it",
                "{\"stage\":\"TENANT\"}|stage is 'TENANT'; it must be one of ip, target, tenant",
                "{\"op\":\"release\"}|op is 'release'; it must be one of admit, peek",
                "{\"op\":7}|op is 7; it must be a string",
                "{\"tenant\":null}|tenant is null; it must be a string",
                "{\"tenant\":[1]}|tenant is a list; it must be a string",
                "{\"tenant\":{}}|tenant is an object; it must be a string",
                "{\"user\":1}|user is 1; it must be a string",
                "{\"apiKey\":true}|apiKey is true; it must be a string",
                "{\"ip\":false}|ip is false; it must be a string",
                "{\"target\":1}|target is 1; it must be a string",
                "{\"route\":1}|route is 1; it must be a string",
                "{\"tenant\":\"t\",\"idempotencyKey\":1}|idempotencyKey is 1; it must be a string",
                "{\"authenticated\":\"true\"}|authenticated is a string; it must be true or false",
                "{\"tenant\":\"t\",\"explain\":1}|explain is 1; it must be true or false",
                "{\"tenant\":\"t\",\"trace\":null}|trace is null; it must be true or false",
                "{\"attributes\":[]}|attributes is a list; it must be an object",
                "{\"attributes\":{\"plan\":1}}|attributes.plan is 1; it must be a string",
                "{\"attributes\":{\"a\":\"1\",\"a\":\"1\"}}|attributes.a stands twice; it may stand once",
                "{\"cost\":\"1\"}|cost is a string; it must be a whole number of 64 bits, without fraction or exponent",
                "{\"cost\":1.0}|cost is 1.0; it must be a whole number of 64 bits, without fraction or exponent",
                "{\"cost\":1e3}|cost is 1e3; it must be a whole number of 64 bits, without fraction or exponent",
                "{\"cost\":-0}|cost is -0; it must be a whole number of 64 bits, without fraction or exponent",
                "{\"tenant\":\"t\",\"cost\":-1}|cost is -1; it must be 0 to 1000000000000",
                "{\"tenant\":\"t\",\"cost\":1000000000001}|cost is 1000000000001; it must be 0 to 1000000000000",
                "{\"costs\":1}|costs is 1; it must be an object",
                "{\"costs\":{\"m\":\"1\"}}|costs.m is a string; it must be a whole number of 64 bits, without fraction or exponent",
                "{\"tenant\":\"t\",\"costs\":{\"m\":-1}}|costs.m is -1; it must be 0 to 1000000000000",
                "{\"costs\":{\"requests\":1}}|costs has the meter 'requests'; what it costs there is the field cost",
                "{\"tenant\":\"t\",\"deadlineMillis\":\"now\"}|deadlineMillis is a string; it must be a whole number of 64 bits, without fraction or exponent",
                "{\"tenant\":\"t\",\"deadlineMillis\":9223372036854775808}|deadlineMillis is 9223372036854775808; it must be a whole number of 64 bits, without fraction or exponent",
                "{\"cost\":1,\"cost\":1}|cost stands twice; it may stand once"
            })
    void names_the_field_and_its_neighbour_stands(String command, String told) {
        assertThat(reason(command)).isEqualTo(told);
    }

    @Test
    void lists_the_fields_when_one_is_unknown() {
        assertThat(reason("{\"tenannt\":\"t\"}"))
                .isEqualTo(
                        "there is no field tenannt; the fields are op, stage, tenant, user, apiKey, ip, target,"
                                + " authenticated, route, attributes, cost, costs, deadlineMillis, explain, idempotencyKey, trace");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"tenant\":\"a\\ud83d\"}|tenant has half of a surrogate pair; it must be Unicode text: 'a?'",
                "{\"user\":\"\\ude00\\ud83d\"}|user has half of a surrogate pair; it must be Unicode text: '??'",
                "{\"attributes\":{\"a\":\"\\ude00\"}}|attributes.a has half of a surrogate pair; it must be Unicode text: '?'",
                "{\"attributes\":{\"\\ud83d\":\"\"}}|attributes has half of a surrogate pair; it must be Unicode text: '?'"
            })
    void half_a_surrogate_pair_is_no_text(String command, String told) {
        assertThat(reason(command)).isEqualTo(told);
    }

    @Test
    void a_long_string_is_told_in_short() {
        String longest = "x".repeat(MANY);

        assertThat(reason("{\"tenant\":\"" + longest + "\"}"))
                .isEqualTo("tenant has 10000000 characters; at most 256 are allowed: '" + "x".repeat(32) + "…'");
        assertThat(reason("{\"" + longest + "\":1}")).startsWith("there is no field " + "x".repeat(64) + "…; ");
        assertThat(reason("{\"op\":\"" + longest + "\"}")).startsWith("op is '" + "x".repeat(64) + "…'; ");
        assertThat(reason("{\"costs\":{\"" + longest + "\":true}}"))
                .startsWith("costs." + "x".repeat(64) + "… is true");
        assertThat(reason("{\"tenant\":\"t\",\"costs\":{\"" + longest + "\":1}}"))
                .startsWith("meter is 'xxx");
        assertThat(reason("{\"tenant\":\"t\",\"idempotencyKey\":\"" + longest + "\"}"))
                .isEqualTo("idempotencyKey has 10000000 characters; at most 256 are allowed");
    }

    @Test
    void what_is_told_of_a_string_is_cut_between_characters_and_has_no_control_characters() {
        assertThat(reason("{\"" + "😀\\n".repeat(100) + "\":1}"))
                .startsWith("there is no field " + "😀?".repeat(32) + "…; ");
    }

    // ---- what cannot be read at all

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``|line 1, column 1: here is the end; a value must begin",
                "NaN|line 1, column 1: here is 'N'; a value must begin",
                "{\"cost\":NaN}|line 1, column 9: here is 'N'; a value must begin",
                "{\"cost\":-Infinity}|line 1, column 10: here is 'I'; a digit must stand",
                "{\"cost\":+1}|line 1, column 9: here is '+'; a value must begin",
                "{\"cost\":.5}|line 1, column 9: here is '.'; a value must begin",
                "{\"cost\":5.}|line 1, column 11: here is '}'; a digit must stand",
                "{\"cost\":1e}|line 1, column 11: here is '}'; a digit must stand",
                "{\"cost\":01}|line 1, column 10: here is '1'; '}' must stand",
                "{\"cost\":0x1}|line 1, column 10: here is 'x'; '}' must stand",
                "{\"cost\":٣}|line 1, column 9: here is U+0663; a value must begin",
                "{'cost':1}|line 1, column 2: here is '''; a field's name must begin with '\"'",
                "{cost:1}|line 1, column 2: here is 'c'; a field's name must begin with '\"'",
                "{\"cost\":1,}|line 1, column 11: here is '}'; a field's name must begin with '\"'",
                "{\"cost\" 1}|line 1, column 9: here is '1'; ':' must stand",
                "{\"cost\":1|line 1, column 10: here is the end; '}' must stand",
                "{\"commands\":[1,]}|line 1, column 16: here is ']'; a value must begin",
                "{\"commands\":[1 2]}|line 1, column 16: here is '2'; ']' must stand",
                "{\"explain\":tru}|line 1, column 12: here is 't'; a value must begin, or the word true stand whole",
                "{} {}|line 1, column 4: here is '{'; the text must end",
                "// hello|line 1, column 1: here is '/'; a value must begin",
                "{\"tenant\":\"😀é\\x\"}|line 1, column 15: here is 'x'; one of \"\\/bfnrtu must follow the backslash",
                "{\"tenant\":\"\\u12g4\"}|line 1, column 16: here is 'g'; a hexadecimal digit must stand",
                "{\"tenant\":\"\\u１234\"}|line 1, column 14: here is U+FF11; a hexadecimal digit must stand",
                "{\"tenant\":\"a|line 1, column 13: here is the end; a string must go on; a control character in it is written \\uXXXX"
            })
    void names_the_place_of_what_is_not_json(String json, String told) {
        assertThat(problem(json)).isEqualTo("value cannot be read as JSON: " + told);
    }

    @Test
    void lines_are_counted_and_columns_are_characters() {
        assertThat(problem("{\r\n  \"😀\": 1,\n\t\"é\": ?"))
                .isEqualTo("value cannot be read as JSON: line 3, column 7: here is '?'; a value must begin");
        assertThat(problem("{\"tenant\":\"a\nb\"}"))
                .isEqualTo("value cannot be read as JSON: line 1, column 13: here is U+000A; a string must go on;"
                        + " a control character in it is written \\uXXXX");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ff", // no byte of UTF-8
                "c080", // a zero in two bytes
                "eda080", // half a surrogate pair
                "f4908080", // beyond Unicode
                "e282", // two of three bytes
                "80" // the middle of something
            })
    void names_the_place_of_bytes_that_are_not_utf_8(String hex) {
        byte[] before = "{\"tenant\":\n\"é".getBytes(StandardCharsets.UTF_8);
        byte[] broken = HexFormat.of().parseHex(hex);
        byte[] bytes = Arrays.copyOf(before, before.length + broken.length);
        System.arraycopy(broken, 0, bytes, before.length, broken.length);

        assertThat(problem(bytes))
                .isEqualTo("value cannot be read as JSON: line 2, column 3: the bytes from here on are not UTF-8");
    }

    @Test
    void a_byte_order_mark_and_other_encodings_are_refused() {
        assertThat(problem("\ufeff{\"tenant\":\"t\"}"))
                .isEqualTo("value cannot be read as JSON: line 1, column 1: here is U+FEFF; a value must begin");
        assertThat(problem("{\"tenant\":\"t\"}".getBytes(StandardCharsets.UTF_16)))
                .endsWith("line 1, column 1: the bytes from here on are not UTF-8");
        assertThat(problem("{\"tenant\":\"t\"}".getBytes(StandardCharsets.UTF_16LE)))
                .endsWith("line 1, column 2: here is U+0000; a field's name must begin with '\"'");
    }

    @Test
    void nesting_has_an_end() {
        String told = "value cannot be read as JSON: line 1, column 9: lists and objects are nested more than 8 deep";

        assertThat(problem("[".repeat(8) + "]".repeat(8))).startsWith("value is no JSON object");
        assertThat(problem("[".repeat(9) + "]".repeat(9))).isEqualTo(told);
        assertThat(problem("[".repeat(MANY))).isEqualTo(told);
        assertThat(problem("{\"a\":".repeat(MANY / 5))).isEqualTo(told.replace("column 9", "column " + (8 * 5 + 1)));
    }

    @Test
    void numbers_have_an_end() {
        assertThat(reason("{\"cost\":" + "9".repeat(64) + "}")).startsWith("cost is 9999");
        assertThat(problem("{\"cost\":" + "9".repeat(65) + "}"))
                .isEqualTo("value cannot be read as JSON: line 1, column 9: a number has 65 characters;"
                        + " at most 64 are allowed");
        assertThat(problem("{\"cost\":1e" + "9".repeat(MANY) + "}")).contains("a number has 10000002 characters");
        assertThat(reason("{\"cost\":1e999999999}")).startsWith("cost is 1e999999999; it must be a whole number");
    }

    @Test
    void values_have_an_end() {
        String full = String.join(",", Collections.nCopies(JsonReader.MAX_VALUES - 1, "0"));

        assertThat(problem("[" + full + "]")).startsWith("value is no JSON object");
        assertThat(problem("[" + full + ",0]")).endsWith("there are more than 100000 values");
        assertThat(problem("{\"commands\":[" + "0,".repeat(MANY) + "0]}")).endsWith("more than 100000 values");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]|value is no JSON object; it must be a command or a batch of them",
                "\"tenant\"|value is no JSON object; it must be a command or a batch of them",
                "{\"commands\":{}}|commands is an object; it must be a list",
                "{\"attempt\":{\"gateway\":\"g\",\"epoch\":1,\"sequence\":0}}|commands is missing; a batch has them in a list",
                "{\"commands\":[{}],\"tenant\":\"t\"}|there is no field tenant; the fields are attempt, commands",
                "{\"commands\":[{}],\"commands\":[{}]}|commands stands twice; it may stand once",
                "{\"commands\":[{}],\"attempt\":null}|attempt is null; it must be an object",
                "{\"commands\":[{}],\"attempt\":{\"gateway\":\"g\",\"epoch\":1}}|attempt.sequence is missing; an attempt has gateway, epoch, sequence",
                "{\"commands\":[{}],\"attempt\":{\"x\":\"g\"}}|there is no field attempt.x; the fields are gateway, epoch, sequence",
                "{\"commands\":[{}],\"attempt\":{\"gateway\":\"g\",\"epoch\":1,\"sequence\":-1}}|sequence is -1; it must not be negative",
                "{\"commands\":[{}],\"attempt\":{\"gateway\":\"\",\"epoch\":1,\"sequence\":1}}|gateway has 0 characters; it must have 1 to 128",
                "{\"commands\":[{}],\"attempt\":{\"gateway\":\"\\udc00\",\"epoch\":1,\"sequence\":1}}|attempt.gateway has half of a surrogate pair; it must be Unicode text: '?'",
                "{\"commands\":[{}],\"attempt\":{\"gateway\":\"g\",\"epoch\":1.5,\"sequence\":1}}|attempt.epoch is 1.5; it must be a whole number of 64 bits, without fraction or exponent"
            })
    void what_is_wrong_with_the_batch_is_wrong_for_all_of_it(String json, String told) {
        assertThat(problem(json)).isEqualTo(told);
    }
}
