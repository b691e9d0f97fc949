package io.headgate.schemas.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.UnreadableRecordException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class SignedRecordTest {

    private static final long NOW = 1_800_000_000_000L;
    private static final long LATEST = TrustedKeys.MOST_DELAY_MILLIS;
    private static final SigningKey.Pair ANN = SigningKey.newPair("ann");

    private static final SignedRecord RECORD = record("tenant-plans", NOW, "atlas", Optional.of("value"));
    private static final TenantPlan GOLD = TenantPlan.on("atlas", "gold");

    private static SignedRecord record(String topic, long issuedAtMillis, String key, Optional<String> value) {
        return new SignedRecord(topic, issuedAtMillis, bytes(key), value.map(SignedRecordTest::bytes));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static TrustedKeys trusting(Set<String> plans, long untilMillis, Permission... may) {
        return new TrustedKeys(List.of(new TrustedKey(
                "ann",
                ANN.publicKey(),
                "",
                new TreeSet<>(),
                EnumSet.copyOf(List.of(may)),
                new TreeSet<>(plans),
                untilMillis)));
    }

    private static TrustedKeys trusting(Permission... may) {
        return trusting(Set.of(), TrustedKey.FOR_EVER, may);
    }

    private static Optional<String> refusal(TrustedKeys keys, SignedRecord record, TenantPlan plan, long appendedAt) {
        return keys.refusal(ANN.signingKey().sign(record), record, plan, appendedAt);
    }

    private static Optional<String> refusalOf(Action.Effect effect, TrustedKeys keys) {
        Subject whole = new Subject(Stage.TENANT, new Identity("atlas", "", "", "", ""), "", Map.of());
        Action action = new Action("one", "ann", "why", whole, effect);
        return keys.refusal(ANN.signingKey().sign(RECORD), RECORD, action, NOW);
    }

    @Test
    void a_plan_signed_by_who_may_is_believed() {
        assertThat(refusal(trusting(Permission.PLAN), RECORD, GOLD, NOW)).isEmpty();
        assertThat(refusal(trusting(Permission.PUBLISH, Permission.BAN), RECORD, GOLD, NOW))
                .hasValue("key 'ann' may not plan; it may [publish, ban]");
    }

    @Test
    void a_signature_is_of_one_topic_key_value_and_time() {
        RecordSignature signature = ANN.signingKey().sign(RECORD);
        TrustedKeys keys = trusting(Permission.PLAN);
        List<SignedRecord> others = List.of(
                record("quota-adjustments", NOW, "atlas", Optional.of("value")),
                record("tenant-plans", NOW + 1, "atlas", Optional.of("value")),
                record("tenant-plans", NOW, "atlasv", Optional.of("alue")),
                record("tenant-plans", NOW, "birch", Optional.of("value")),
                record("tenant-plans", NOW, "atlas", Optional.of("")),
                record("tenant-plans", NOW, "atlas", Optional.empty()));

        assertThat(keys.refusal(signature, RECORD, GOLD, NOW)).isEmpty();
        assertThat(others)
                .allSatisfy(other -> assertThat(keys.refusal(signature, other, GOLD, NOW))
                        .hasValue("the signature of key 'ann' does not fit the record"));
        SignedRecord removal = others.get(5);
        assertThat(refusal(keys, removal, GOLD, NOW)).isEmpty();
    }

    @Test
    void strangers_and_namesakes_are_not_believed() {
        RecordSignature stranger = SigningKey.newPair("eve").signingKey().sign(RECORD);
        RecordSignature namesake = SigningKey.newPair("ann").signingKey().sign(RECORD);
        TrustedKeys keys = trusting(Permission.PLAN);

        assertThat(keys.refusal(stranger, RECORD, GOLD, NOW).orElseThrow()).contains("'eve'", "no such key is trusted");
        assertThat(keys.refusal(namesake, RECORD, GOLD, NOW).orElseThrow()).contains("does not fit");
    }

    @Test
    void a_record_stands_in_the_log_within_five_minutes_of_its_issue() {
        TrustedKeys keys = trusting(Permission.PLAN);

        assertThat(refusal(keys, RECORD, GOLD, NOW + LATEST)).isEmpty();
        assertThat(refusal(keys, RECORD, GOLD, NOW - LATEST)).isEmpty();
        assertThat(refusal(keys, RECORD, GOLD, NOW + LATEST + 1).orElseThrow()).contains("at most 5 minutes");
        assertThat(refusal(keys, RECORD, GOLD, NOW - LATEST - 1).orElseThrow()).contains("at most 5 minutes");
    }

    @Test
    void a_key_that_is_over_is_not_believed() {
        assertThat(refusal(trusting(Set.of(), NOW, Permission.PLAN), RECORD, GOLD, NOW - 1))
                .isEmpty();
        assertThat(refusal(trusting(Set.of(), NOW, Permission.PLAN), RECORD, GOLD, NOW)
                        .orElseThrow())
                .contains("was trusted until");
    }

    @Test
    void a_key_for_some_plans_puts_active_tenants_on_them_and_does_nothing_else() {
        TrustedKeys sales = trusting(Set.of("gold"), TrustedKey.FOR_EVER, Permission.values());
        TenantPlan own = new TenantPlan(
                "atlas",
                TenantPlan.Status.ACTIVE,
                "gold",
                false,
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>(Map.of("P", new FixedWindowLimit(1, 1_000))));
        TenantPlan unlimited = new TenantPlan(
                "atlas", TenantPlan.Status.ACTIVE, "gold", true, Optional.empty(), Optional.empty(), new TreeMap<>());
        TenantPlan suspended = new TenantPlan(
                "atlas",
                TenantPlan.Status.SUSPENDED,
                "gold",
                false,
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>());

        assertThat(refusal(sales, RECORD, GOLD, NOW)).isEmpty();
        assertThat(List.of(TenantPlan.on("atlas", "platinum"), own, unlimited, suspended))
                .allSatisfy(plan -> assertThat(refusal(sales, RECORD, plan, NOW).orElseThrow())
                        .contains("trusted for plans [gold]"));
        assertThat(refusalOf(new Action.Credit("P", 1), sales).orElseThrow()).contains("an action is of no plan");
    }

    @Test
    void each_kind_of_action_needs_its_permission() {
        Action.Effect override = new Action.LimitOverride("P", new FixedWindowLimit(1, 1_000), NOW);
        Action.Effect ban = new Action.Ban(Scope.TENANT, NOW);
        Action.Effect lift = new Action.Lift("other");
        Action.Effect reset = new Action.Reset("P");
        Action.Effect credit = new Action.Credit("P", 1);
        Map<Permission, List<Action.Effect>> allowed = Map.of(
                Permission.PUBLISH, List.of(),
                Permission.PLAN, List.of(),
                Permission.OVERRIDE, List.of(override, lift),
                Permission.BAN, List.of(ban, lift),
                Permission.CREDIT, List.of(reset, credit));

        allowed.forEach((permission, effects) -> assertThat(List.of(override, ban, lift, reset, credit))
                .as(permission.label())
                .filteredOn(effect -> refusalOf(effect, trusting(permission)).isEmpty())
                .containsExactlyInAnyOrderElementsOf(effects));
    }

    @Test
    void a_signature_is_read_from_its_header_as_it_was_written() {
        RecordSignature written = ANN.signingKey().sign(RECORD);
        RecordHeaders headers = new RecordHeaders();
        assertThat(RecordSignature.of(headers)).isEmpty();

        written.writeTo(headers);

        RecordSignature read = RecordSignature.of(headers).orElseThrow();
        assertThat(read.keyId()).isEqualTo("ann");
        assertThat(read.issuedAtMillis()).isEqualTo(NOW);
        assertThat(read.ed25519()).isEqualTo(written.ed25519());
        written.writeTo(headers);
        assertThatThrownBy(() -> RecordSignature.of(headers))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessage("header headgate-signature is there twice; one signature is allowed");
    }

    @Test
    void what_is_no_signature_is_refused() {
        List<byte[]> others = List.of(
                new byte[0],
                bytes("ann 5"),
                bytes("ann -5 " + "A".repeat(86) + "=="),
                bytes("ann 1234567890123456789 " + "A".repeat(86) + "=="),
                bytes("an/n 5 " + "A".repeat(86) + "=="),
                bytes("ann 5 " + "A".repeat(10_000)));

        assertThat(others)
                .allSatisfy(value -> assertThatThrownBy(
                                () -> RecordSignature.of(new RecordHeaders().add(RecordSignature.HEADER, value)))
                        .isInstanceOf(UnreadableRecordException.class)
                        .hasMessageContaining("must be 'KEY MILLIS SIGNATURE'"));
        assertThatThrownBy(() -> RecordSignature.of(new RecordHeaders().add(RecordSignature.HEADER, null)))
                .isInstanceOf(UnreadableRecordException.class);
    }
}
