package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.tools.PolicyFile;
import io.headgate.tools.PolicyTopic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A processor on a real broker, asked by a plain Kafka client. */
class ShardIT {

    @TempDir
    private Path folder;

    private LocalBroker broker;
    private AdmissionProcessor processor;
    private PlainGateway gateway;

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        new PolicyTopic(broker.bootstrapServers()).publish(PolicyFile.northstar(), "test", "first");
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder);
        LocalShards.awaitReady(processor);
        gateway = new PlainGateway(broker.bootstrapServers());
    }

    @AfterEach
    void stop() {
        gateway.close();
        processor.close();
        broker.close();
    }

    @Test
    void decides_what_a_plain_client_asks() throws Exception {
        List<Verdict> verdicts = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            verdicts.add(ask("atlas", "GET /catalog").verdict());
        }

        assertThat(verdicts.subList(0, 20)).containsOnly(Verdict.ALLOW);
        assertThat(verdicts.get(20)).isEqualTo(Verdict.DENY);
    }

    private Decision ask(String tenant, String route) throws Exception {
        Admission admission =
                new Admission(Stage.TENANT, new Identity(tenant, "u1", "", "", ""), true, route, Map.of(), 1);
        LogRecord.Requests requests = new LogRecord.Requests(
                Optional.empty(), List.of(new Command.Ask(admission, false, Command.NEVER, false)));
        return gateway.ask(requests).decisions().get(0);
    }
}
