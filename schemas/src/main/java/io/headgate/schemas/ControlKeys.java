package io.headgate.schemas;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/** The control keys that a processor holds: the one it writes with, and those it still accepts. */
public final class ControlKeys {

    private final Map<String, ControlKey> byId;

    public ControlKeys(Iterable<ControlKey> keys) {
        Map<String, ControlKey> collected = new TreeMap<>();
        keys.forEach(key -> collected.put(key.id(), key));
        if (collected.isEmpty()) {
            throw new IllegalArgumentException("there is no control key; a processor needs one");
        }
        this.byId = Collections.unmodifiableMap(collected);
    }

    /**
     * Reads a properties file: a line {@code id=secret in hexadecimal digits} a key.
     *
     * @throws IllegalArgumentException naming the file and what is wrong with it, never a secret
     */
    public static ControlKeys read(Path file) {
        Properties lines = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            lines.load(reader);
        } catch (IOException unreadable) {
            throw new UncheckedIOException("control key file " + file + " cannot be read", unreadable);
        }
        try {
            return new ControlKeys(lines.stringPropertyNames().stream()
                    .map(id -> new ControlKey(id, secret(id, lines.getProperty(id))))
                    .toList());
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException("control key file " + file + ": " + wrong.getMessage());
        }
    }

    public Optional<ControlKey> find(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    /** The key that a new shard begins with: the first by id. */
    public ControlKey first() {
        return byId.values().iterator().next();
    }

    private static byte[] secret(String id, String hex) {
        try {
            return HexFormat.of().parseHex(hex.trim());
        } catch (IllegalArgumentException notHex) {
            throw new IllegalArgumentException(
                    "the secret of '" + id + "' is not an even number of hexadecimal digits");
        }
    }
}
