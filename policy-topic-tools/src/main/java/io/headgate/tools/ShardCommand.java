package io.headgate.tools;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate shard}: asks a processor about its shards, and lets one go on that has stopped. */
@Command(
        name = "shard",
        description = "Shows the shards of a processor, and lets one go on that has stopped.",
        subcommands = {ShardCommand.ListShards.class, ShardCommand.AcceptLoss.class})
final class ShardCommand implements Callable<Integer> {

    private static final String EXIT_CODES = "%nExit codes:%n";

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return Headgate.WRONG_USAGE;
    }

    /** Where the processor is. */
    static final class Admin {

        @Spec(Spec.Target.MIXEE)
        private CommandSpec spec;

        @Option(
                names = "--admin",
                paramLabel = "HOST:PORT",
                required = true,
                description = "the admin port of the processor that owns the shard")
        private String address;

        AdminPort port() {
            try {
                return new AdminPort(address);
            } catch (IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), "Invalid value for --admin: " + e.getMessage());
            }
        }
    }

    /** {@code headgate shard list}. */
    @Command(
            name = "list",
            description = "Lists the shards that a processor owns.",
            exitCodeListHeading = EXIT_CODES,
            exitCodeList = {"0:listed", "1:no answer, or another than a list", "2:wrong usage"})
    static final class ListShards implements Callable<Integer> {

        private static final ObjectMapper JSON = new ObjectMapper();
        private static final String ROW = "%5s  %-9s  %12s  %-24s  %6s  %6s  %s%n";

        @Spec
        private CommandSpec spec;

        @Mixin
        private Admin admin;

        @Option(
                names = "--output",
                paramLabel = "FORMAT",
                defaultValue = "table",
                description = "table, or json: the processor's own answer; ${DEFAULT-VALUE} if left out")
        private Output output;

        @Override
        public Integer call() throws CommandFailedException {
            AdminPort.Reply reply = admin.port().get("/shards");
            if (!reply.ok()) {
                throw new CommandFailedException("the processor answers " + reply.status() + ": " + reply.body());
            }
            PrintWriter out = spec.commandLine().getOut();
            if (output == Output.json) {
                out.println(reply.body());
                return Headgate.OK;
            }
            List<JsonNode> shards = shards(reply.body());
            out.printf(ROW, "SHARD", "STATUS", "NEXT OFFSET", "LOG TIME", "POLICY", "LOSSES", "HALTED BECAUSE");
            for (JsonNode shard : shards) {
                out.printf(
                        ROW,
                        shard.path("shard").asText(),
                        shard.path("status").asText(),
                        shard.path("nextOffset").asText(),
                        Instant.ofEpochMilli(shard.path("logTimeMillis").asLong()),
                        shard.path("policyVersion").asText(),
                        shard.path("losses").asText(),
                        shard.path("halted").isTextual()
                                ? BadLine.shown(shard.path("halted").asText(), 1_000)
                                : "-");
            }
            return Headgate.OK;
        }

        private static List<JsonNode> shards(String body) throws CommandFailedException {
            try {
                JsonNode tree = JSON.readTree(body);
                if (tree.isArray()) {
                    List<JsonNode> shards = new ArrayList<>();
                    tree.forEach(shards::add);
                    return shards;
                }
            } catch (JsonProcessingException e) {
                // Said below.
            }
            throw new CommandFailedException(
                    "the processor's answer is not a list of shards: " + BadLine.shown(body, BadLine.LONGEST_TEXT));
        }
    }

    /** {@code headgate shard accept-loss}. */
    @Command(
            name = "accept-loss",
            description = {
                "Lets a shard go on that has stopped because part of its log is missing.",
                "What was spent in the missing part is forgotten. The author and the reason stay in the shard's state."
            },
            exitCodeListHeading = EXIT_CODES,
            exitCodeList = {
                "0:the shard goes on",
                "1:no answer, or refused: the shard has not stopped, or another processor owns it",
                "2:wrong usage"
            })
    static final class AcceptLoss implements Callable<Integer> {

        private static final int MAX_SHARD = 9_999;

        @Spec
        private CommandSpec spec;

        @Mixin
        private Admin admin;

        @Option(names = "--shard", paramLabel = "N", required = true, description = "which shard, from 0")
        private int shard;

        @Option(names = "--author", paramLabel = "NAME", required = true, description = "who decides this")
        private String author;

        @Option(names = "--reason", paramLabel = "TEXT", required = true, description = "why")
        private String reason;

        @Override
        public Integer call() throws CommandFailedException {
            if (shard < 0 || shard > MAX_SHARD) {
                throw new ParameterException(
                        spec.commandLine(),
                        "Invalid value for --shard: '" + shard + "' is not a number of 0 to " + MAX_SHARD);
            }
            AdminPort.Reply reply =
                    admin.port().post("/shards/" + shard + "/accept-loss", Map.of("author", author, "reason", reason));
            if (!reply.ok()) {
                throw new CommandFailedException(reply.body());
            }
            spec.commandLine().getOut().println(reply.body());
            return Headgate.OK;
        }
    }
}
