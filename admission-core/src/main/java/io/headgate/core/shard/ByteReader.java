package io.headgate.core.shard;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads what {@link ByteWriter} wrote. Reading past the end throws {@link IllegalStateException}. */
final class ByteReader {

    private final byte[] bytes;
    private int at;

    ByteReader(byte[] bytes) {
        this.bytes = bytes;
    }

    int get() {
        if (at == bytes.length) {
            throw new IllegalStateException("state entry of " + bytes.length + " bytes ends too early");
        }
        return bytes[at++] & 0xff;
    }

    boolean getBoolean() {
        return get() != 0;
    }

    long getLong() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = get();
            value |= (long) (next & 0x7f) << shift;
            if (next < 0x80) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw new IllegalStateException("state entry holds a number of more than 64 bits");
    }

    int getInt() {
        return Math.toIntExact(getLong());
    }

    byte[] getBytes() {
        int length = getInt();
        if (length < 0 || length > bytes.length - at) {
            throw new IllegalStateException("state entry of " + bytes.length + " bytes names a part of " + length);
        }
        at += length;
        return Arrays.copyOfRange(bytes, at - length, at);
    }

    String getString() {
        return new String(getBytes(), StandardCharsets.UTF_8);
    }
}
