package io.headgate.tools.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.tools.Headgate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SigningCommandsTest {

    private static final String POLICY = """
            apiVersion: headgate.io/v1
            kind: PolicySnapshot
            metadata: {name: shop, version: 1}
            spec:
              domain: shop
              rules:
                - id: VIP
                  stage: tenant
                  signatures: 2
                  algorithm: fixed-window
                  limit: {requests: 5, per: 1m}
            """;

    @TempDir
    private Path folder;

    private String out = "";
    private String err = "";
    private String policy = "";

    @BeforeEach
    void write() throws IOException {
        policy = Files.writeString(folder.resolve("shop.yaml"), POLICY).toString();
    }

    private int run(String... args) {
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        int code = Headgate.run(args, outBytes, errBytes);
        out = outBytes.toString(StandardCharsets.UTF_8);
        err = errBytes.toString(StandardCharsets.UTF_8);
        return code;
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    private String trusting(String... ids) throws IOException {
        StringBuilder keys = new StringBuilder();
        for (String id : ids) {
            assertThat(run("policy", "keys", "new", "--id", id, "--out", file(id + ".key")))
                    .as(err)
                    .isZero();
            String entry = out.substring(out.indexOf('[') + 1, out.lastIndexOf(']'));
            keys.append(keys.isEmpty() ? "" : ",").append(entry);
        }
        return Files.writeString(
                        folder.resolve("trusted.json"),
                        "{\"apiVersion\":\"headgate.io/v1\",\"kind\":\"TrustedKeys\",\"keys\":[" + keys + "]}")
                .toString();
    }

    private int sign(String what, String key, String sealed, String... more) {
        String[] args = {"policy", "sign", what, "--key", file(key), "--out", file(sealed)};
        String[] all = Stream.concat(Arrays.stream(args), Arrays.stream(more)).toArray(String[]::new);
        return run(all);
    }

    @Test
    void two_sign_one_after_the_other_and_then_readers_believe() throws IOException {
        String trusted = trusting("ann", "ben");

        assertThat(sign(policy, "ann.key", "one.json", "--author", "ann", "--reason", "sale"))
                .as(err)
                .isZero();
        assertThat(run("policy", "verify", file("one.json"), "--trusted-keys", trusted))
                .isEqualTo(1);
        assertThat(err).contains("it changes [VIP], for which two different keys have to sign");

        assertThat(sign(file("one.json"), "ben.key", "two.json")).as(err).isZero();
        assertThat(run("policy", "verify", file("two.json"), "--trusted-keys", trusted))
                .as(err)
                .isZero();
        assertThat(out).contains("version 1 of shop would be believed");
    }

    @Test
    void a_sealed_policy_that_was_changed_is_not_believed() throws IOException {
        String trusted = trusting("ann", "ben");
        sign(policy, "ann.key", "one.json", "--author", "ann", "--reason", "sale");
        sign(file("one.json"), "ben.key", "two.json");
        String changed =
                Files.readString(folder.resolve("two.json")).replaceAll("\"requests\" : 5", "\"requests\" : 6");
        assertThat(changed).contains("\"requests\" : 6");
        Files.writeString(folder.resolve("changed.json"), changed);

        assertThat(run("policy", "verify", file("changed.json"), "--trusted-keys", trusted))
                .isEqualTo(1);
        assertThat(err).contains("does not fit the document");
    }

    @Test
    void a_private_key_is_for_its_owner_and_never_written_over() throws IOException {
        trusting("ann");
        byte[] before = Files.readAllBytes(folder.resolve("ann.key"));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("ann.key"))))
                .isEqualTo("rw-------");
        assertThat(run("policy", "keys", "new", "--id", "ann", "--out", file("ann.key")))
                .isEqualTo(1);
        assertThat(err).contains("is there already; a key is never written over");
        assertThat(Files.readAllBytes(folder.resolve("ann.key"))).isEqualTo(before);
        assertThat(run("policy", "keys", "new", "--id", "two words", "--out", file("x.key")))
                .isEqualTo(2);
    }

    @Test
    void trusted_keys_are_shown_and_their_mistakes_named() throws IOException {
        String trusted = trusting("ann", "ben");
        assertThat(run("policy", "keys", "show", trusted)).as(err).isZero();
        assertThat(out).contains("ann", "ben", "publish");
        assertThat(run("policy", "keys", "show", trusted, "--output", "json")).isZero();
        assertThat(out).startsWith("{\"apiVersion\":\"headgate.io/v1\",\"kind\":\"TrustedKeys\"");

        Path broken = Files.writeString(folder.resolve("broken.yaml"), "kind: TrustedKeys\nkeys: [{id: ann}]\n");
        assertThat(run("policy", "keys", "show", broken.toString())).isEqualTo(1);
        assertThat(err).contains("broken.yaml:2: keys[0].publicKey is missing", "keys[0].may is missing");
    }

    @Test
    void author_and_reason_are_needed_and_signed() throws IOException {
        trusting("ann");
        assertThat(sign(policy, "ann.key", "one.json", "--author", "ann")).isEqualTo(2);
        assertThat(err).contains("--reason");

        sign(policy, "ann.key", "one.json", "--author", "ann", "--reason", "sale");
        assertThat(sign(file("one.json"), "ann.key", "two.json", "--author", "mallory"))
                .isEqualTo(2);
        assertThat(err).contains("is sealed: its author and reason are signed");
        assertThat(sign(policy, "no.key", "one.json", "--author", "ann", "--reason", "sale"))
                .isEqualTo(1);
        assertThat(err).contains("no.key cannot be read");
    }
}
