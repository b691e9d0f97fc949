package io.headgate.gateway.server.identity;

import com.nimbusds.jose.util.DefaultResourceRetriever;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the keys come from that tokens are verified with. */
interface KeySource {

    /** The longest key set, in bytes. */
    int MAX_LENGTH = 256 * 1024;

    /**
     * Reads the key set as it is now, which may take a while.
     *
     * @return a JSON Web Key Set
     */
    String read() throws IOException;

    static KeySource of(JwtSettings settings) {
        return settings.keysFile().map(KeySource::file).orElseGet(() -> url(settings));
    }

    private static KeySource file(Path file) {
        return () -> {
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(MAX_LENGTH + 1);
                if (bytes.length > MAX_LENGTH) {
                    throw new IOException("it is longer than " + MAX_LENGTH + " bytes");
                }
                return new String(bytes, StandardCharsets.UTF_8);
            }
        };
    }

    private static KeySource url(JwtSettings settings) {
        int timeoutMillis = settings.keysTimeoutMillis();
        DefaultResourceRetriever retriever = new DefaultResourceRetriever(timeoutMillis, timeoutMillis, MAX_LENGTH);
        return () -> retriever.retrieveResource(settings.keysUrl().toURL()).getContent();
    }
}
