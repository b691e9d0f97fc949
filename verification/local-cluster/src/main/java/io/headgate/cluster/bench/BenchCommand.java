package io.headgate.cluster.bench;

import io.headgate.cluster.BrokerStartException;
import io.headgate.cluster.LocalCommands;
import io.headgate.cluster.LocalShards;
import io.headgate.gateway.client.ClientStartException;
import io.headgate.processor.StartException;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.PolicyConflictException;
import io.headgate.tools.PolicyFile;
import io.headgate.tools.PolicyFileException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate bench}: how long decisions take, and how many there can be, beside an echo over the same broker. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = {
            "Measures decisions beside an echo over the same broker, in turns: first at a steady rate, where latency"
                    + " counts from when a request was due, then as many as go through.",
            "By default on a broker and a processor in this process, in a new folder of the working directory, which"
                    + " is deleted at the end."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every request was answered",
            "1:some were not, or it could not start, or failed while running",
            "2:wrong usage"
        })
public final class BenchCommand implements Callable<Integer> {

    private static final String POLICY = "bench.policy.yaml";

    /** How the report is printed. */
    enum Output {
        table,
        json
    }

    @Option(
            names = "--bootstrap-servers",
            paramLabel = "HOST:PORT,...",
            description = "Brokers of a running Headgate cluster to ask instead; its own policy decides")
    private String bootstrapServers;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Requests a second of the open loop, 1 to 1000000. Default: ${DEFAULT-VALUE}")
    private int rate;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            defaultValue = "20",
            description = "How long each of the four parts is measured, 1 to 3600. Default: ${DEFAULT-VALUE}")
    private int duration;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How long each part runs before that, 0 to 3600. Default: ${DEFAULT-VALUE}")
    private int warmUp;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Users who ask, ten to a tenant, 1 to 10000000. Default: ${DEFAULT-VALUE}")
    private int keys;

    @Option(
            names = "--shards",
            paramLabel = "N",
            description = "Shards of the cluster in this process, 1 to 1000. Default: " + LocalShards.SHARDS)
    private Integer shards;

    @Option(
            names = "--in-flight",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Requests under way at saturation, 1 to 20000. Default: ${DEFAULT-VALUE}")
    private int inFlight;

    @Option(
            names = "--deadline",
            paramLabel = "MS",
            defaultValue = "1000",
            description = "How long an answer is waited for, 50 to 10000 ms. Default: ${DEFAULT-VALUE}")
    private int deadline;

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "Policy of the cluster in this process, YAML or JSON. Default: a token bucket for each tenant"
                    + " and one for each user, so large that next to nothing is denied")
    private Path policy;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "Setting of the processor in this process, any number of times")
    private Map<String, String> set = new TreeMap<>();

    @Option(
            names = "--route",
            paramLabel = "ROUTE",
            defaultValue = "GET /bench",
            description = "What is asked about, for policies that care. Default: ${DEFAULT-VALUE}")
    private String route;

    @Option(
            names = "--output",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private Output output;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        Plan plan = checked();
        Interruption interruption = Interruption.ofThisThread();
        try {
            return run(plan);
        } catch (InterruptedException interrupted) {
            return failed(new BenchException("interrupted", interrupted));
        } catch (ExecutionException failed) {
            return failed(failed.getCause());
        } catch (BenchException
                | PolicyFileException
                | IOException
                | BrokerStartException
                | StartException
                | ClientStartException
                | PolicyConflictException
                | CommandFailedException
                | KafkaException
                | IllegalArgumentException
                | IllegalStateException failed) {
            return failed(failed);
        } finally {
            interruption.end();
        }
    }

    private int run(Plan plan)
            throws BenchException, PolicyFileException, IOException, ExecutionException, InterruptedException,
                    CommandFailedException {
        Report report;
        try (BenchCluster cluster = cluster();
                Bench bench = Bench.start(plan, cluster)) {
            report = new Report(plan, Setting.of(cluster), bench.run());
            if (cluster.failure().isPresent()) {
                throw new BenchException(
                        "the processor failed: " + cluster.failure().get().getMessage(), null);
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(output == Output.json ? report.json() : report.table());
        out.flush();
        return report.complete() ? LocalCommands.OK : LocalCommands.FAILED;
    }

    private BenchCluster cluster()
            throws BenchException, PolicyFileException, IOException, ExecutionException, InterruptedException,
                    CommandFailedException {
        return bootstrapServers == null
                ? BenchCluster.inThisJvm(shards == null ? LocalShards.SHARDS : shards, policy(), set)
                : BenchCluster.at(bootstrapServers);
    }

    private Plan checked() {
        check("--rate", rate, 1, Plan.MOST_PER_SECOND);
        check("--duration", duration, 1, Plan.MOST_SECONDS);
        check("--warm-up", warmUp, 0, Plan.MOST_SECONDS);
        check("--keys", keys, 1, Plan.MOST_KEYS);
        check("--in-flight", inFlight, 1, Plan.MOST_PENDING);
        check("--deadline", deadline, Plan.SHORTEST_DEADLINE, Plan.LONGEST_DEADLINE);
        if (shards != null) {
            check("--shards", shards, 1, 1_000);
        }
        if (bootstrapServers != null) {
            refuseWithACluster("--shards", shards != null);
            refuseWithACluster("--policy", policy != null);
            refuseWithACluster("--set", !set.isEmpty());
        }
        if (bootstrapServers != null && bootstrapServers.isBlank()) {
            throw wrong("--bootstrap-servers names no broker; it must be like 127.0.0.1:9092");
        }
        return new Plan(rate, duration, warmUp, keys, inFlight, deadline, route);
    }

    private void refuseWithACluster(String option, boolean given) {
        if (given) {
            throw wrong(option + " cannot be given with --bootstrap-servers: that cluster has its own");
        }
    }

    private void check(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw wrong(option + " is " + value + "; it must be " + least + " to " + most);
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private PolicyDocument policy() throws PolicyFileException, IOException {
        if (policy != null) {
            return PolicyFile.read(policy);
        }
        try (InputStream in = BenchCommand.class.getResourceAsStream(POLICY)) {
            return PolicyFile.read(POLICY, in.readAllBytes());
        }
    }

    private int failed(Throwable failure) {
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        spec.commandLine().getErr().println("headgate bench: " + message);
        return LocalCommands.FAILED;
    }
}
