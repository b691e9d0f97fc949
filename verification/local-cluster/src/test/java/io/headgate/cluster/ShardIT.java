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
import java.util.Collections;
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

    /** In one batch, so that no refill comes between. */
    @Test
    void decides_what_a_plain_client_asks() throws Exception {
        Admission admission =
                new Admission(Stage.TENANT, new Identity("atlas", "u1", "", "", ""), true, "GET /catalog", Map.of(), 1);
        Command ask = new Command.Ask(admission, false, Command.NEVER, false);

        List<Verdict> verdicts =
                gateway.ask(new LogRecord.Requests(Optional.empty(), Collections.nCopies(21, ask))).decisions().stream()
                        .map(Decision::verdict)
                        .toList();

        assertThat(verdicts.subList(0, 20)).containsOnly(Verdict.ALLOW);
        assertThat(verdicts.get(20)).isEqualTo(Verdict.DENY);
    }
}
