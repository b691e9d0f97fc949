package io.headgate.schemas;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.schemas.JsonValue.Fields;
import io.headgate.schemas.JsonValue.Items;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Requests written in JSON: a batch, {@code {"attempt": {…}, "commands": [{…}, …]}}, or a command alone. The fields are
 * those of {@code RequestBatch}, the words those of {@code POST /v1/check}. Reading is strict.
 */
final class JsonRequests {

    private static final String ATTEMPT = "attempt";
    private static final String COMMANDS = "commands";
    private static final List<String> BATCH_FIELDS = List.of(ATTEMPT, COMMANDS);
    private static final List<String> ATTEMPT_FIELDS = List.of("gateway", "epoch", "sequence");
    private static final List<String> COMMAND_FIELDS = List.of(
            "op",
            "stage",
            "tenant",
            "user",
            "apiKey",
            "ip",
            "target",
            "authenticated",
            "route",
            "attributes",
            "cost",
            "costs",
            "deadlineMillis",
            "explain",
            "idempotencyKey",
            "trace");

    private static final String ADMIT = "admit";
    private static final String PEEK = "peek";
    private static final List<String> STAGES =
            Arrays.stream(Stage.values()).map(Stage::label).toList();

    private JsonRequests() {}

    /**
     * Reads a batch. A command that makes no sense becomes {@link Command.Malformed}, and its neighbours stand.
     *
     * @throws UnreadableRecordException if there is no batch in the bytes
     */
    static Requests decode(byte[] bytes) {
        if (!(JsonReader.read(bytes) instanceof Fields object)) {
            throw new UnreadableRecordException("value is no JSON object; it must be a command or a batch of them");
        }
        boolean batch = object.fields().stream().anyMatch(field -> BATCH_FIELDS.contains(field.name()));
        try {
            return batch ? batch(object) : new Requests(Optional.empty(), List.of(command(object)));
        } catch (IllegalArgumentException wrong) {
            throw new UnreadableRecordException(wrong.getMessage());
        }
    }

    private static Requests batch(Fields object) {
        JsonFields batch = JsonFields.of("", object, BATCH_FIELDS);
        Optional<Attempt> attempt = batch.value(ATTEMPT).map(JsonRequests::attempt);
        JsonValue commands = batch.value(COMMANDS)
                .orElseThrow(() -> new IllegalArgumentException(COMMANDS + " is missing; a batch has them in a list"));
        if (!(commands instanceof Items items)) {
            throw new IllegalArgumentException(COMMANDS + " is " + commands.kind() + "; it must be a list");
        }
        // Before anything is made of them: there may be a hundred thousand.
        if (items.values().size() > Requests.MAX_COMMANDS) {
            throw new IllegalArgumentException(
                    "batch has " + items.values().size() + " commands; it must have 1 to " + Requests.MAX_COMMANDS);
        }
        return new Requests(
                attempt, items.values().stream().map(JsonRequests::command).toList());
    }

    private static Attempt attempt(JsonValue value) {
        if (!(value instanceof Fields object)) {
            throw new IllegalArgumentException(ATTEMPT + " is " + value.kind() + "; it must be an object");
        }
        JsonFields attempt = JsonFields.of(ATTEMPT + ".", object, ATTEMPT_FIELDS);
        ATTEMPT_FIELDS.forEach(name -> {
            if (!attempt.has(name)) {
                throw new IllegalArgumentException(
                        ATTEMPT + "." + name + " is missing; an attempt has " + String.join(", ", ATTEMPT_FIELDS));
            }
        });
        return new Attempt(attempt.text("gateway", ""), attempt.number("epoch", 0), attempt.number("sequence", 0));
    }

    private static Command command(JsonValue value) {
        if (!(value instanceof Fields object)) {
            return new Command.Malformed("command is " + value.kind() + "; it must be an object");
        }
        try {
            return ask(JsonFields.of("", object, COMMAND_FIELDS));
        } catch (IllegalArgumentException wrong) {
            return new Command.Malformed(wrong.getMessage());
        }
    }

    private static Command ask(JsonFields command) {
        boolean peek = command.word("op", List.of(ADMIT, PEEK), ADMIT).equals(PEEK);
        Identity who = new Identity(
                command.text("tenant", ""),
                command.text("user", ""),
                command.text("apiKey", ""),
                command.text("ip", ""),
                command.text("target", ""));
        boolean hasTenant = !who.tenant().isEmpty();
        Stage otherwise = hasTenant ? Stage.TENANT : Stage.IP;
        Admission admission = new Admission(
                Stage.labelled(command.word("stage", STAGES, otherwise.label())),
                who,
                command.flag("authenticated", hasTenant),
                command.text("route", ""),
                command.texts("attributes"),
                RequestRecords.costs(command.number("cost", 1), command.numbers("costs")));
        return new Command.Ask(
                admission,
                peek,
                command.number("deadlineMillis", Command.NEVER),
                command.flag("explain", false),
                command.text("idempotencyKey", ""),
                command.flag("trace", false));
    }
}
