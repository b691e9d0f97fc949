package io.headgate.core.policy;

import java.util.regex.Pattern;

/** The names of what requests are charged in, such as {@code requests} or {@code tokens-in}. */
public final class Meter {

    /** The meter that every request has. */
    public static final String REQUESTS = "requests";

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    private static final int LONGEST_SHOWN = 64;

    private Meter() {}

    /**
     * Returns the name.
     *
     * @throws IllegalArgumentException if it is not a meter's
     */
    public static String named(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("meter is '" + name.substring(0, Math.min(LONGEST_SHOWN, name.length()))
                    + "'; it must be 1 to 32 lower-case letters, digits and hyphens and begin with a letter");
        }
        return name;
    }
}
