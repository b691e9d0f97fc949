package io.headgate.schemas.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SigningKeyTest {

    /** Of RFC 8032, section 7.1, test 1, as PKCS#8. */
    private static final String RFC_KEY =
            "302e020100300506032b6570042204209d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

    @TempDir
    private Path folder;

    private static PolicyDocument document() {
        return PolicyDocument.parse(("{\"apiVersion\":\"headgate.io/v1\",\"kind\":\"PolicySnapshot\","
                        + "\"metadata\":{\"name\":\"n\",\"version\":1},\"spec\":{\"domain\":\"d\",\"rules\":[]}}")
                .getBytes(StandardCharsets.UTF_8));
    }

    private Path pem(String text) throws Exception {
        return Files.writeString(folder.resolve("some.pem"), text);
    }

    @Test
    void a_key_that_was_written_is_read_with_its_name_and_signs_the_same() throws Exception {
        Path file = folder.resolve("a.key");
        SigningKey.Pair pair = SigningKey.newPair("ops-2026");
        pair.signingKey().write(file);

        SigningKey read = SigningKey.read(file);

        assertThat(read.id()).isEqualTo("ops-2026");
        assertThat(read.sign(document())).isEqualTo(pair.signingKey().sign(document()));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void a_key_is_never_written_over_another() throws Exception {
        Path file = pem("precious");

        assertThatThrownBy(() -> SigningKey.newPair("a").signingKey().write(file))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(file).hasContent("precious");
    }

    @Test
    void a_signature_fits_what_was_signed_by_that_key_and_nothing_else() {
        SigningKey.Pair pair = SigningKey.newPair("a");
        byte[] message = SignedBytes.policy(document());
        byte[] signature = pair.signingKey().sign(document()).ed25519();

        assertThat(Ed25519.fits(pair.publicKey(), message, signature)).isTrue();
        assertThat(Ed25519.fits(SigningKey.newPair("a").publicKey(), message, signature))
                .isFalse();
        for (int bit = 0; bit < message.length * 8; bit++) {
            message[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(Ed25519.fits(pair.publicKey(), message, signature))
                    .as("message with bit %d flipped", bit)
                    .isFalse();
            message[bit / 8] ^= (byte) (1 << bit % 8);
        }
        for (int bit = 0; bit < signature.length * 8; bit++) {
            signature[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(Ed25519.fits(pair.publicKey(), message, signature))
                    .as("signature with bit %d flipped", bit)
                    .isFalse();
            signature[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }

    @Test
    void bytes_that_cannot_be_a_signature_fit_nothing() {
        SigningKey.Pair pair = SigningKey.newPair("a");

        assertThat(Ed25519.fits(pair.publicKey(), new byte[] {1}, new byte[0])).isFalse();
        assertThat(Ed25519.fits(pair.publicKey(), new byte[] {1}, new byte[64])).isFalse();
        assertThat(Ed25519.fits(pair.publicKey(), new byte[] {1}, new byte[65])).isFalse();
    }

    @Test
    void a_signature_of_a_policy_is_over_a_line_that_says_so_and_the_canonical_bytes() {
        assertThat(new String(SignedBytes.policy(document()), StandardCharsets.UTF_8))
                .startsWith("headgate.io/v1 PolicySnapshot\n{\"apiVersion\":\"headgate.io/v1\",")
                .endsWith(new String(document().canonicalBytes(), StandardCharsets.UTF_8));
    }

    @Test
    void a_key_of_openssl_signs_as_rfc_8032_says_under_the_name_it_is_given() throws Exception {
        String body = Base64.getEncoder().encodeToString(HexFormat.of().parseHex(RFC_KEY));
        Path file = pem("-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n");

        assertThat(SigningKey.read(file, "rfc").id()).isEqualTo("rfc");
        assertThat(Ed25519.sign(Ed25519.privateKey(HexFormat.of().parseHex(RFC_KEY)), new byte[0]))
                .isEqualTo(HexFormat.of()
                        .parseHex(
                                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                                        + "d25bf5f0595bbe24655141438e7a100b"));
    }

    @Test
    void a_file_that_holds_no_key_is_refused_with_what_it_should_hold() throws Exception {
        assertThatThrownBy(() -> SigningKey.read(folder.resolve("none"), "a"))
                .hasMessage("key file " + folder.resolve("none") + " cannot be read: NoSuchFileException");
        assertThatThrownBy(() -> SigningKey.read(pem("hello"), "a"))
                .hasMessageContaining(
                        "has no private key; it must be PEM as 'openssl genpkey -algorithm ed25519' writes");
        assertThatThrownBy(() ->
                        SigningKey.read(pem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), "a"))
                .hasMessageContaining("it is no private key of Ed25519 in PKCS#8");
        assertThatThrownBy(() -> SigningKey.read(pem("hello")))
                .hasMessageContaining("does not say the key's name; a line '# headgate key ID'");
        assertThatThrownBy(() -> SigningKey.newPair("two words"))
                .hasMessage(
                        "id of the key is 'two words'; it must be 1 to 64 letters, digits, dots, hyphens and underscores");
    }
}
