package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.schemas.wire.Attempt;
import io.headgate.schemas.wire.Command;
import io.headgate.schemas.wire.Op;
import io.headgate.schemas.wire.RequestBatch;
import io.headgate.schemas.wire.StageName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The same batch, good or not, in Avro and in JSON, is the same to a shard. */
class JsonEqualsAvroTest {

    private static final int BATCHES = 5_000;
    private static final List<String> TEXTS = List.of(
            "atlas",
            "naïve",
            "☃",
            "😀",
            "\"\\/",
            "\u0000\u0001\u001f\u007f",
            "\u2028\ufeff\uffff",
            "tab\tline\n",
            " ",
            "x");

    private long malformed;

    @Test
    void random_batches() throws IOException {
        for (int seed = 0; seed < BATCHES; seed++) {
            Random random = new Random(seed);
            RequestBatch batch = batch(random);
            String json = json(batch, random);

            Requests fromAvro = RequestRecords.decode(bytes(batch.toByteBuffer()));

            assertThat(JsonRequests.decode(json.getBytes(StandardCharsets.UTF_8)))
                    .as("seed %d", seed)
                    .isEqualTo(fromAvro);
            malformed += fromAvro.commands().stream()
                    .filter(command -> command instanceof io.headgate.core.shard.Command.Malformed)
                    .count();
        }
        assertThat(malformed).as("some are out of range").isBetween(1_000L, 10_000L);
    }

    // ---- what is asked

    private static RequestBatch batch(Random random) {
        List<Command> commands = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
            commands.add(command(random));
        }
        Attempt attempt = random.nextBoolean()
                ? null
                : new Attempt("g" + any(random, TEXTS), random.nextLong(), random.nextLong() & Long.MAX_VALUE);
        return new RequestBatch(attempt, commands);
    }

    private static Command command(Random random) {
        return Command.newBuilder()
                .setOp(random.nextBoolean() ? Op.ADMIT : Op.PEEK)
                .setStage(any(random, List.of(StageName.IP, StageName.TARGET, StageName.TENANT)))
                .setTenant(text(random))
                .setUser(text(random))
                .setApiKey(text(random))
                .setIp(text(random))
                .setTarget(text(random))
                .setAuthenticated(random.nextBoolean())
                .setRoute(random.nextInt(50) == 0 ? "r".repeat(4_090 + random.nextInt(12)) : text(random))
                .setAttributes(attributes(random))
                .setCost(number(random))
                .setCosts(costs(random))
                .setDeadlineMillis(random.nextBoolean() ? null : random.nextLong())
                .setExplain(random.nextBoolean())
                .setIdempotencyKey(text(random))
                .setTrace(random.nextBoolean())
                .build();
    }

    private static <T> T any(Random random, List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Empty, short, or around the longest that is allowed. */
    private static String text(Random random) {
        return switch (random.nextInt(20)) {
            case 0, 1, 2 -> "";
            case 3 -> "y".repeat(random.nextInt(3) == 0 ? 257 : 256);
            default -> any(random, TEXTS) + (random.nextBoolean() ? any(random, TEXTS) : "");
        };
    }

    private static long number(Random random) {
        return switch (random.nextInt(30)) {
            case 0 -> random.nextLong();
            case 1 -> 1_000_000_000_000L + random.nextInt(2);
            case 2 -> -1;
            default -> random.nextInt(1_000);
        };
    }

    private static Map<String, String> attributes(Random random) {
        Map<String, String> attributes = new TreeMap<>();
        int count = random.nextInt(40) == 0 ? 31 + random.nextInt(3) : random.nextInt(3);
        for (int i = 0; i < count; i++) {
            attributes.put(i + text(random), text(random));
        }
        return attributes;
    }

    private static Map<String, Long> costs(Random random) {
        Map<String, Long> costs = new TreeMap<>();
        int count = random.nextInt(20) == 0 ? 6 + random.nextInt(4) : random.nextInt(2);
        for (int i = 0; i < count; i++) {
            costs.put(
                    random.nextInt(40) == 0 ? any(random, List.of("requests", "Upper", "ü")) : "m-" + i,
                    number(random));
        }
        return costs;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    // ---- how it is written in JSON: in any order, with any white space, any escapes, defaults or not

    private static String json(RequestBatch batch, Random random) {
        List<String> commands = new ArrayList<>();
        batch.getCommands().forEach(command -> commands.add(json(command, random)));
        if (batch.getAttempt() == null && commands.size() == 1 && random.nextBoolean()) {
            return commands.get(0);
        }
        Map<String, String> fields = new TreeMap<>();
        fields.put("commands", "[" + String.join(space(random) + ",", commands) + "]");
        if (batch.getAttempt() != null) {
            Map<String, String> attempt = new TreeMap<>();
            attempt.put("gateway", string(batch.getAttempt().getGateway(), random));
            attempt.put("epoch", Long.toString(batch.getAttempt().getEpoch()));
            attempt.put("sequence", Long.toString(batch.getAttempt().getSequence()));
            fields.put("attempt", object(attempt, random));
        }
        return object(fields, random);
    }

    private static String json(Command command, Random random) {
        Map<String, String> fields = new TreeMap<>();
        fields.put("stage", string(command.getStage().name().toLowerCase(Locale.ROOT), random));
        fields.put("authenticated", Boolean.toString(command.getAuthenticated()));
        put(fields, random, "op", string(command.getOp().name().toLowerCase(Locale.ROOT), random), "\"admit\"");
        put(fields, random, "tenant", string(command.getTenant(), random), "\"\"");
        put(fields, random, "user", string(command.getUser(), random), "\"\"");
        put(fields, random, "apiKey", string(command.getApiKey(), random), "\"\"");
        put(fields, random, "ip", string(command.getIp(), random), "\"\"");
        put(fields, random, "target", string(command.getTarget(), random), "\"\"");
        put(fields, random, "route", string(command.getRoute(), random), "\"\"");
        put(fields, random, "idempotencyKey", string(command.getIdempotencyKey(), random), "\"\"");
        put(fields, random, "cost", Long.toString(command.getCost()), "1");
        put(fields, random, "explain", Boolean.toString(command.getExplain()), "false");
        put(fields, random, "trace", Boolean.toString(command.getTrace()), "false");
        if (command.getDeadlineMillis() != null) {
            fields.put("deadlineMillis", Long.toString(command.getDeadlineMillis()));
        }
        Map<String, String> attributes = new TreeMap<>();
        command.getAttributes().forEach((name, value) -> attributes.put(name, string(value, random)));
        put(fields, random, "attributes", object(attributes, random), "{}");
        Map<String, String> costs = new TreeMap<>();
        command.getCosts().forEach((meter, cost) -> costs.put(meter, Long.toString(cost)));
        put(fields, random, "costs", object(costs, random), "{}");
        return object(fields, random);
    }

    private static void put(Map<String, String> fields, Random random, String name, String value, String ifLeftOut) {
        if (!value.strip().equals(ifLeftOut) || random.nextBoolean()) {
            fields.put(name, value);
        }
    }

    private static String object(Map<String, String> fields, Random random) {
        List<String> names = new ArrayList<>(fields.keySet());
        Collections.shuffle(names, random);
        List<String> written = new ArrayList<>();
        names.forEach(name -> written.add(
                space(random) + string(name, random) + space(random) + ":" + space(random) + fields.get(name)));
        return "{" + String.join(space(random) + ",", written) + space(random) + "}";
    }

    private static String space(Random random) {
        return random.nextInt(10) == 0 ? any(random, List.of(" ", "\n", "\r\n", "\t", "   ")) : "";
    }

    private static String string(String text, Random random) {
        StringBuilder json = new StringBuilder("\"");
        text.chars().forEach(c -> {
            boolean must = c < ' ' || c == '"' || c == '\\';
            boolean may = !Character.isSurrogate((char) c) && random.nextInt(20) == 0;
            if (must || may) {
                json.append(String.format(random.nextBoolean() ? "\\u%04x" : "\\u%04X", c));
            } else {
                json.append((char) c);
            }
        });
        return json.append('"').toString();
    }
}
