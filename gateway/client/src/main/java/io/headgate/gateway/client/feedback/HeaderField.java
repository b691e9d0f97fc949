package io.headgate.gateway.client.feedback;

import java.util.regex.Pattern;

/**
 * A field of an answer's header. Whatever is in it, it is one field: a value with a line break or any other control
 * character in it cannot be made.
 *
 * @param name a token (RFC 9110 §5.6.2)
 * @param value printable ASCII
 */
public record HeaderField(String name, String value) {

    public static final String RETRY_AFTER = "Retry-After";
    public static final String RATELIMIT_POLICY = "RateLimit-Policy";
    public static final String RATELIMIT = "RateLimit";
    public static final String X_RATELIMIT_LIMIT = "X-RateLimit-Limit";
    public static final String X_RATELIMIT_REMAINING = "X-RateLimit-Remaining";
    public static final String X_RATELIMIT_RESET = "X-RateLimit-Reset";

    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern PRINTABLE = Pattern.compile("[\\x20-\\x7E]*");

    public HeaderField {
        if (!TOKEN.matcher(name).matches()) {
            throw new IllegalArgumentException("a header field's name of " + name.length()
                    + " characters is no token; letters, digits and hyphens would do");
        }
        if (!PRINTABLE.matcher(value).matches()) {
            throw new IllegalArgumentException("the value of header field " + name
                    + " has a character that is not printable ASCII; leave that out");
        }
    }

    static HeaderField of(String name, long value) {
        return new HeaderField(name, Long.toString(value));
    }
}
