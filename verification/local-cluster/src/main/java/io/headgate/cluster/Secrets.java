package io.headgate.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Secrets of a local cluster: made once, kept in its folder, readable by their owner only. */
final class Secrets {

    private static final int LENGTH = 32;

    private Secrets() {}

    /** The file of control keys of a processor; made on first use, with one key. */
    static Path controlKeys(Path folder) throws IOException {
        return existingOrNew(folder.resolve("control.keys"), "local=" + newSecret() + "\n");
    }

    /** The secret that a gateway makes pseudonyms with, in hexadecimal; made on first use. */
    static String pseudonymSecret(Path folder) throws IOException {
        return Files.readString(existingOrNew(folder.resolve("pseudonym.secret"), newSecret() + "\n"))
                .trim();
    }

    private static String newSecret() {
        byte[] secret = new byte[LENGTH];
        new SecureRandom().nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }

    private static Path existingOrNew(Path file, String content) throws IOException {
        if (!Files.exists(file)) {
            Path draft = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(draft, content, StandardCharsets.US_ASCII);
            if (Files.getFileStore(draft).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-------"));
            }
            Files.move(draft, file);
        }
        return file;
    }
}
