package io.headgate.schemas;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Meter;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord;
import io.headgate.schemas.wire.Attempt;
import io.headgate.schemas.wire.Op;
import io.headgate.schemas.wire.RequestBatch;
import io.headgate.schemas.wire.StageName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Batches of requests as they stand on {@code admission-requests}. */
public final class RequestRecords {

    private static final WireFormat<RequestBatch> FORMAT = new WireFormat<>(RequestBatch.class);

    private RequestRecords() {}

    /** The batch as bytes. A {@link Command.Malformed} has no place in what we send. */
    public static byte[] encode(LogRecord.Requests requests) {
        List<io.headgate.schemas.wire.Command> commands = new ArrayList<>();
        for (Command command : requests.commands()) {
            commands.add(toWire((Command.Ask) command));
        }
        Attempt attempt = requests.attempt()
                .map(it -> new Attempt(it.gateway(), it.epoch(), it.sequence()))
                .orElse(null);
        return FORMAT.encode(new RequestBatch(attempt, commands));
    }

    /**
     * Reads a batch. A command with a field out of range becomes {@link Command.Malformed}, and its neighbours stand.
     *
     * @throws UnreadableRecordException if there is no batch in the bytes
     */
    public static LogRecord.Requests decode(byte[] bytes) {
        RequestBatch batch = FORMAT.decode(bytes);
        List<Command> commands = new ArrayList<>(batch.getCommands().size());
        batch.getCommands().forEach(command -> commands.add(fromWire(command)));
        try {
            return new LogRecord.Requests(
                    Optional.ofNullable(batch.getAttempt())
                            .map(it -> new LogRecord.Attempt(it.getGateway(), it.getEpoch(), it.getSequence())),
                    commands);
        } catch (IllegalArgumentException outOfRange) {
            throw new UnreadableRecordException(outOfRange.getMessage());
        }
    }

    private static io.headgate.schemas.wire.Command toWire(Command.Ask ask) {
        Admission admission = ask.admission();
        Identity who = admission.identity();
        return new io.headgate.schemas.wire.Command(
                ask.peek() ? Op.PEEK : Op.ADMIT,
                StageName.valueOf(admission.stage().name()),
                who.tenant(),
                who.user(),
                who.apiKey(),
                who.ip(),
                who.target(),
                admission.authenticated(),
                admission.route(),
                admission.attributes(),
                admission.cost(Meter.REQUESTS).orElseThrow(),
                otherCosts(admission),
                ask.deadlineMillis() == Command.NEVER ? null : ask.deadlineMillis(),
                ask.explain(),
                ask.idempotencyKey(),
                ask.trace());
    }

    private static Map<String, Long> otherCosts(Admission admission) {
        Map<String, Long> others = new TreeMap<>(admission.costs());
        others.remove(Meter.REQUESTS);
        return others;
    }

    /**
     * What a command costs by meter.
     *
     * @throws IllegalArgumentException if the other meters have that of {@code cost} among them
     */
    static Map<String, Long> costs(long cost, Map<String, Long> others) {
        if (others.containsKey(Meter.REQUESTS)) {
            throw new IllegalArgumentException(
                    "costs has the meter '" + Meter.REQUESTS + "'; what it costs there is the field cost");
        }
        Map<String, Long> costs = new TreeMap<>(others);
        costs.put(Meter.REQUESTS, cost);
        return costs;
    }

    private static Command fromWire(io.headgate.schemas.wire.Command command) {
        if (command.getOp() == Op.UNKNOWN) {
            return new Command.Malformed("op is not one that this version knows; it must be ADMIT or PEEK");
        }
        if (command.getStage() == StageName.UNKNOWN) {
            return new Command.Malformed("stage is not one that this version knows; it must be IP, TARGET or TENANT");
        }
        try {
            Admission admission = new Admission(
                    Stage.valueOf(command.getStage().name()),
                    new Identity(
                            command.getTenant(),
                            command.getUser(),
                            command.getApiKey(),
                            command.getIp(),
                            command.getTarget()),
                    command.getAuthenticated(),
                    command.getRoute(),
                    command.getAttributes(),
                    costs(command.getCost(), command.getCosts()));
            Long deadlineMillis = command.getDeadlineMillis();
            return new Command.Ask(
                    admission,
                    command.getOp() == Op.PEEK,
                    deadlineMillis == null ? Command.NEVER : deadlineMillis,
                    command.getExplain(),
                    command.getIdempotencyKey(),
                    command.getTrace());
        } catch (IllegalArgumentException outOfRange) {
            return new Command.Malformed(outOfRange.getMessage());
        }
    }
}
