package io.headgate.core.shard;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes state as bytes: integers in base 128 with the sign folded in, strings and arrays behind their length. */
final class ByteWriter {

    /** Up to here a length takes one byte. */
    private static final int SHORT = 63;

    private byte[] bytes;
    private int size;

    ByteWriter() {
        this(64);
    }

    /** With room for so many bytes; filled exactly, they need not be copied. */
    ByteWriter(int room) {
        bytes = new byte[room];
    }

    /** How many bytes a text takes, as long as it is ASCII. */
    static int sizeOf(String ascii) {
        return ascii.length() + (ascii.length() <= SHORT ? 1 : 2);
    }

    byte[] toBytes() {
        return size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
    }

    ByteWriter put(int oneByte) {
        if (size == bytes.length) {
            bytes = Arrays.copyOf(bytes, size * 2 + 8);
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
        return putShortAscii(value) ? this : putBytes(value.getBytes(StandardCharsets.UTF_8));
    }

    /** What most keys are made of goes in without a detour; anything else is left alone. */
    private boolean putShortAscii(String value) {
        int length = value.length();
        if (length > SHORT) {
            return false;
        }
        if (size + 1 + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(size + 1 + length, size * 2));
        }
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c >= 0x80) {
                return false;
            }
            bytes[size + 1 + i] = (byte) c;
        }
        bytes[size] = (byte) (length << 1);
        size += 1 + length;
        return true;
    }
}
