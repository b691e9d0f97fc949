package io.headgate.schemas;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Names for people and keys that mean nothing outside: HMAC-SHA-256 (RFC 2104, FIPS 180-4) of the kind of identifier, a
 * zero byte and the identifier in UTF-8, under a secret that all gateways of a deployment share; of that the first 16
 * bytes, as 32 lower-case hexadecimal digits. A user and an API key of the same text get different ones.
 *
 * <p>An unknown (empty) identifier stays empty. Another secret means other names: whoever changes it hands out fresh
 * budgets per user, key and address.
 */
public final class Pseudonyms {

    /** The shortest secret, in bytes. */
    public static final int MIN_SECRET_LENGTH = 32;

    /** Digits of a pseudonym. */
    public static final int LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final Mac keyed;

    public Pseudonyms(byte[] secret) {
        if (secret.length < MIN_SECRET_LENGTH) {
            throw new IllegalArgumentException("the secret for pseudonyms has " + secret.length
                    + " bytes; it must have " + MIN_SECRET_LENGTH + " or more");
        }
        try {
            keyed = Mac.getInstance(ALGORITHM);
            keyed.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, missing);
        }
    }

    public String user(String raw) {
        return of("user", raw);
    }

    public String apiKey(String raw) {
        return of("api-key", raw);
    }

    public String ip(String raw) {
        return of("ip", raw);
    }

    public String target(String raw) {
        return of("target", raw);
    }

    /**
     * Of a value of an attribute that may name somebody. Values of different attributes have different pseudonyms: the kind
     * is {@code attribute:} and the name as a segment ({@link RateLimitDescriptor#segment}).
     */
    public String attribute(String name, String raw) {
        return raw.isEmpty() ? "" : of("attribute:" + RateLimitDescriptor.segment(name), raw);
    }

    private String of(String kind, String raw) {
        if (raw.isEmpty()) {
            return "";
        }
        Mac mac = copy();
        mac.update(kind.getBytes(StandardCharsets.US_ASCII));
        mac.update((byte) 0);
        byte[] code = mac.doFinal(raw.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(code, 0, LENGTH / 2);
    }

    /** A {@link Mac} is for one thread at a time; a copy has the key already worked in. */
    private Mac copy() {
        try {
            return (Mac) keyed.clone();
        } catch (CloneNotSupportedException never) {
            throw new IllegalStateException("the platform's " + ALGORITHM + " cannot be copied", never);
        }
    }
}
