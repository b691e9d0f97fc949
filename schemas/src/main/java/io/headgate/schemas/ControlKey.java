package io.headgate.schemas;

import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A key that only processors hold. What it signs, a processor wrote: HMAC-SHA-256 (RFC 2104, FIPS 180-4). */
public final class ControlKey {

    /** The shortest secret, in bytes. */
    public static final int MIN_SECRET_LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final String id;
    private final SecretKeySpec secret;

    /**
     * Makes a key.
     *
     * @param id names it in records, 1 to 64 characters
     * @param secret at least {@value #MIN_SECRET_LENGTH} bytes
     */
    public ControlKey(String id, byte[] secret) {
        if (id.isBlank() || id.length() > 64) {
            throw new IllegalArgumentException("the id of a control key has 1 to 64 characters, not " + id.length());
        }
        if (secret.length < MIN_SECRET_LENGTH) {
            throw new IllegalArgumentException("control key '" + id + "' has a secret of " + secret.length
                    + " bytes; it must have " + MIN_SECRET_LENGTH + " or more");
        }
        this.id = id;
        this.secret = new SecretKeySpec(secret, ALGORITHM);
    }

    public String id() {
        return id;
    }

    byte[] code(byte[] message) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return mac.doFinal(message);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, missing);
        }
    }

    @Override
    public String toString() {
        return "ControlKey[" + id + "]";
    }
}
