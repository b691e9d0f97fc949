package io.headgate.schemas.trust;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.policy.InForce;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.Signature;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.SealedPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The keys that a reader believes. Every signature by one of them has to fit; those by others count for nothing, so that a
 * version can be signed with a key that some readers do not know yet.
 */
public final class TrustedKeys implements PolicyTrust {

    /** The most keys. */
    public static final int MAX_KEYS = 100;

    /** The most that may lie between a record's signature and its place in the log, in ms, whichever is first. */
    public static final long MOST_DELAY_MILLIS = 5 * 60_000;

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

    /**
     * Why a record that changes a tenant's plan is not believed; empty if it is.
     *
     * @param signature who is said to have signed it
     * @param record what was signed
     * @param plan what it says; that a tenant is removed, too, for a null
     * @param appendedAtMillis when the record came to stand there, which its writer cannot choose
     */
    public Optional<String> refusal(
            RecordSignature signature, SignedRecord record, TenantPlan plan, long appendedAtMillis) {
        return refusal(signature, record, EnumSet.of(Permission.PLAN), appendedAtMillis)
                .or(() -> whyTooFar(byId.get(signature.keyId()), plan));
    }

    /** As above, of a record with an operator's action. */
    public Optional<String> refusal(
            RecordSignature signature, SignedRecord record, Action action, long appendedAtMillis) {
        return refusal(signature, record, permissionsFor(action.effect()), appendedAtMillis)
                .or(() -> whyNotForAction(byId.get(signature.keyId())));
    }

    private Optional<String> refusal(
            RecordSignature signature, SignedRecord record, Set<Permission> oneOf, long appendedAtMillis) {
        TrustedKey key = byId.get(signature.keyId());
        if (key == null) {
            return Optional.of("it is signed with '" + signature.keyId() + "', and no such key is trusted; trusted are "
                    + names());
        }
        if (!key.signed(SignedBytes.record(record), signature.ed25519())) {
            return Optional.of("the signature of key '" + key.id() + "' does not fit the record");
        }
        if (Math.abs(appendedAtMillis - signature.issuedAtMillis()) > MOST_DELAY_MILLIS) {
            return Optional.of("it was signed at " + Instant.ofEpochMilli(signature.issuedAtMillis())
                    + " and appended at " + Instant.ofEpochMilli(appendedAtMillis) + "; there may be at most "
                    + MOST_DELAY_MILLIS / 60_000 + " minutes between");
        }
        return key.whyTooLate(appendedAtMillis)
                .or(() -> oneOf.stream().anyMatch(key.may()::contains)
                        ? Optional.empty()
                        : key.whyMayNot(oneOf.iterator().next()));
    }

    /** What each kind of action needs one of. Who may do a thing may end it. */
    private static Set<Permission> permissionsFor(Action.Effect effect) {
        if (effect instanceof Action.LimitOverride) {
            return EnumSet.of(Permission.OVERRIDE);
        }
        if (effect instanceof Action.Ban) {
            return EnumSet.of(Permission.BAN);
        }
        return effect instanceof Action.Lift
                ? EnumSet.of(Permission.OVERRIDE, Permission.BAN)
                : EnumSet.of(Permission.CREDIT);
    }

    private static Optional<String> whyTooFar(TrustedKey key, TenantPlan plan) {
        boolean ofItsPlans = plan.status() == TenantPlan.Status.ACTIVE
                && key.plans().contains(plan.plan())
                && !plan.unlimited()
                && plan.overrides().isEmpty();
        return key.isForEveryPlan() || ofItsPlans
                ? Optional.empty()
                : Optional.of("key '" + key.id() + "' is trusted for plans " + key.plans()
                        + ", and may put active tenants on those, without limits of their own");
    }

    private static Optional<String> whyNotForAction(TrustedKey key) {
        return key.isForEveryPlan()
                ? Optional.empty()
                : Optional.of(
                        "key '" + key.id() + "' is trusted for plans " + key.plans() + ", and an action is of no plan");
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
