package io.headgate.tools.backtest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.headgate.core.shard.ShardSettings;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Locale;

/** A report as one JSON object. Its fields are a promise; others may be added. */
final class JsonReport {

    private static final JsonFactory JSON =
            JsonFactory.builder().disable(StreamWriteFeature.AUTO_CLOSE_TARGET).build();

    private final Report report;
    private final Tally tally;
    private final JsonGenerator json;

    private JsonReport(Report report, JsonGenerator json) {
        this.report = report;
        this.tally = report.tally();
        this.json = json;
    }

    static void write(Report report, Writer out) throws IOException {
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.setPrettyPrinter(
                    new DefaultPrettyPrinter().withObjectIndenter(lines).withArrayIndenter(lines));
            new JsonReport(report, json).write();
            json.writeRaw('\n');
        }
    }

    private void write() throws IOException {
        json.writeStartObject();
        version("candidate", report.candidate());
        version("baseline", report.baseline());
        json.writeStringField("source", report.source());
        json.writeNumberField("semanticsVersion", ShardSettings.NEWEST_SEMANTICS);
        if (tally.total(Column.REQUESTS) > 0) {
            json.writeNumberField("fromMillis", tally.firstMillis());
            json.writeNumberField("toMillis", tally.lastMillis());
        }
        for (Column column : Column.values()) {
            json.writeNumberField(camel(column), tally.total(column));
        }
        json.writeNumberField("unreadable", tally.badCount());
        texts("firstUnreadable", tally.bad());
        rules();
        people("tenants", tally.tenants());
        people("routeGroups", tally.routes());
        people("callers", tally.callers());
        keys();
        examples("firstNewlyDenied", tally.newlyDenied());
        examples("firstNewlyAllowed", tally.newlyAllowed());
        course();
        texts("remarks", report.remarks());
        json.writeObjectFieldStart("threshold");
        json.writeStringField("maxNewlyDenied", report.threshold().words());
        json.writeBooleanField("within", report.withinThreshold());
        json.writeEndObject();
        json.writeEndObject();
    }

    private void version(String field, Report.Version version) throws IOException {
        json.writeObjectFieldStart(field);
        json.writeStringField("from", version.from());
        json.writeStringField("name", version.name());
        json.writeNumberField("version", version.version());
        json.writeStringField("contentHash", version.contentHash());
        json.writeEndObject();
    }

    private void rules() throws IOException {
        json.writeArrayFieldStart("rules");
        for (Counts.Row row : tally.rules().all()) {
            json.writeStartObject();
            json.writeStringField("id", row.name());
            for (RuleColumn column : RuleColumn.values()) {
                json.writeNumberField(camel(column), row.count(column));
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void people(String field, Counts counts) throws IOException {
        json.writeObjectFieldStart(field);
        json.writeNumberField("mayMiss", counts.missing());
        json.writeArrayFieldStart("top");
        for (Counts.Row row : counts.top(Column.NEWLY_DENIED, report.top())) {
            json.writeStartObject();
            json.writeStringField("name", row.name());
            for (Column column : Column.values()) {
                json.writeNumberField(camel(column), row.count(column));
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void keys() throws IOException {
        json.writeObjectFieldStart("keys");
        json.writeNumberField("mayMiss", tally.keys().missing());
        json.writeArrayFieldStart("top");
        for (Counts.Row row : tally.keys().top(RuleColumn.NEWLY_DENIED, report.top())) {
            int at = row.name().indexOf(Tally.SEPARATOR);
            json.writeStartObject();
            json.writeStringField("rule", row.name().substring(0, at));
            json.writeStringField("key", row.name().substring(at + 1));
            json.writeNumberField("newlyDenied", row.count(RuleColumn.NEWLY_DENIED));
            json.writeNumberField("newlyAllowed", row.count(RuleColumn.NEWLY_ALLOWED));
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void examples(String field, List<Example> examples) throws IOException {
        json.writeArrayFieldStart(field);
        for (Example example : examples) {
            json.writeStartObject();
            json.writeStringField("place", example.place());
            json.writeNumberField("t", example.timeMillis());
            json.writeStringField("who", example.who());
            json.writeStringField("route", example.route());
            json.writeStringField("rule", example.rule());
            number("limit", example.limit());
            number("remaining", example.remaining());
            number("retryAfterMillis", example.retryAfterMillis());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void course() throws IOException {
        json.writeObjectFieldStart("course");
        json.writeNumberField("spanMillis", tally.course().spanMillis());
        json.writeArrayFieldStart("spans");
        for (Course.Span span : tally.course().spans()) {
            json.writeStartObject();
            json.writeNumberField("t", span.fromMillis());
            for (Column column : Column.values()) {
                json.writeNumberField(camel(column), span.counts()[column.place()]);
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void texts(String field, List<String> texts) throws IOException {
        json.writeArrayFieldStart(field);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }

    private void number(String field, long value) throws IOException {
        if (value < 0) {
            json.writeNullField(field);
        } else {
            json.writeNumberField(field, value);
        }
    }

    /** NEWLY_DENIED as newlyDenied. */
    static String camel(CountColumn column) {
        StringBuilder name = new StringBuilder();
        for (String word : column.name().toLowerCase(Locale.ROOT).split("_", -1)) {
            name.append(name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return name.toString();
    }
}
