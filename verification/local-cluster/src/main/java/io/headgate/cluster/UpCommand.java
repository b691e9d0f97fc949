package io.headgate.cluster;

import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.PolicyFile;
import io.headgate.tools.PolicyFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate up}: a broker, the topics, a policy, a processor and a gateway, in this process. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        description = "Starts a broker, a processor and a gateway in this process, with nothing to install.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"1:could not start, or failed while running", "2:wrong usage"})
final class UpCommand implements Callable<Integer> {

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "Port of the gateway on 127.0.0.1; 0 picks a free one. Default: ${DEFAULT-VALUE}")
    private int port;

    @Option(
            names = "--kafka-port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "Port of the broker on 127.0.0.1; 0 picks a free one. Default: ${DEFAULT-VALUE}")
    private int kafkaPort;

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "Policy to publish, YAML or JSON. Default: what is in force, at first the Northstar example")
    private Path policy;

    @Option(
            names = "--data",
            paramLabel = "FOLDER",
            defaultValue = ".headgate",
            description = "Where the data stays between runs. Default: ${DEFAULT-VALUE}")
    private Path data;

    @Option(names = "--fresh", description = "Forget what earlier runs left in the data folder")
    private boolean fresh;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        checkPort("--port", port);
        checkPort("--kafka-port", kafkaPort);
        if (data.toString().isBlank()) {
            throw new ParameterException(spec.commandLine(), "--data names no folder");
        }
        CountDownLatch stopped = new CountDownLatch(1);
        try {
            PolicyDocument document = policy == null ? PolicyFile.northstar() : PolicyFile.read(policy);
            LocalCluster cluster = LocalCluster.start(
                    new LocalCluster.Options(data, fresh, port, kafkaPort, document, policy == null),
                    line -> System.err.println("  " + line));
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(
                            () -> {
                                System.err.println("stopping");
                                cluster.close();
                                stopped.countDown();
                            },
                            "headgate-stop"));
            System.err.println(whatToTry(cluster));
            Throwable failure = cluster.failure().join();
            System.err.println("headgate up: the processor failed: " + failure.getMessage());
            return LocalCommands.FAILED;
        } catch (PolicyFileException | ClusterStartException cannotStart) {
            System.err.println("headgate up: " + cannotStart.getMessage());
            return LocalCommands.FAILED;
        }
    }

    private void checkPort(String option, int value) {
        if (value < 0 || value > 65_535) {
            throw new ParameterException(spec.commandLine(), option + " is " + value + "; it must be 0 to 65535");
        }
    }

    private static String whatToTry(LocalCluster cluster) {
        String url = "http://127.0.0.1:" + cluster.gatewayPort();
        return """

                Headgate is up. Kafka is at %s. Stop it with Ctrl-C.

                One request of a user of tenant atlas:

                  curl -i %s/v1/check -H 'content-type: application/json' \\
                    -d '{"tenant":"atlas","user":"U-17","route":"GET /catalog"}'

                An address that asks too often: the 21st in a window of ten seconds gets a 429.

                  for i in $(seq 25); do curl -s -o /dev/null -w '%%{http_code}\\n' %s/v1/check \\
                    -H 'content-type: application/json' -d '{"ip":"203.0.113.7","route":"GET /catalog"}'; done

                A whole access log, against the running gateway:

                  bin/headgate replay access.log --url %s
                """.formatted(cluster.bootstrapServers(), url, url, url);
    }
}
