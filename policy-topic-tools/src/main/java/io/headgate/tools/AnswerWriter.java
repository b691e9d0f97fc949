package io.headgate.tools;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Scope;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Writes answers as JSON, an object a line. Every object has every field, in one order; a field without an honest value
 * is null. The format is described in docs/evaluate.md and is a promise.
 */
final class AnswerWriter {

    private static final JsonFactory JSON =
            JsonFactory.builder().disable(StreamWriteFeature.AUTO_CLOSE_TARGET).build();

    private final JsonGenerator json;

    AnswerWriter(OutputStream out) throws IOException {
        this.json = JSON.createGenerator(out, JsonEncoding.UTF8).setRootValueSeparator(null);
    }

    void write(Answer answer) throws IOException {
        Optional<Decision> decisive = answer.decisive();
        json.writeStartObject();
        json.writeNumberField("t", answer.request().timeMillis());
        json.writeBooleanField("allowed", answer.verdict() == Verdict.ALLOW);
        json.writeStringField("verdict", answer.verdict().name());
        text("decisionId", decisive.map(it -> it.id().toString()));
        json.writeNumberField("policyVersion", answer.policyVersion());
        text("denyingRule", decisive.flatMap(Decision::denyingRule));
        text("scope", decisive.flatMap(Decision::scope).map(Scope::label));
        number("limit", decisive.map(Decision::limit).orElse(OptionalLong.empty()));
        number("remaining", decisive.map(Decision::remaining).orElse(OptionalLong.empty()));
        OptionalLong wait = decisive.map(Decision::retryAfterMillis).orElse(OptionalLong.empty());
        number("retryAfterMillis", wait);
        number("retryAfterSeconds", wait.isPresent() ? OptionalLong.of(secondsRoundedUp(wait.getAsLong())) : wait);
        ids("shadowDenials", answer, Decision::shadowDenials);
        rules(answer);
        json.writeBooleanField("replayed", decisive.map(Decision::replayed).orElse(false));
        ids("softDenials", answer, Decision::softDenials);
        number("paceAfterMillis", pace(answer));
        ids("actions", answer, Decision::actions);
        json.writeEndObject();
        json.writeRaw('\n');
    }

    void flush() throws IOException {
        json.flush();
    }

    /** The pace that every stage asks for: the longest, and none if one of them knows none. */
    private static OptionalLong pace(Answer answer) {
        OptionalLong longest = OptionalLong.empty();
        for (Decision decision : answer.decisions()) {
            OptionalLong pace = decision.paceAfterMillis();
            if (pace.isEmpty() && !decision.softDenials().isEmpty()) {
                return OptionalLong.empty();
            }
            if (pace.isPresent() && (longest.isEmpty() || pace.getAsLong() > longest.getAsLong())) {
                longest = pace;
            }
        }
        return longest;
    }

    private void ids(String field, Answer answer, Function<Decision, List<String>> idsOf) throws IOException {
        json.writeArrayFieldStart(field);
        for (Decision decision : answer.decisions()) {
            for (String id : idsOf.apply(decision)) {
                json.writeString(id);
            }
        }
        json.writeEndArray();
    }

    private void rules(Answer answer) throws IOException {
        json.writeArrayFieldStart("rules");
        for (Decision decision : answer.decisions()) {
            for (RuleOutcome outcome : decision.rules()) {
                json.writeStartObject();
                json.writeStringField("id", outcome.ruleId());
                json.writeStringField("verdict", outcome.said().name());
                number("remaining", outcome.remaining());
                json.writeEndObject();
            }
        }
        json.writeEndArray();
    }

    private void text(String field, Optional<String> value) throws IOException {
        json.writeFieldName(field);
        if (value.isPresent()) {
            json.writeString(value.get());
        } else {
            json.writeNull();
        }
    }

    private void number(String field, OptionalLong value) throws IOException {
        json.writeFieldName(field);
        if (value.isPresent()) {
            json.writeNumber(value.getAsLong());
        } else {
            json.writeNull();
        }
    }

    private static long secondsRoundedUp(long millis) {
        return millis / 1_000 + (millis % 1_000 == 0 ? 0 : 1);
    }
}
