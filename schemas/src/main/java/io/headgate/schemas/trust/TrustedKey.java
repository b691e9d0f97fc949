package io.headgate.schemas.trust;

import java.security.PublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.Collections;
import java.util.EnumSet;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A public key, and what is believed of whoever holds the private one.
 *
 * @param id names it in signatures
 * @param publicKey of Ed25519
 * @param owner who holds it, for people; may be empty
 * @param domains of policies that it may speak about; empty for every
 * @param may what it may do; one thing at least
 * @param plans whose limits it may change, and then nothing else; empty for everything
 * @param untilMillis records that are appended then or later are not believed; {@link #FOR_EVER} if there is no end
 */
public record TrustedKey(
        String id,
        PublicKey publicKey,
        String owner,
        NavigableSet<String> domains,
        Set<Permission> may,
        NavigableSet<String> plans,
        long untilMillis) {

    /** The end of a key that has none. */
    public static final long FOR_EVER = Long.MAX_VALUE;

    public TrustedKey {
        SigningKey.checkId(id);
        Objects.requireNonNull(publicKey);
        Objects.requireNonNull(owner);
        domains = Collections.unmodifiableNavigableSet(new TreeSet<>(domains));
        if (may.isEmpty()) {
            throw new IllegalArgumentException("may is empty; a key that may do nothing is not trusted");
        }
        may = Collections.unmodifiableSet(EnumSet.copyOf(may));
        plans = Collections.unmodifiableNavigableSet(new TreeSet<>(plans));
    }

    /**
     * The public key that a text stands for.
     *
     * @param base64 a SubjectPublicKeyInfo in base 64
     * @throws IllegalArgumentException if it is none of Ed25519
     */
    public static PublicKey publicKey(String base64) {
        return Ed25519.publicKey(Base64.getDecoder().decode(base64));
    }

    /** The public key as it is written. */
    public String publicText() {
        return Base64.getEncoder().encodeToString(publicKey.getEncoded());
    }

    boolean signed(byte[] message, byte[] ed25519) {
        return Ed25519.fits(publicKey, message, ed25519);
    }

    /** Why it is not believed of a record that was appended then. */
    Optional<String> whyTooLate(long appendedAtMillis) {
        return appendedAtMillis < untilMillis
                ? Optional.empty()
                : Optional.of("key '" + id + "' was trusted until " + Instant.ofEpochMilli(untilMillis)
                        + ", and the record was appended at " + Instant.ofEpochMilli(appendedAtMillis));
    }

    /** Why it may not speak about a domain. */
    Optional<String> whyNotOf(String domain) {
        return domains.isEmpty() || domains.contains(domain)
                ? Optional.empty()
                : Optional.of("key '" + id + "' is trusted for domains " + domains + ", not for '" + domain + "'");
    }

    Optional<String> whyMayNot(Permission permission) {
        return may.contains(permission)
                ? Optional.empty()
                : Optional.of("key '" + id + "' may not " + permission.label() + "; it may "
                        + may.stream().map(Permission::label).toList());
    }

    boolean isForEveryPlan() {
        return plans.isEmpty();
    }
}
