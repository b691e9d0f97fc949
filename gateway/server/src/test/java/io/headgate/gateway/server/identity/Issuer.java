package io.headgate.gateway.server.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.time.Instant;
import java.util.Date;
import java.util.List;

/** Issues tokens for tests, with keys of its own. */
public final class Issuer {

    public static final String NAME = "https://issuer.example";
    public static final String AUDIENCE = "api";

    private final RSAKey rsa;
    private final ECKey curve;
    private final KeyPair edwards;

    public Issuer() {
        this("rsa");
    }

    /** With another name for its RSA key. */
    Issuer(String rsaKeyId) {
        try {
            rsa = new RSAKeyGenerator(2048).keyID(rsaKeyId).generate();
            curve = new ECKeyGenerator(Curve.P_256).keyID("curve").generate();
            edwards = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (JOSEException | GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Its public keys. */
    public String keys() {
        return new JWKSet(List.of(rsa.toPublicJWK(), curve.toPublicJWK(), edwardsKey())).toString();
    }

    RSAKey rsa() {
        return rsa;
    }

    /** What a token says that is right in every way, until an instant. */
    public static JWTClaimsSet.Builder claims(Instant expiry) {
        return new JWTClaimsSet.Builder()
                .issuer(NAME)
                .audience(AUDIENCE)
                .subject("U-17")
                .claim("tenant", "atlas")
                .expirationTime(Date.from(expiry));
    }

    /** Signed by RS256. */
    public String token(JWTClaimsSet claims) {
        return signedWith(rsa, claims);
    }

    static String signedWith(RSAKey key, JWTClaimsSet claims) {
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(), claims);
        try {
            token.sign(new RSASSASigner(key));
        } catch (JOSEException impossible) {
            throw new AssertionError(impossible);
        }
        return token.serialize();
    }

    String signedByCurve(JWTClaimsSet claims) throws JOSEException {
        SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.ES256), claims);
        token.sign(new ECDSASigner(curve));
        return token.serialize();
    }

    String signedByEdwards(JWTClaimsSet claims) throws GeneralSecurityException {
        String head = new JWSHeader.Builder(JWSAlgorithm.EdDSA)
                .keyID("edwards")
                .build()
                .toBase64URL()
                .toString();
        String signed = head + "." + claims.toPayload().toBase64URL();
        Signature signer = Signature.getInstance("Ed25519");
        signer.initSign(edwards.getPrivate());
        signer.update(signed.getBytes(StandardCharsets.US_ASCII));
        return signed + "." + Base64URL.encode(signer.sign());
    }

    private OctetKeyPair edwardsKey() {
        EdECPublicKey key = (EdECPublicKey) edwards.getPublic();
        byte[] bigEndian = key.getPoint().getY().toByteArray();
        byte[] bytes = new byte[32];
        for (int i = 0; i < Math.min(bytes.length, bigEndian.length); i++) {
            bytes[i] = bigEndian[bigEndian.length - 1 - i];
        }
        if (key.getPoint().isXOdd()) {
            bytes[31] |= (byte) 0x80;
        }
        return new OctetKeyPair.Builder(Curve.Ed25519, Base64URL.encode(bytes))
                .keyID("edwards")
                .build();
    }
}
