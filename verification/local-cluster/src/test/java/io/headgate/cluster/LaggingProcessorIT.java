package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Verdict;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.ControlKeys;
import io.headgate.tools.PolicyTopic;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processors of one log, each for itself: one that never stops, one that is down while versions are published, and
 * one that comes last, on an empty disk. They stop at different places in the log; so the state of each is compared, byte
 * by byte, with a fold of the log up to its place that never stopped either.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LaggingProcessorIT {

    private static final String STEADY = "steady";
    private static final String LAGGING = "lagging";
    private static final String LATE = "late";
    private static final int MISSED = 5;

    @TempDir
    private Path folder;

    private LocalBroker broker;
    private PlainGateway gateway;
    private long version;

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        gateway = new PlainGateway(broker.bootstrapServers());
        publish();
    }

    @AfterEach
    void stop() {
        gateway.close();
        broker.close();
    }

    private void publish() throws Exception {
        version++;
        new PolicyTopic(broker.bootstrapServers()).publish(LoadPolicy.version(version), "test", "next");
    }

    private AdmissionProcessor startProcessor(String name) throws Exception {
        AdmissionProcessor processor = LocalShards.startProcessor(
                broker.bootstrapServers(),
                folder,
                Map.of("application.id", name, "state.dir", folder.resolve(name).toString()));
        LocalShards.awaitReady(processor);
        return processor;
    }

    private void spendEverywhere() throws Exception {
        for (int shard : Asks.allShards()) {
            for (int number = 0; number < 3; number++) {
                String tenant = Asks.tenantOf(shard, "tenant" + number);
                assertThat(gateway.ask(Asks.spend(tenant, 2)).decisions())
                        .allMatch(decision -> decision.verdict() == Verdict.ALLOW);
            }
        }
    }

    private ShardState committed(String name, int shard) throws Exception {
        return ShardState.committed(broker.bootstrapServers(), name, shard);
    }

    @Test
    void one_that_was_down_and_one_that_begins_on_an_empty_disk_end_in_the_same_state() throws Exception {
        try (AdmissionProcessor steady = startProcessor(STEADY)) {
            try (AdmissionProcessor lagging = startProcessor(LAGGING)) {
                spendEverywhere();
                assertThat(lagging.ready()).isTrue();
            }
            for (int i = 0; i < MISSED; i++) {
                publish();
                spendEverywhere();
            }
            try (AdmissionProcessor lagging = startProcessor(LAGGING);
                    AdmissionProcessor late = startProcessor(LATE)) {
                spendEverywhere();
                assertThat(List.of(steady.ready(), lagging.ready(), late.ready()))
                        .containsOnly(true);
            }
        }

        ControlKeys keys = ControlKeys.read(Secrets.controlKeys(folder));
        for (int shard : Asks.allShards()) {
            for (String name : List.of(STEADY, LAGGING, LATE)) {
                ShardState state = committed(name, shard);
                assertThat(state.view().policyVersion()).isEqualTo(1 + MISSED);
                ShardState folded = IndependentFold.of(
                                broker.bootstrapServers(),
                                shard,
                                keys,
                                state.view().nextOffset())
                        .state();
                assertThat(state.differences(folded))
                        .as("%s, shard %d", name, shard)
                        .isEmpty();
            }
        }
    }
}
