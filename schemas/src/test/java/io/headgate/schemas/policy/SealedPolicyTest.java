package io.headgate.schemas.policy;

import static io.headgate.schemas.policy.Documents.bytes;
import static io.headgate.schemas.policy.Documents.document;
import static io.headgate.schemas.policy.Documents.parse;
import static io.headgate.schemas.policy.Documents.problems;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.schemas.Signature;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class SealedPolicyTest {

    private static final PolicyDocument DOCUMENT =
            parse(document("'name':'n','version':3,'author':'ann','reason':'ünïcödé'", "'domain':'d','rules':[]"));

    private static Signature by(String key) {
        byte[] ed25519 = new byte[64];
        Arrays.fill(ed25519, (byte) key.hashCode());
        return new Signature(key, ed25519);
    }

    private static byte[] sealed(String signatures) {
        return bytes("{'apiVersion':'headgate.io/v1','kind':'SealedPolicy','document':"
                + document("'name':'n','version':3", "'domain':'d','rules':[]") + ",'signatures':[" + signatures
                + "]}");
    }

    @Test
    void what_was_written_is_read_again() {
        SealedPolicy sealed = new SealedPolicy(DOCUMENT, List.of(by("a"), by("b")));

        SealedPolicy read = SealedPolicy.parse(sealed.toBytes());

        assertThat(read.document().canonicalBytes()).isEqualTo(DOCUMENT.canonicalBytes());
        assertThat(read.signatures()).isEqualTo(sealed.signatures());
        assertThat(SealedPolicy.isOne(sealed.toBytes())).isTrue();
    }

    @Test
    void another_signature_of_the_same_key_replaces_the_first() {
        Signature again = new Signature("a", new byte[64]);

        SealedPolicy sealed = new SealedPolicy(DOCUMENT, List.of(by("a"), by("b"))).with(again);

        assertThat(sealed.signatures()).containsExactly(by("b"), again);
    }

    @Test
    void a_policy_that_nobody_sealed_is_none() {
        assertThat(SealedPolicy.isOne(DOCUMENT.canonicalBytes())).isFalse();
        assertThat(SealedPolicy.isOne("kind: SealedPolicy".getBytes(StandardCharsets.UTF_8)))
                .isFalse();
    }

    @Test
    void every_mistake_of_the_envelope_is_named_at_once() {
        assertThat(problems(() -> SealedPolicy.parse(sealed("{'key':'two words','ed25519':'AAAA','extra':1},{}"))))
                .containsExactly(
                        "signatures[0].key is \"two words\"; it must be " + Wording.NAME_SHAPE,
                        "signatures[0].ed25519 is \"AAAA\"; it must be 64 bytes in base 64",
                        "signatures[0].extra is not a field of the format; what may stand here is [ed25519, key]",
                        "signatures[1].key is missing; it must be " + Wording.NAME_SHAPE,
                        "signatures[1].ed25519 is missing; it must be 64 bytes in base 64");
    }

    @Test
    void a_key_signs_once_and_not_too_many_sign() {
        String one = "{'key':'a','ed25519':'" + Base64.getEncoder().encodeToString(by("a").ed25519()) + "'}";
        assertThat(problems(() -> SealedPolicy.parse(sealed(one + "," + one))))
                .containsExactly("signatures has two of one key; a key signs once");

        List<Signature> many = new ArrayList<>();
        for (int i = 0; i < SealedPolicy.MAX_SIGNATURES; i++) {
            many.add(by("key-" + i));
        }
        assertThat(SealedPolicy.parse(new SealedPolicy(DOCUMENT, many).toBytes())
                        .signatures())
                .hasSize(SealedPolicy.MAX_SIGNATURES);
        many.add(by("one-more"));
        assertThatThrownBy(() -> new SealedPolicy(DOCUMENT, many))
                .hasMessage("signatures has 17; at most 16 are allowed");
    }

    @Test
    void a_mistake_of_the_document_is_named_with_its_place() {
        byte[] sealed = bytes("{'apiVersion':'headgate.io/v1','kind':'SealedPolicy','document':"
                + document("'name':'n','version':0", "'domain':'d','rules':[]") + ",'signatures':[]}");

        assertThat(problems(() -> SealedPolicy.parse(sealed)).get(0)).startsWith("metadata.version is 0;");
    }
}
