package io.headgate.tools.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.TenantPlan;
import io.headgate.schemas.ActionRecords;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.trust.Permission;
import io.headgate.schemas.trust.RecordSignature;
import io.headgate.schemas.trust.SignedRecord;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.schemas.trust.TrustedKey;
import io.headgate.schemas.trust.TrustedKeys;
import io.headgate.tools.Desk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordSigningTest {

    private static final long NOW = Desk.NOW.toEpochMilli();
    private static final SigningKey.Pair ANN = SigningKey.newPair("ann");

    private final TrustedKeys readers = new TrustedKeys(List.of(new TrustedKey(
            "ann",
            ANN.publicKey(),
            "",
            new TreeSet<>(),
            EnumSet.allOf(Permission.class),
            new TreeSet<>(),
            TrustedKey.FOR_EVER)));
    private final Desk desk = new Desk().publish(Shop.POLICY, ANN.signingKey());

    @TempDir
    Path folder;

    private String keyFile;

    @BeforeEach
    void writeKey() throws Exception {
        Path file = folder.resolve("ann.key");
        ANN.signingKey().write(file);
        keyFile = file.toString();
    }

    private ConsumerRecord<byte[], byte[]> newest(String topic) {
        List<ConsumerRecord<byte[], byte[]>> records = desk.cluster().records(topic);
        return records.get(records.size() - 1);
    }

    private Optional<String> refusalOfPlan(ConsumerRecord<byte[], byte[]> record) {
        RecordSignature signature = RecordSignature.of(record.headers()).orElseThrow();
        TenantPlan plan = PlanRecord.fromBytes(record.value()).plan();
        return readers.refusal(signature, content(record, signature), plan, NOW);
    }

    private static SignedRecord content(ConsumerRecord<byte[], byte[]> record, RecordSignature signature) {
        return new SignedRecord(
                record.topic(), signature.issuedAtMillis(), record.key(), Optional.ofNullable(record.value()));
    }

    @Test
    void plans_are_signed_as_readers_expect_it() throws Exception {
        Path file = Files.writeString(
                folder.resolve("plans.yaml"),
                "apiVersion: headgate.io/v1\nkind: TenantPlans\ntenants: {birch: {plan: pro}, cedar: {plan: pro}}\n");

        assertThat(desk.signed("set", "atlas", "--plan", "pro", "--key", keyFile))
                .isZero();
        assertThat(desk.signed("remove", "atlas", "--key", keyFile)).isZero();
        assertThat(desk.signed("set", "--file", file.toString(), "--key", keyFile))
                .as(desk.err())
                .isZero();

        assertThat(desk.cluster().records(TopicCatalogue.TENANT_PLANS))
                .hasSize(4)
                .allSatisfy(record -> assertThat(refusalOfPlan(record)).isEmpty());
    }

    @Test
    void actions_are_signed_as_readers_expect_it() {
        assertThat(desk.signed("ban", "atlas", "--for", "2h", "--id", "no", "--key", keyFile))
                .isZero();
        assertThat(desk.signed("lift", "no", "--key", keyFile)).as(desk.err()).isZero();

        assertThat(desk.cluster().records(TopicCatalogue.QUOTA_ADJUSTMENTS))
                .hasSize(2)
                .allSatisfy(record -> {
                    RecordSignature signature =
                            RecordSignature.of(record.headers()).orElseThrow();
                    assertThat(readers.refusal(
                                    signature, content(record, signature), ActionRecords.decode(record.value()), NOW))
                            .isEmpty();
                });
    }

    @Test
    void a_plan_is_issued_after_the_one_before_it_even_if_the_clock_says_otherwise() {
        for (int i = 0; i < 3; i++) {
            desk.signed("set", "atlas", "--plan", i % 2 == 0 ? "pro" : "default", "--key", keyFile);
        }

        assertThat(desk.cluster().records(TopicCatalogue.TENANT_PLANS).stream()
                        .map(record -> RecordSignature.of(record.headers())
                                .orElseThrow()
                                .issuedAtMillis()))
                .containsExactly(NOW, NOW + 1, NOW + 2);
    }

    @Test
    void where_policies_are_signed_nobody_forgets_to_sign() {
        assertThat(desk.signed("set", "atlas", "--plan", "pro")).isEqualTo(1);
        assertThat(desk.err())
                .isEqualTo(
                        "the policies here are signed, so processors refuse what nobody has signed; give --key FILE or,"
                                + " for a development cluster, --unsigned\n");
        assertThat(desk.signed("ban", "atlas", "--for", "2h")).isEqualTo(1);
        assertThat(desk.signed("remove", "atlas")).isEqualTo(1);
        assertThat(desk.cluster().records(TopicCatalogue.TENANT_PLANS)).isEmpty();

        assertThat(desk.signed("set", "atlas", "--plan", "pro", "--unsigned")).isZero();
        assertThat(RecordSignature.of(newest(TopicCatalogue.TENANT_PLANS).headers()))
                .isEmpty();
        assertThat(desk.signed("set", "atlas", "--plan", "pro", "--unsigned", "--key", keyFile))
                .isEqualTo(2);
        assertThat(desk.err()).contains("--key and --unsigned contradict each other");
    }

    @Test
    void a_key_that_cannot_be_read_is_named() {
        assertThat(desk.signed(
                        "set",
                        "atlas",
                        "--plan",
                        "pro",
                        "--key",
                        folder.resolve("none.key").toString()))
                .isEqualTo(1);
        assertThat(desk.err()).contains("none.key cannot be read");
    }
}
