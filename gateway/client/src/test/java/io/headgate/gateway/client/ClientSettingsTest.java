package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.policy.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientSettingsTest {

    @Test
    void an_unknown_name_is_refused_with_the_closest_known_one() {
        assertThatThrownBy(() -> settings("dedline.ms", "5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no setting 'dedline.ms'; the closest is 'deadline.ms'");
    }

    @Test
    void a_value_out_of_range_is_refused_with_its_name_and_itself() {
        assertThatThrownBy(() -> settings(ClientSettings.DEADLINE_MS, "10001"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("deadline.ms")
                .hasMessageContaining("10001")
                .hasMessageContaining("10000");
        assertThatThrownBy(() -> settings(ClientSettings.PENDING_MAX, "many"))
                .hasMessageContaining("pending.max")
                .hasMessageContaining("many");
        assertThatThrownBy(() -> settings(ClientSettings.GATEWAY_NAME, "g".repeat(129)))
                .hasMessageContaining("gateway.name")
                .hasMessageContaining("128");
    }

    @Test
    void every_setting_says_what_it_does() {
        ClientSettings.definition()
                .configKeys()
                .values()
                .forEach(key -> assertThat(key.documentation).as(key.name).endsWith("."));
    }

    @Test
    void kafka_settings_pass_through_to_the_client_that_knows_them() {
        Map<String, String> given = new HashMap<>();
        given.put("kafka.security.protocol", "SSL");
        given.put("kafka.buffer.memory", "1000000");
        given.put("kafka.fetch.max.wait.ms", "50");
        ClientSettings settings = new ClientSettings(Bench.with(given));

        assertThat(settings.producer())
                .containsEntry("security.protocol", "SSL")
                .containsEntry("buffer.memory", "1000000")
                .doesNotContainKey("fetch.max.wait.ms");
        assertThat(settings.consumer())
                .containsEntry("security.protocol", "SSL")
                .containsEntry("fetch.max.wait.ms", "50")
                .doesNotContainKey("buffer.memory");
    }

    @Test
    void kafka_settings_that_correctness_needs_cannot_be_given() {
        for (String name : new String[] {
            "acks",
            "enable.idempotence",
            "transactional.id",
            "linger.ms",
            "delivery.timeout.ms",
            "max.block.ms",
            "group.id",
            "isolation.level",
            "partitioner.class",
            "bootstrap.servers"
        }) {
            assertThatThrownBy(() -> settings("kafka." + name, "1"))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("setting 'kafka." + name + "' cannot be given: ");
        }
    }

    @Test
    void stage_tenant_is_always_asked_unless_set_otherwise_so_that_a_suspension_counts_everywhere() {
        Map<String, String> unset = Bench.with(Map.of());
        unset.remove(ClientSettings.STAGES_ALWAYS);

        assertThat(new ClientSettings(unset).stagesAlways()).containsExactly(Stage.TENANT);
    }

    @Test
    void stages_that_are_always_asked_are_named_by_their_labels() {
        assertThat(settings(ClientSettings.STAGES_ALWAYS, "tenant, ip").stagesAlways())
                .containsExactlyInAnyOrder(Stage.TENANT, Stage.IP);
        assertThat(settings(ClientSettings.STAGES_ALWAYS, "").stagesAlways()).isEmpty();
        assertThat(settings(ClientSettings.STAGES_ALWAYS, "tenant,ip").effective())
                .containsEntry("stages.always", "tenant,ip");
        assertThatThrownBy(() -> settings(ClientSettings.STAGES_ALWAYS, "tenants"))
                .hasMessageContaining("stages.always")
                .hasMessageContaining("tenants");
    }

    @Test
    void a_prefix_is_no_longer_than_its_address() {
        assertThat(settings(ClientSettings.IP_V6_PREFIX, "128").ipV6PrefixBits())
                .isEqualTo(128);
        assertThatThrownBy(() -> settings(ClientSettings.IP_V6_PREFIX, "129"))
                .hasMessageContaining("ip.v6.prefix")
                .hasMessageContaining("129");
        assertThatThrownBy(() -> settings(ClientSettings.IP_V6_PREFIX, "0")).hasMessageContaining("ip.v6.prefix");
        assertThatThrownBy(() -> settings(ClientSettings.IP_V4_PREFIX, "33")).hasMessageContaining("ip.v4.prefix");
    }

    @Test
    void policies_are_read_as_shards_read_them() {
        assertThat(new ClientSettings(Bench.with(Map.of())).policies())
                .containsEntry("isolation.level", "read_committed")
                .containsEntry("auto.offset.reset", "earliest")
                .containsEntry("client.id", "g1-policies");
    }

    @Test
    void a_misspelt_kafka_setting_is_refused() {
        assertThatThrownBy(() -> settings("kafka.security.protocoll", "SSL"))
                .hasMessage("there is no setting 'kafka.security.protocoll'; the closest is 'kafka.security.protocol'");
    }

    @Test
    void the_producer_is_idempotent_and_gives_up_by_the_deadline() {
        Map<String, Object> producer =
                settings(ClientSettings.DEADLINE_MS, "800").producer();

        assertThat(producer)
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .containsEntry("linger.ms", 0)
                .containsEntry("delivery.timeout.ms", 800)
                .containsEntry("request.timeout.ms", 400)
                .containsEntry("max.block.ms", 50);
    }

    @Test
    void kafka_accepts_what_it_is_given() {
        Map<String, Object> producer =
                settings(ClientSettings.DEADLINE_MS, "50").producer();
        Map<String, Object> consumer =
                settings(ClientSettings.COMPRESSION, "lz4").consumer();

        new org.apache.kafka.clients.producer.KafkaProducer<byte[], byte[]>(producer).close(java.time.Duration.ZERO);
        new org.apache.kafka.clients.consumer.KafkaConsumer<byte[], byte[]>(consumer).close();
        new org.apache.kafka.clients.consumer.KafkaConsumer<byte[], byte[]>(
                        new ClientSettings(Bench.with(Map.of())).policies())
                .close();
    }

    @Test
    void no_secret_is_ever_printed() {
        String jaas = "org.apache.kafka.common.security.plain.PlainLoginModule required password=\"hunter2\";";
        ClientSettings settings = settings("kafka.sasl.jaas.config", jaas);

        assertThat(settings.toString() + settings.effective())
                .contains("[hidden]", "pending.max")
                .doesNotContain(Bench.SECRET, "hunter2");
        assertThatThrownBy(() -> settings(ClientSettings.PSEUDONYM_SECRET, "cafe-SECRET"))
                .hasMessageContaining("pseudonym.secret")
                .hasMessageContaining("64")
                .hasMessageNotContaining("cafe");
        assertThatThrownBy(() -> settings(ClientSettings.PSEUDONYM_SECRET, "ab".repeat(31)))
                .hasMessageContaining("64")
                .hasMessageNotContaining("abab");
    }

    @Test
    void the_secret_may_come_from_a_file(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), Bench.SECRET + "\n");
        Map<String, String> given = Bench.with(Map.of(ClientSettings.PSEUDONYM_SECRET_FILE, file.toString()));
        given.remove(ClientSettings.PSEUDONYM_SECRET);

        assertThat(new ClientSettings(given).pseudonymSecret())
                .isEqualTo(HexFormat.of().parseHex(Bench.SECRET));
    }

    @Test
    void there_must_be_one_secret_and_only_one() {
        Map<String, String> none = Bench.with(Map.of());
        none.remove(ClientSettings.PSEUDONYM_SECRET);

        assertThatThrownBy(() -> new ClientSettings(none)).hasMessageContaining("pseudonym.secret.file");
        assertThatThrownBy(() -> settings(ClientSettings.PSEUDONYM_SECRET_FILE, "/nowhere"))
                .hasMessageContaining("one of them");
    }

    private static ClientSettings settings(String name, String value) {
        return new ClientSettings(Bench.with(Map.of(name, value)));
    }
}
