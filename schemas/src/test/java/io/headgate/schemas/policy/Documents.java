package io.headgate.schemas.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.Rule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Documents for tests. Their quotes are single, to be readable. */
final class Documents {

    private Documents() {}

    static Rule onlyRule(String rule) {
        return parse(withRules(rule)).policy().rules().get(0);
    }

    static String withRules(String rules) {
        return document(
                "'name':'n','version':1",
                "'domain':'d','routes':{'read':[{'method':'GET','path':'/r'}]},'rules':[" + rules + "]");
    }

    static String document(String metadata, String spec) {
        return "{'apiVersion':'headgate.io/v1','kind':'PolicySnapshot','metadata':{" + metadata + "},'spec':{" + spec
                + "}}";
    }

    static PolicyDocument parse(String text) {
        return PolicyDocument.parse(bytes(text));
    }

    static void assertRuleProblems(String rules, String... problems) {
        assertProblems(withRules(rules), problems);
    }

    static void assertProblems(String text, String... problems) {
        assertThat(problems(() -> parse(text))).containsExactly(problems);
    }

    static List<String> problems(ThrowingCallable reading) {
        return catchThrowableOfType(InvalidPolicyException.class, reading).problems().stream()
                .map(InvalidPolicyException.Problem::toString)
                .toList();
    }

    static JsonParser parser(String text) throws IOException {
        return new JsonFactory().createParser(json(text));
    }

    static byte[] bytes(String text) {
        return json(text).getBytes(StandardCharsets.UTF_8);
    }

    static String json(String text) {
        return text.replace('\'', '"');
    }
}
