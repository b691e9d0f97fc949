package io.headgate.gateway.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** What the gateway tells of itself. */
final class About {

    /** The version of this build. */
    static final String VERSION = version();

    /** The OpenAPI document of all its HTTP endpoints. */
    static final String OPENAPI = text("openapi.json");

    private About() {}

    private static String version() {
        Properties properties = new Properties();
        try (InputStream in = open("version.properties")) {
            properties.load(in);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return properties.getProperty("version");
    }

    private static String text(String resource) {
        try (InputStream in = open(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static InputStream open(String resource) {
        InputStream in = About.class.getResourceAsStream(resource);
        if (in == null) {
            throw new IllegalStateException(resource + " is missing in this build");
        }
        return in;
    }
}
