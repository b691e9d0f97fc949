package io.headgate.gateway.server.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.jca.JCAContext;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.util.Base64URL;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Set;

/** Signatures by Ed25519 (RFC 8037), verified by the Java platform. */
final class Ed25519Verifier implements JWSVerifier {

    private static final String NAME = "Ed25519";
    private static final int KEY_BYTES = 32;

    private final PublicKey key;
    private final JCAContext context = new JCAContext();

    /** @throws JOSEException if it is no key of this curve */
    Ed25519Verifier(OctetKeyPair jwk) throws JOSEException {
        byte[] bytes = jwk.getDecodedX();
        if (!jwk.getCurve().equals(Curve.Ed25519) || bytes.length != KEY_BYTES) {
            throw new JOSEException("the key is not of the curve Ed25519");
        }
        boolean xIsOdd = bytes[KEY_BYTES - 1] < 0;
        byte[] bigEndian = new byte[KEY_BYTES];
        for (int i = 0; i < KEY_BYTES; i++) {
            bigEndian[i] = bytes[KEY_BYTES - 1 - i];
        }
        bigEndian[0] &= 0x7f;
        try {
            this.key = KeyFactory.getInstance(NAME)
                    .generatePublic(new EdECPublicKeySpec(
                            NamedParameterSpec.ED25519, new EdECPoint(xIsOdd, new BigInteger(1, bigEndian))));
        } catch (GeneralSecurityException broken) {
            throw new JOSEException("the key is not of the curve Ed25519", broken);
        }
    }

    @Override
    public boolean verify(JWSHeader header, byte[] signed, Base64URL signature) throws JOSEException {
        if (header.getCriticalParams() != null && !header.getCriticalParams().isEmpty()) {
            return false;
        }
        try {
            Signature verifier = Signature.getInstance(NAME);
            verifier.initVerify(key);
            verifier.update(signed);
            return verifier.verify(signature.decode());
        } catch (SignatureException malformed) {
            return false;
        } catch (GeneralSecurityException broken) {
            throw new JOSEException("Ed25519 cannot be verified", broken);
        }
    }

    @Override
    public Set<JWSAlgorithm> supportedJWSAlgorithms() {
        return Set.of(JWSAlgorithm.EdDSA, JWSAlgorithm.Ed25519);
    }

    @Override
    public JCAContext getJCAContext() {
        return context;
    }
}
