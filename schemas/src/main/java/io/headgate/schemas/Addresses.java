package io.headgate.schemas;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Addresses in the one form in which they are counted, however they were written. {@code 2001:DB8:0:0::2} and {@code
 * 2001:db8::1} both become {@code 2001:db8::/64} when 64 bits count: whoever has one address of a network usually has
 * all of them. An IPv4-mapped IPv6 address is the IPv4 address. Nothing is ever looked up.
 */
public final class Addresses {

    private static final int V4_BYTES = 4;
    private static final int V6_BYTES = 16;
    private static final int V6_GROUPS = 8;
    private static final int MAPPED_PREFIX_BYTES = 12;

    /** The longest address: {@code 0000:0000:0000:0000:0000:ffff:255.255.255.255}. */
    private static final int MAX_LENGTH = 45;

    private final int v4PrefixBits;
    private final int v6PrefixBits;

    /**
     * Says how much of an address counts.
     *
     * @param v4PrefixBits of an IPv4 address, 1 to 32
     * @param v6PrefixBits of an IPv6 address, 1 to 128
     */
    public Addresses(int v4PrefixBits, int v6PrefixBits) {
        this.v4PrefixBits = inRange("prefix of IPv4 addresses", v4PrefixBits, V4_BYTES * Byte.SIZE);
        this.v6PrefixBits = inRange("prefix of IPv6 addresses", v6PrefixBits, V6_BYTES * Byte.SIZE);
    }

    /**
     * An address in its one spelling: IPv4 in four decimal numbers, IPv6 after RFC 5952. The whole address still.
     *
     * @param field names it in a message
     * @throws IllegalArgumentException if it is no address; the message does not repeat it
     */
    public static String spelt(String field, String text) {
        return written(bytes(field, text));
    }

    /** What an address counts as: its prefix, with its length where that is not all of it. Unknown stays unknown. */
    public String counted(String address) {
        if (address.isEmpty()) {
            return "";
        }
        byte[] bytes = bytes("ip", address);
        int prefixBits = bytes.length == V4_BYTES ? v4PrefixBits : v6PrefixBits;
        if (prefixBits == bytes.length * Byte.SIZE) {
            return written(bytes);
        }
        for (int i = 0; i < bytes.length; i++) {
            int kept = Math.max(0, Math.min(Byte.SIZE, prefixBits - i * Byte.SIZE));
            bytes[i] &= (byte) (0xff << (Byte.SIZE - kept));
        }
        return written(bytes) + "/" + prefixBits;
    }

    // ---- reading

    private static byte[] bytes(String field, String text) {
        Optional<byte[]> read = Optional.empty();
        if (text.length() <= MAX_LENGTH) {
            read = text.indexOf(':') < 0 ? v4(text) : v6(text);
        }
        byte[] bytes = read.orElseThrow(() -> new IllegalArgumentException(
                field + " " + whatIsWrong(text) + "; it must be one IPv4 or IPv6 address and nothing else"));
        return isMapped(bytes) ? Arrays.copyOfRange(bytes, MAPPED_PREFIX_BYTES, V6_BYTES) : bytes;
    }

    private static Optional<byte[]> v4(String text) {
        byte[] bytes = new byte[V4_BYTES];
        int at = 0;
        for (int i = 0; i < V4_BYTES; i++) {
            int end = i == V4_BYTES - 1 ? text.length() : text.indexOf('.', at);
            int number = end < 0 ? -1 : decimal(text, at, end);
            if (number < 0) {
                return Optional.empty();
            }
            bytes[i] = (byte) number;
            at = end + 1;
        }
        return Optional.of(bytes);
    }

    /** 0 to 255 without leading zeros, which some read as octal; otherwise −1. */
    private static int decimal(String text, int from, int to) {
        int digits = to - from;
        if (digits < 1 || digits > 3 || (digits > 1 && text.charAt(from) == '0')) {
            return -1;
        }
        int number = 0;
        for (int i = from; i < to; i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            number = number * 10 + digit - '0';
        }
        return number <= 255 ? number : -1;
    }

    private static Optional<byte[]> v6(String text) {
        int gap = text.indexOf("::");
        if (gap < 0) {
            byte[] all = new byte[V6_BYTES];
            return groups(text, all, true) == V6_BYTES ? Optional.of(all) : Optional.empty();
        }
        byte[] head = new byte[V6_BYTES];
        byte[] tail = new byte[V6_BYTES];
        int headLength = groups(text.substring(0, gap), head, false);
        int tailLength = groups(text.substring(gap + 2), tail, true);
        if (headLength < 0 || tailLength < 0 || headLength + tailLength > V6_BYTES - 2) {
            return Optional.empty();
        }
        System.arraycopy(tail, 0, head, V6_BYTES - tailLength, tailLength);
        return Optional.of(head);
    }

    /** Reads groups with a colon between them, the last perhaps an IPv4 address; how many bytes, or −1. */
    private static int groups(String text, byte[] into, boolean mayEndInV4) {
        if (text.isEmpty()) {
            return 0;
        }
        int length = 0;
        int at = 0;
        while (at <= text.length()) {
            int colon = text.indexOf(':', at);
            int end = colon < 0 ? text.length() : colon;
            byte[] group;
            if (colon < 0 && mayEndInV4 && text.indexOf('.', at) >= 0) {
                group = v4(text.substring(at)).orElse(new byte[0]);
            } else {
                group = hexGroup(text, at, end);
            }
            if (group.length == 0 || length + group.length > V6_BYTES) {
                return -1;
            }
            System.arraycopy(group, 0, into, length, group.length);
            length += group.length;
            at = end + 1;
        }
        return length;
    }

    /** One to four hexadecimal digits as two bytes; otherwise none. */
    private static byte[] hexGroup(String text, int from, int to) {
        if (to - from < 1 || to - from > 4) {
            return new byte[0];
        }
        int value = 0;
        for (int i = from; i < to; i++) {
            char digit = text.charAt(i);
            if (!HexFormat.isHexDigit(digit)) {
                return new byte[0];
            }
            value = value << 4 | HexFormat.fromHexDigit(digit);
        }
        return new byte[] {(byte) (value >> 8), (byte) value};
    }

    private static boolean isMapped(byte[] bytes) {
        if (bytes.length != V6_BYTES || bytes[10] != -1 || bytes[11] != -1) {
            return false;
        }
        for (int i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    /** A likely reason, without the text. */
    private static String whatIsWrong(String text) {
        if (text.indexOf('[') >= 0 || text.indexOf(']') >= 0) {
            return "has brackets";
        }
        if (text.indexOf('%') >= 0) {
            return "has a zone id";
        }
        if (text.indexOf('/') >= 0) {
            return "has a prefix length";
        }
        int colon = text.indexOf(':');
        if (colon >= 0 && colon == text.lastIndexOf(':') && text.indexOf('.') < colon && text.indexOf('.') >= 0) {
            return "has a port";
        }
        return "is no address";
    }

    // ---- writing

    private static String written(byte[] bytes) {
        StringBuilder out = new StringBuilder(MAX_LENGTH);
        if (bytes.length == V4_BYTES) {
            for (int i = 0; i < V4_BYTES; i++) {
                out.append(i == 0 ? "" : ".").append(bytes[i] & 0xff);
            }
            return out.toString();
        }
        int gap = longestRunOfZeros(bytes);
        int gapEnd = gap < 0 ? -1 : gap + runOfZeros(bytes, gap);
        for (int i = 0; i < V6_GROUPS; i++) {
            if (i == gap) {
                out.append("::");
                i = gapEnd - 1;
            } else {
                out.append(i == 0 || i == gapEnd ? "" : ":").append(Integer.toHexString(group(bytes, i)));
            }
        }
        return out.toString();
    }

    /** Where the longest run of two groups of zeros or more begins, of several the first; −1 if there is none. */
    private static int longestRunOfZeros(byte[] bytes) {
        int longest = -1;
        int longestLength = 1;
        for (int i = 0; i < V6_GROUPS; i++) {
            int length = runOfZeros(bytes, i);
            if (length > longestLength) {
                longest = i;
                longestLength = length;
            }
        }
        return longest;
    }

    private static int runOfZeros(byte[] bytes, int from) {
        int to = from;
        while (to < V6_GROUPS && group(bytes, to) == 0) {
            to++;
        }
        return to - from;
    }

    private static int group(byte[] bytes, int number) {
        return (bytes[2 * number] & 0xff) << 8 | (bytes[2 * number + 1] & 0xff);
    }

    private static int inRange(String what, int bits, int most) {
        if (bits < 1 || bits > most) {
            throw new IllegalArgumentException("the " + what + " is " + bits + "; it must be 1 to " + most);
        }
        return bits;
    }
}
