package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.apache.kafka.server.config.AbstractKafkaConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalBrokerSettingsTest {

    private static final LocalBroker.Settings USUAL = LocalBroker.Settings.in(Path.of("data"));

    @Test
    void a_port_is_between_0_and_65535() {
        assertThat(USUAL.onPort(0).clientPort()).isZero();
        assertThat(USUAL.onPort(65_535).clientPort()).isEqualTo(65_535);
        assertThatThrownBy(() -> USUAL.onPort(-1)).hasMessage("clientPort: -1 is not between 0 and 65535");
        assertThatThrownBy(() -> USUAL.onPort(65_536)).hasMessage("clientPort: 65536 is not between 0 and 65535");
    }

    @Test
    void a_setting_that_kafka_does_not_have_is_refused_by_name() {
        assertThatThrownBy(() -> USUAL.with("log.retention.minuets", "5"))
                .hasMessage("overrides: Kafka has no node setting log.retention.minuets");
    }

    @Test
    void a_setting_that_follows_from_folder_and_port_is_refused_by_name() {
        assertThatThrownBy(() -> USUAL.with("listeners", "PLAINTEXT://0.0.0.0:9092"))
                .hasMessage("overrides: listeners follows from the folder and the port");
    }

    @Test
    void a_folder_with_a_comma_is_refused_because_kafka_would_see_two() {
        assertThatThrownBy(() -> LocalBroker.Settings.in(Path.of("salt,pepper")))
                .hasMessage("folder: salt,pepper has a comma, which separates folders in Kafka");
    }

    @Test
    void an_override_wins_over_the_usual_node_and_leaves_the_rest(@TempDir Path scratch) {
        try (DataFolder folder = DataFolder.take(scratch);
                ReservedPorts ports = ReservedPorts.reserve(0)) {
            var overrides = USUAL.with("group.min.session.timeout.ms", "3000").overrides();

            var settings = NodeSettings.of(folder, ports, overrides);

            assertThat(settings)
                    .containsEntry("group.min.session.timeout.ms", "3000")
                    .containsEntry("auto.create.topics.enable", "false");
        }
    }

    @Test
    void kafka_knows_every_setting_of_the_usual_node(@TempDir Path scratch) {
        try (DataFolder folder = DataFolder.take(scratch);
                ReservedPorts ports = ReservedPorts.reserve(0)) {
            var settings = NodeSettings.of(folder, ports, USUAL.overrides());

            assertThat(AbstractKafkaConfig.CONFIG_DEF.names()).containsAll(settings.keySet());
        }
    }
}
