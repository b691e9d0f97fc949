package io.headgate.schemas;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * One descriptor of a request to Envoy's rate limit service, and how it is asked: as a route and attributes. Imported
 * policies are written for it. {@code (message_type, marketing), (to number, 1/2)} of the domain {@code messaging} is asked
 * as {@code RLS /messaging/message_type/marketing/to%20number/1%2F2} with the attributes {@code message_type: marketing},
 * {@code entry.2: 1/2} and {@code entry.descriptor: 0}.
 *
 * @param domain the domain of the request, not empty; also the tenant that is asked for
 * @param entries 1 to {@value #MAX_ENTRIES}
 */
public record RateLimitDescriptor(String domain, List<Entry> entries) {

    /** The method of the routes. */
    public static final String METHOD = "RLS";

    /** The most entries: with the descriptor's own place they are as many as a request has attributes. */
    public static final int MAX_ENTRIES = 31;

    /** The longest segment of a route that a text becomes, and the longest attribute. */
    public static final int MAX_LENGTH = 256;

    /** The attribute that says which descriptor of the request it is, from 0. */
    public static final String PLACE = "entry.descriptor";

    private static final String RESERVED = "entry.";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final String PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    private static final String EMPTY = "%";
    private static final String DIGEST = "%%";

    /** A key and the value that the request has for it. */
    public record Entry(String key, String value) {

        public Entry {
            if (key.isEmpty()) {
                throw new IllegalArgumentException("the key of an entry is empty; it must have a character");
            }
        }
    }

    public RateLimitDescriptor {
        entries = List.copyOf(entries);
        if (domain.isEmpty()) {
            throw new IllegalArgumentException("domain is empty; it must have a character");
        }
        if (entries.isEmpty() || entries.size() > MAX_ENTRIES) {
            throw new IllegalArgumentException(
                    "descriptor has " + entries.size() + " entries; it must have 1 to " + MAX_ENTRIES);
        }
    }

    /** The route that is asked. */
    public String route() {
        StringBuilder route = new StringBuilder(METHOD).append(" /").append(segment(domain));
        entries.forEach(entry ->
                route.append('/').append(segment(entry.key())).append('/').append(segment(entry.value())));
        return route.toString();
    }

    /**
     * The attributes that are asked with.
     *
     * @param place which descriptor of its request this is, from 0
     */
    public Map<String, String> attributes(int place) {
        List<String> names = names(entries.stream().map(Entry::key).toList());
        Map<String, String> attributes = new TreeMap<>();
        for (int i = 0; i < names.size(); i++) {
            attributes.put(names.get(i), attribute(entries.get(i).value()));
        }
        attributes.put(PLACE, Integer.toString(place));
        return attributes;
    }

    /**
     * The names of the attributes that entries of these keys become, in their order: the key itself, or {@code entry.N} for
     * the N-th entry if its key is no name, stood before, or begins with {@code entry.}
     */
    public static List<String> names(List<String> keys) {
        List<String> names = new ArrayList<>(keys.size());
        Set<String> taken = new HashSet<>();
        for (String key : keys) {
            boolean own = isName(key) && taken.add(key);
            names.add(own ? key : RESERVED + (names.size() + 1));
        }
        return names;
    }

    /** Whether a key names its attribute itself, wherever its entry stands. */
    public static boolean isName(String key) {
        return NAME.matcher(key).matches() && !key.startsWith(RESERVED);
    }

    /**
     * A text as a segment of a route: its UTF-8 with all but letters, digits, {@code - . _ ~} percent-encoded in upper-case
     * hex; an empty one is {@code %}. One that would be longer than {@value #MAX_LENGTH} characters is {@code %%} and the
     * SHA-256 of its UTF-8 in lower-case hex. Different texts become different segments.
     *
     * @throws IllegalArgumentException if the text has half of a surrogate pair
     */
    public static String segment(String text) {
        if (text.isEmpty()) {
            return EMPTY;
        }
        byte[] utf8 = utf8(text);
        StringBuilder segment = new StringBuilder(utf8.length);
        for (byte one : utf8) {
            if (PLAIN.indexOf(one) >= 0) {
                segment.append((char) one);
            } else {
                segment.append('%').append(HexFormat.of().withUpperCase().toHexDigits(one));
            }
            if (segment.length() > MAX_LENGTH) {
                return digest(utf8);
            }
        }
        return segment.toString();
    }

    /**
     * A text as an attribute: itself; but if it is empty, begins with {@code %}, or is longer than {@value #MAX_LENGTH}
     * characters, what {@link #segment} makes of it, of a long one always the SHA-256.
     */
    public static String attribute(String text) {
        if (text.length() > MAX_LENGTH) {
            return digest(utf8(text));
        }
        return text.isEmpty() || text.startsWith("%") ? segment(text) : text;
    }

    private static String digest(byte[] utf8) {
        try {
            return DIGEST
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(utf8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static byte[] utf8(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a text of a descriptor has half of a surrogate pair", e);
        }
    }
}
