package io.headgate.schemas.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.policy.InForce;
import io.headgate.schemas.PolicyHistory;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyRefusal;
import io.headgate.schemas.Signature;
import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TrustedKeysTest {

    private static final long NOW = 1_800_000_000_000L;

    private static final SigningKey.Pair ANN = SigningKey.newPair("ann");
    private static final SigningKey.Pair BEN = SigningKey.newPair("ben");
    private static final SigningKey.Pair EVE = SigningKey.newPair("eve");

    private static TrustedKey key(SigningKey.Pair pair, Permission... may) {
        return key(pair, Set.of(), Set.of(), TrustedKey.FOR_EVER, may);
    }

    private static TrustedKey key(
            SigningKey.Pair pair, Set<String> domains, Set<String> plans, long untilMillis, Permission... may) {
        return new TrustedKey(
                pair.signingKey().id(),
                pair.publicKey(),
                "",
                new TreeSet<>(domains),
                EnumSet.copyOf(List.of(may)),
                new TreeSet<>(plans),
                untilMillis);
    }

    private static String rule(String id, String more) {
        return "{'id':'" + id + "','stage':'tenant','algorithm':'fixed-window'," + more + "}";
    }

    private static final String BY_PLAN = rule("P-PLAN", "'limit':{'fromPlan':'perMinute','per':'1m'}");

    private static PolicyDocument policy(long version, int standard, int enterprise, String... rules) {
        String json = ("{'apiVersion':'headgate.io/v1','kind':'PolicySnapshot',"
                        + "'metadata':{'name':'n','version':" + version + ",'author':'ann','reason':'why'},"
                        + "'spec':{'domain':'northstar','plans':{'default':{'perMinute':60},'standard':{'perMinute':"
                        + standard + "},'enterprise':{'perMinute':" + enterprise + "}},'rules':["
                        + String.join(",", rules) + "]}}")
                .replace('\'', '"');
        return PolicyDocument.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<InForce> after(PolicyDocument before) {
        return Optional.of(InForce.only(before.policy()));
    }

    private static Optional<String> refusal(
            Collection<TrustedKey> keys,
            PolicyDocument document,
            Optional<InForce> before,
            SigningKey.Pair... signers) {
        List<Signature> signatures = List.of(signers).stream()
                .map(pair -> pair.signingKey().sign(document))
                .toList();
        return new TrustedKeys(keys).refusal(PolicyRecord.of(document, signatures), document, before, NOW);
    }

    @Test
    void a_trusted_signature_is_believed() {
        assertThat(refusal(List.of(key(ANN, Permission.PUBLISH)), policy(1, 300, 1000, BY_PLAN), Optional.empty(), ANN))
                .isEmpty();
    }

    @Test
    void nobody_and_strangers_are_not_believed() {
        List<TrustedKey> ann = List.of(key(ANN, Permission.PUBLISH));
        PolicyDocument document = policy(1, 300, 1000, BY_PLAN);

        assertThat(refusal(ann, document, Optional.empty()))
                .contains("nobody has signed it; one of the trusted keys [ann] must");
        assertThat(refusal(ann, document, Optional.empty(), EVE))
                .contains("it is signed with [eve], and no such key is trusted; trusted are [ann]");
        assertThat(refusal(ann, document, Optional.empty(), EVE, ANN))
                .as("a key that some readers do not know yet does no harm")
                .isEmpty();
    }

    @Test
    void a_signature_of_another_document_or_in_another_name_does_not_fit() {
        TrustedKeys keys = new TrustedKeys(List.of(key(ANN, Permission.PUBLISH)));
        PolicyDocument signed = policy(1, 300, 1000, BY_PLAN);
        PolicyDocument other = policy(1, 301, 1000, BY_PLAN);
        Signature of = ANN.signingKey().sign(signed);
        Signature inAnnsName = new Signature("ann", EVE.signingKey().sign(other).ed25519());
        Signature cut = new Signature("ann", new byte[63]);

        for (Signature wrong : List.of(of, inAnnsName, cut)) {
            assertThat(keys.refusal(PolicyRecord.of(other, List.of(wrong)), other, Optional.empty(), NOW))
                    .contains("the signature of key 'ann' does not fit the document");
        }
    }

    @Test
    void another_author_or_reason_is_another_document() {
        TrustedKeys keys = new TrustedKeys(List.of(key(ANN, Permission.PUBLISH)));
        PolicyDocument signed = policy(1, 300, 1000, BY_PLAN);
        PolicyDocument renamed = signed.as(1, "somebody else", "why");

        assertThat(keys.refusal(
                        PolicyRecord.of(renamed, List.of(ANN.signingKey().sign(signed))),
                        renamed,
                        Optional.empty(),
                        NOW))
                .isPresent();
    }

    @Test
    void who_may_only_approve_publishes_nothing() {
        assertThat(refusal(List.of(key(ANN, Permission.APPROVE)), policy(1, 300, 1000, BY_PLAN), Optional.empty(), ANN))
                .contains("key 'ann' may not publish; it may [approve]");
    }

    @Test
    void a_key_speaks_about_its_domains() {
        TrustedKey elsewhere = key(ANN, Set.of("orders"), Set.of(), TrustedKey.FOR_EVER, Permission.PUBLISH);

        assertThat(refusal(List.of(elsewhere), policy(1, 300, 1000, BY_PLAN), Optional.empty(), ANN))
                .contains("key 'ann' is trusted for domains [orders], not for 'northstar'");
    }

    @Test
    void a_key_for_some_plans_changes_their_limits_and_nothing_else() {
        List<TrustedKey> keys =
                List.of(key(ANN, Set.of(), Set.of("standard"), TrustedKey.FOR_EVER, Permission.PUBLISH));
        PolicyDocument before = policy(1, 300, 1000, BY_PLAN);

        assertThat(refusal(keys, policy(2, 400, 1000, BY_PLAN), after(before), ANN))
                .isEmpty();
        assertThat(refusal(keys, policy(2, 400, 2000, BY_PLAN), after(before), ANN))
                .contains("key 'ann' may change the limits of plans [standard] and nothing else; this version changes"
                        + " [plan enterprise]");
        assertThat(refusal(
                                keys,
                                policy(2, 300, 1000, BY_PLAN, rule("NEW", "'limit':{'requests':1,'per':'1m'}")),
                                after(before),
                                ANN)
                        .orElseThrow())
                .endsWith("this version changes [rule NEW]");
        assertThat(refusal(keys, before, Optional.empty(), ANN).orElseThrow())
                .endsWith("this version changes [everything, as the first version]");
    }

    @Test
    void two_sign_for_a_guarded_rule_whether_it_comes_changes_or_goes() {
        List<TrustedKey> keys = List.of(key(ANN, Permission.PUBLISH), key(BEN, Permission.APPROVE));
        String guarded = rule("VIP", "'signatures':2,'limit':{'requests':5,'per':'1m'}");
        String changed = rule("VIP", "'signatures':2,'limit':{'requests':6,'per':'1m'}");
        String unguarded = rule("VIP", "'limit':{'requests':5,'per':'1m'}");
        PolicyDocument without = policy(1, 300, 1000, BY_PLAN);
        PolicyDocument with = policy(1, 300, 1000, guarded);

        assertThat(refusal(keys, policy(2, 300, 1000, guarded), after(without), ANN)
                        .orElseThrow())
                .startsWith("it changes [VIP], for which two different keys have to sign");
        assertThat(refusal(keys, policy(2, 300, 1000, changed), after(with), ANN))
                .isPresent();
        assertThat(refusal(keys, policy(2, 300, 1000, unguarded), after(with), ANN))
                .isPresent();
        assertThat(refusal(keys, policy(2, 300, 1000, BY_PLAN), after(with), ANN))
                .isPresent();
        assertThat(refusal(keys, policy(2, 300, 1000, BY_PLAN, guarded), after(with), ANN))
                .as("what it leaves alone needs no second")
                .isEmpty();

        assertThat(refusal(keys, policy(2, 300, 1000, changed), after(with), ANN, BEN))
                .isEmpty();
        assertThat(refusal(keys, policy(2, 300, 1000, changed), after(with), BEN))
                .as("an approver alone")
                .isPresent();
    }

    @Test
    void a_key_is_believed_of_records_before_its_end() {
        PolicyDocument document = policy(1, 300, 1000, BY_PLAN);

        assertThat(refusal(
                        List.of(key(ANN, Set.of(), Set.of(), NOW + 1, Permission.PUBLISH)),
                        document,
                        Optional.empty(),
                        ANN))
                .isEmpty();
        assertThat(refusal(
                                List.of(key(ANN, Set.of(), Set.of(), NOW, Permission.PUBLISH)),
                                document,
                                Optional.empty(),
                                ANN)
                        .orElseThrow())
                .startsWith("key 'ann' was trusted until 2027-01-15T08:00:00Z");
    }

    @Test
    void keys_are_rotated_without_a_gap() {
        List<TrustedKey> both = List.of(key(ANN, Permission.PUBLISH), key(BEN, Permission.PUBLISH));
        PolicyHistory history = new PolicyHistory(new TrustedKeys(both));
        PolicyHistory later = new PolicyHistory(new TrustedKeys(List.of(key(BEN, Permission.PUBLISH))));
        PolicyDocument one = policy(1, 300, 1000, BY_PLAN);
        PolicyDocument two = policy(2, 400, 1000, BY_PLAN);
        byte[] byAnn = PolicyRecord.of(one, List.of(ANN.signingKey().sign(one))).toBytes();
        byte[] byBen = PolicyRecord.of(two, List.of(BEN.signingKey().sign(two))).toBytes();

        assertThat(history.take(0, NOW, byAnn)).isEmpty();
        assertThat(history.take(1, NOW, byBen)).isEmpty();
        assertThat(later.take(0, NOW, byAnn).map(PolicyRefusal::cause)).contains(PolicyRefusal.Cause.UNTRUSTED);
        assertThat(later.take(1, NOW, byBen))
                .as("a reader that begins anew begins with the first that it believes")
                .isEmpty();
    }

    @Test
    void what_is_not_believed_does_not_take_a_number() {
        PolicyHistory history = new PolicyHistory(new TrustedKeys(List.of(key(ANN, Permission.PUBLISH))));
        PolicyDocument one = policy(1, 300, 1000, BY_PLAN);
        PolicyDocument two = policy(2, 400, 1000, BY_PLAN);
        byte[] genuine =
                PolicyRecord.of(one, List.of(ANN.signingKey().sign(one))).toBytes();

        assertThat(history.take(0, NOW, genuine)).isEmpty();
        assertThat(history.take(
                        1,
                        NOW,
                        PolicyRecord.of(two, List.of(EVE.signingKey().sign(two)))
                                .toBytes()))
                .isPresent();
        assertThat(history.take(2, NOW, PolicyRecord.of(two, List.of()).toBytes()))
                .isPresent();
        assertThat(history.take(3, NOW, genuine)).as("the same again").isEmpty();
        assertThat(history.take(
                        4,
                        NOW,
                        PolicyRecord.of(two, List.of(ANN.signingKey().sign(two)))
                                .toBytes()))
                .isEmpty();
        assertThat(history.take(5, NOW, genuine).map(PolicyRefusal::reason))
                .contains("version 1 is older than version 2");
        assertThat(history.after(0)).extracting(PolicyHistory.Accepted::offset).containsExactly(4L);
    }

    @Test
    void one_holder_has_one_name() {
        TrustedKey ann = key(ANN, Permission.PUBLISH);
        TrustedKey alias = new TrustedKey(
                "ann-too",
                ANN.publicKey(),
                "",
                new TreeSet<>(),
                EnumSet.of(Permission.APPROVE),
                new TreeSet<>(),
                TrustedKey.FOR_EVER);

        assertThatThrownBy(() -> new TrustedKeys(List.of(ann, alias)))
                .hasMessage("keys has one public key as 'ann' and as 'ann-too'; it may stand once");
        assertThatThrownBy(() -> new TrustedKeys(List.of(ann, ann)))
                .hasMessage("keys has two of the id 'ann'; each key needs its own");
        assertThatThrownBy(() -> new TrustedKeys(List.of())).hasMessage("keys has 0; there must be 1 to 100");
    }
}
