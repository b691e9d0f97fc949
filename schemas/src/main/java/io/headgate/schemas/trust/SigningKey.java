package io.headgate.schemas.trust;

import io.headgate.schemas.Signature;
import io.headgate.schemas.policy.PolicyDocument;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A private key and the name that readers know it by. In a file it is PEM as OpenSSL writes it, PKCS#8, with a line before
 * that names it: {@code # headgate key ID}. A file without the line, of {@code openssl genpkey -algorithm ed25519}, will do
 * where the name is given otherwise.
 */
public final class SigningKey {

    /** The longest name of a key. */
    public static final int MAX_ID_LENGTH = 64;

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1," + MAX_ID_LENGTH + "}");
    private static final Pattern NAMED = Pattern.compile("(?m)^# headgate key (\\S+)[ \\t]*$");
    private static final Pattern PRIVATE =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final int MAX_FILE_BYTES = 16 * 1024;

    private final String id;
    private final PrivateKey key;

    private SigningKey(String id, PrivateKey key) {
        checkId(id);
        this.id = id;
        this.key = key;
    }

    /** A new key, with the public key that belongs to it. */
    public record Pair(SigningKey signingKey, PublicKey publicKey) {

        /** The public key as a SubjectPublicKeyInfo in base 64, as trusted keys are written. */
        public String publicText() {
            return Base64.getEncoder().encodeToString(publicKey.getEncoded());
        }
    }

    /**
     * Makes a new key.
     *
     * @throws IllegalArgumentException if {@code id} is not 1 to 64 letters, digits, dots, hyphens and underscores
     */
    public static Pair newPair(String id) {
        KeyPair pair = Ed25519.newPair();
        return new Pair(new SigningKey(id, pair.getPrivate()), pair.getPublic());
    }

    /**
     * Reads the key of a file that says its name.
     *
     * @throws IllegalArgumentException naming the file and what is wrong with it, never the key
     */
    public static SigningKey read(Path file) {
        String pem = text(file);
        Matcher named = NAMED.matcher(pem);
        if (!named.find()) {
            throw new IllegalArgumentException(
                    "key file " + file
                            + " does not say the key's name; a line '# headgate key ID' before the key would, or give the name");
        }
        return of(file, pem, named.group(1));
    }

    /**
     * Reads the key of a file, whatever name it says.
     *
     * @throws IllegalArgumentException naming the file and what is wrong with it, never the key
     */
    public static SigningKey read(Path file, String id) {
        return of(file, text(file), id);
    }

    private static SigningKey of(Path file, String pem, String id) {
        Matcher key = PRIVATE.matcher(pem);
        if (!key.find()) {
            throw new IllegalArgumentException("key file " + file
                    + " has no private key; it must be PEM as 'openssl genpkey -algorithm ed25519' writes it, without a"
                    + " password");
        }
        try {
            return new SigningKey(id, Ed25519.privateKey(Base64.getMimeDecoder().decode(key.group(1))));
        } catch (IllegalArgumentException unusable) {
            throw new IllegalArgumentException("key file " + file + ": " + unusable.getMessage(), unusable);
        }
    }

    private static String text(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            // A character for a byte: what is not ASCII can only stand in a comment.
            return new String(in.readNBytes(MAX_FILE_BYTES), StandardCharsets.ISO_8859_1);
        } catch (IOException unreadable) {
            throw new IllegalArgumentException(
                    "key file " + file + " cannot be read: "
                            + unreadable.getClass().getSimpleName(),
                    unreadable);
        }
    }

    /**
     * Writes the key to a new file that only its owner may read.
     *
     * @throws FileAlreadyExistsException if there is a file of that name
     */
    public void write(Path file) throws IOException {
        List<String> lines = Stream.of(
                        Stream.of("# headgate key " + id, "-----BEGIN PRIVATE KEY-----"),
                        Base64.getMimeEncoder(64, new byte[] {'\n'})
                                .encodeToString(key.getEncoded())
                                .lines(),
                        Stream.of("-----END PRIVATE KEY-----"))
                .flatMap(part -> part)
                .toList();
        Files.createFile(file, ownerOnly(file));
        Files.write(file, lines, StandardCharsets.US_ASCII, StandardOpenOption.TRUNCATE_EXISTING);
    }

    private static FileAttribute<?>[] ownerOnly(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }

    /** What readers know the key by. */
    public String id() {
        return id;
    }

    /** Signs a policy. */
    public Signature sign(PolicyDocument document) {
        return new Signature(id, Ed25519.sign(key, SignedBytes.policy(document)));
    }

    /** Signs a record. */
    public RecordSignature sign(SignedRecord record) {
        return new RecordSignature(id, record.issuedAtMillis(), Ed25519.sign(key, SignedBytes.record(record)));
    }

    static void checkId(String id) {
        if (!ID.matcher(Objects.requireNonNull(id)).matches()) {
            throw new IllegalArgumentException(
                    "id of the key is '" + id.substring(0, Math.min(MAX_ID_LENGTH, id.length())) + "'; it must be 1 to "
                            + MAX_ID_LENGTH + " letters, digits, dots, hyphens and underscores");
        }
    }

    @Override
    public String toString() {
        return "SigningKey " + id;
    }
}
