package io.headgate.schemas.trust;

import io.headgate.core.policy.InForce;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.Signature;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.SealedPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The keys that a reader believes. Every signature by one of them has to fit; those by others count for nothing, so that a
 * version can be signed with a key that some readers do not know yet.
 */
public final class TrustedKeys implements PolicyTrust {

    /** The most keys. */
    public static final int MAX_KEYS = 100;

    private final Map<String, TrustedKey> byId;

    /**
     * @throws IllegalArgumentException if there are none or too many, or two of one name or one public key
     */
    public TrustedKeys(Collection<TrustedKey> keys) {
        if (keys.isEmpty() || keys.size() > MAX_KEYS) {
            throw new IllegalArgumentException("keys has " + keys.size() + "; there must be 1 to " + MAX_KEYS);
        }
        Map<String, TrustedKey> collected = new LinkedHashMap<>();
        Map<String, String> idByPublicKey = new TreeMap<>();
        for (TrustedKey key : keys) {
            if (collected.put(key.id(), key) != null) {
                throw new IllegalArgumentException("keys has two of the id '" + key.id() + "'; each key needs its own");
            }
            // Under two names one holder could give both of two signatures.
            String other = idByPublicKey.put(key.publicText(), key.id());
            if (other != null) {
                throw new IllegalArgumentException(
                        "keys has one public key as '" + other + "' and as '" + key.id() + "'; it may stand once");
            }
        }
        this.byId = Collections.unmodifiableMap(collected);
    }

    /** The keys, in the order in which they were given. */
    public List<TrustedKey> keys() {
        return List.copyOf(byId.values());
    }

    private String names() {
        return byId.keySet().toString();
    }

    @Override
    public Optional<String> refusal(
            PolicyRecord record, PolicyDocument document, Optional<InForce> before, long appendedAtMillis) {
        if (record.signatures().isEmpty()) {
            return Optional.of("nobody has signed it; one of the trusted keys " + names() + " must");
        }
        if (record.signatures().size() > SealedPolicy.MAX_SIGNATURES) {
            return Optional.of("it has " + record.signatures().size() + " signatures; at most "
                    + SealedPolicy.MAX_SIGNATURES + " are allowed");
        }
        byte[] message = SignedBytes.policy(document);
        Map<String, TrustedKey> signers = new LinkedHashMap<>();
        List<String> tooLate = new ArrayList<>();
        for (Signature signature : record.signatures()) {
            TrustedKey key = byId.get(signature.keyId());
            if (key == null) {
                continue;
            }
            if (!key.signed(message, signature.ed25519())) {
                return Optional.of("the signature of key '" + key.id() + "' does not fit the document");
            }
            Optional<String> why = key.whyTooLate(appendedAtMillis);
            if (why.isPresent()) {
                tooLate.add(why.get());
            } else {
                signers.put(key.id(), key);
            }
        }
        if (signers.isEmpty()) {
            return Optional.of(tooLate.isEmpty() ? untrusted(record) : String.join("; ", tooLate));
        }
        return refusal(List.copyOf(signers.values()), document, Reach.of(before, document.policy()));
    }

    private String untrusted(PolicyRecord record) {
        List<String> strangers = record.signatures().stream()
                .map(Signature::keyId)
                .map(TrustedKeys::shown)
                .toList();
        return "it is signed with " + strangers + ", and no such key is trusted; trusted are " + names();
    }

    private static Optional<String> refusal(List<TrustedKey> signers, PolicyDocument document, Reach reach) {
        String domain = document.metadata().domain();
        List<String> whyNot = new ArrayList<>();
        for (TrustedKey signer : signers) {
            Optional<String> why = signer.whyMayNot(Permission.PUBLISH)
                    .or(() -> signer.whyNotOf(domain))
                    .or(() -> whyTooFar(signer, reach));
            if (why.isPresent()) {
                whyNot.add(why.get());
            } else if (reach.guarded().isEmpty()
                    || signers.stream().anyMatch(other -> !other.id().equals(signer.id()) && seconds(other, domain))) {
                return Optional.empty();
            } else {
                whyNot.add("it changes " + reach.guarded()
                        + ", for which two different keys have to sign, one that may "
                        + "publish and another that may publish or approve; the only one that may is '" + signer.id()
                        + "'");
            }
        }
        return Optional.of(String.join("; ", whyNot));
    }

    private static boolean seconds(TrustedKey key, String domain) {
        return key.whyNotOf(domain).isEmpty()
                && (key.may().contains(Permission.PUBLISH) || key.may().contains(Permission.APPROVE));
    }

    private static Optional<String> whyTooFar(TrustedKey key, Reach reach) {
        if (key.isForEveryPlan()) {
            return Optional.empty();
        }
        List<String> tooFar = new ArrayList<>(reach.plans());
        tooFar.removeAll(key.plans());
        tooFar.replaceAll(plan -> "plan " + plan);
        tooFar.addAll(reach.beyond());
        return tooFar.isEmpty()
                ? Optional.empty()
                : Optional.of("key '" + key.id() + "' may change the limits of plans " + key.plans()
                        + " and nothing else; this version changes " + tooFar);
    }

    /** A name as a stranger gave it, safe to be logged. */
    private static String shown(String text) {
        String cut =
                text.length() <= SigningKey.MAX_ID_LENGTH ? text : text.substring(0, SigningKey.MAX_ID_LENGTH) + "…";
        return cut.replaceAll("[^\\x20-\\x7e…]", "?");
    }
}
