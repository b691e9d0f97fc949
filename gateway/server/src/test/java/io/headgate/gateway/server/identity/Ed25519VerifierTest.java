package io.headgate.gateway.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.util.Base64URL;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The example of RFC 8037, appendix A.4. */
class Ed25519VerifierTest {

    private static final OctetKeyPair KEY = new OctetKeyPair.Builder(
                    Curve.Ed25519, new Base64URL("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
            .build();
    private static final String SIGNED = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
    private static final String SIGNATURE =
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

    private static boolean verify(String signed, String signature) throws Exception {
        return new Ed25519Verifier(KEY)
                .verify(
                        JWSHeader.parse("{\"alg\":\"EdDSA\"}"),
                        signed.getBytes(StandardCharsets.US_ASCII),
                        new Base64URL(signature));
    }

    @Test
    void the_example_of_the_rfc_is_genuine() throws Exception {
        assertThat(verify(SIGNED, SIGNATURE)).isTrue();
    }

    @Test
    void anything_else_is_not() throws Exception {
        assertThat(verify(SIGNED + "x", SIGNATURE)).isFalse();
        assertThat(verify(SIGNED, "A" + SIGNATURE.substring(1))).isFalse();
        assertThat(verify(SIGNED, SIGNATURE.substring(4))).isFalse();
        assertThat(verify(SIGNED, "")).isFalse();
    }

    @Test
    void a_header_that_must_be_understood_and_is_not_makes_it_not_genuine() throws Exception {
        JWSHeader critical = JWSHeader.parse("{\"alg\":\"EdDSA\",\"crit\":[\"x\"],\"x\":1}");

        assertThat(new Ed25519Verifier(KEY)
                        .verify(critical, SIGNED.getBytes(StandardCharsets.US_ASCII), new Base64URL(SIGNATURE)))
                .isFalse();
    }

    @Test
    void a_key_of_another_curve_is_refused() {
        OctetKeyPair other = new OctetKeyPair.Builder(Curve.X25519, KEY.getX()).build();

        assertThatThrownBy(() -> new Ed25519Verifier(other)).isInstanceOf(JOSEException.class);
    }
}
