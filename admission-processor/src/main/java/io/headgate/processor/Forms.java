package io.headgate.processor;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** Bodies of type {@code application/x-www-form-urlencoded}. */
final class Forms {

    private Forms() {}

    /**
     * Reads a form; a part that is not {@code name=value} is left out.
     *
     * @throws IllegalArgumentException if a part is badly encoded
     */
    static Properties parse(String body) {
        Properties form = new Properties();
        for (String part : body.split("&", -1)) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                form.setProperty(decode(part.substring(0, equals)), decode(part.substring(equals + 1)));
            }
        }
        return form;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
