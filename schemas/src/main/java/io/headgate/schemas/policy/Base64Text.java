package io.headgate.schemas.policy;

import java.util.Base64;
import java.util.Optional;

/** Bytes as text. */
final class Base64Text {

    private Base64Text() {}

    /** The bytes; empty if the text is not base 64 (RFC 4648, with padding, on one line) or not the only way to write them. */
    static Optional<byte[]> bytes(String text) {
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            return Optional.of(bytes)
                    .filter(one -> Base64.getEncoder().encodeToString(one).equals(text));
        } catch (IllegalArgumentException notOne) {
            return Optional.empty();
        }
    }
}
