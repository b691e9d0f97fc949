package io.headgate.schemas;

import java.util.Arrays;

/**
 * Somebody's word for a document: Ed25519 (RFC 8032, pure) over its canonical bytes.
 *
 * @param keyId names the key among those that the reader trusts
 * @param ed25519 64 bytes
 */
public record Signature(String keyId, byte[] ed25519) {

    @Override
    public boolean equals(Object other) {
        return other instanceof Signature that && keyId.equals(that.keyId) && Arrays.equals(ed25519, that.ed25519);
    }

    @Override
    public int hashCode() {
        return 31 * keyId.hashCode() + Arrays.hashCode(ed25519);
    }

    @Override
    public String toString() {
        return "Signature of " + keyId;
    }
}
