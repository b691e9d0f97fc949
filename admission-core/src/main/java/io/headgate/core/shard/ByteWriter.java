package io.headgate.core.shard;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes state as bytes: integers in base 128 with the sign folded in, strings and arrays behind their length. */
final class ByteWriter {

    private byte[] bytes = new byte[64];
    private int size;

    byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    ByteWriter put(int oneByte) {
        if (size == bytes.length) {
            bytes = Arrays.copyOf(bytes, size * 2);
        }
        bytes[size++] = (byte) oneByte;
        return this;
    }

    ByteWriter putBoolean(boolean value) {
        return put(value ? 1 : 0);
    }

    ByteWriter putLong(long value) {
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7fL) != 0) {
            put((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        return put((int) rest);
    }

    /** Eight bytes, most significant first, so that non-negative numbers sort as their bytes do. */
    ByteWriter putSortable(long value) {
        for (int shift = 56; shift >= 0; shift -= 8) {
            put((int) (value >>> shift));
        }
        return this;
    }

    ByteWriter putBytes(byte[] value) {
        return putLong(value.length).putRaw(value);
    }

    ByteWriter putRaw(byte[] value) {
        if (size + value.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(size + value.length, size * 2));
        }
        System.arraycopy(value, 0, bytes, size, value.length);
        size += value.length;
        return this;
    }

    ByteWriter putString(String value) {
        return putBytes(value.getBytes(StandardCharsets.UTF_8));
    }
}
