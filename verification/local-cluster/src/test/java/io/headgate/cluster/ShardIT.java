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
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.TraceRecords;
import io.headgate.schemas.wire.DecisionTrace;
import io.headgate.tools.PolicyFile;
import io.headgate.tools.PolicyTopic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
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

    /** Through the producer that waits for nothing. */
    @Test
    void tells_on_the_topic_of_traces_how_a_denial_came_about() throws Exception {
        Admission admission =
                new Admission(Stage.TENANT, new Identity("birch", "u1", "", "", ""), true, "GET /catalog", Map.of(), 1);
        Command ask = new Command.Ask(admission, false, Command.NEVER, false);
        Decision denied = gateway.ask(new LogRecord.Requests(Optional.empty(), Collections.nCopies(21, ask)))
                .decisions()
                .get(20);

        DecisionTrace trace = Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> traces().get(denied.id().toString()), Objects::nonNull);

        assertThat(trace.getVerdict()).isEqualTo("DENY");
        assertThat(trace.getPartitionKey()).isEqualTo("birch");
        assertThat(trace.getDenyingRule()).isEqualTo(denied.denyingRule().orElseThrow());
        assertThat(trace.getRules()).isNotEmpty();
    }

    private Map<String, DecisionTrace> traces() throws Exception {
        Map<String, DecisionTrace> traces = new HashMap<>();
        for (int partition = 0; partition < 4; partition++) {
            PartitionReader.read(
                    broker.bootstrapServers(), new TopicPartition(TopicCatalogue.DECISION_TRACE, partition), record -> {
                        DecisionTrace trace = TraceRecords.decode(record.value());
                        traces.put(trace.getDecisionId(), trace);
                    });
        }
        return traces;
    }
}
