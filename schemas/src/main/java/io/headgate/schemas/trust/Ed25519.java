package io.headgate.schemas.trust;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;

/** Ed25519 (RFC 8032, pure) as the Java platform has it. */
final class Ed25519 {

    static final int SIGNATURE_BYTES = 64;

    private static final String NAME = "Ed25519";

    private Ed25519() {}

    static KeyPair newPair() {
        try {
            return KeyPairGenerator.getInstance(NAME).generateKeyPair();
        } catch (NoSuchAlgorithmException e) {
            throw lacking(e);
        }
    }

    /** A private key of PKCS#8. */
    static PrivateKey privateKey(byte[] pkcs8) {
        try {
            return factory().generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (InvalidKeySpecException e) {
            throw new IllegalArgumentException("it is no private key of Ed25519 in PKCS#8", e);
        }
    }

    /** A public key of an X.509 SubjectPublicKeyInfo. */
    static PublicKey publicKey(byte[] spki) {
        try {
            return factory().generatePublic(new X509EncodedKeySpec(spki));
        } catch (InvalidKeySpecException e) {
            throw new IllegalArgumentException("it is no public key of Ed25519 as a SubjectPublicKeyInfo", e);
        }
    }

    static byte[] sign(PrivateKey key, byte[] message) {
        try {
            Signature signature = Signature.getInstance(NAME);
            signature.initSign(key);
            signature.update(message);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the key cannot sign", e);
        }
    }

    static boolean fits(PublicKey key, byte[] message, byte[] ed25519) {
        if (ed25519.length != SIGNATURE_BYTES) {
            return false;
        }
        try {
            Signature signature = Signature.getInstance(NAME);
            signature.initVerify(key);
            signature.update(message);
            return signature.verify(ed25519);
        } catch (GeneralSecurityException notOne) {
            return false;
        }
    }

    private static KeyFactory factory() {
        try {
            return KeyFactory.getInstance(NAME);
        } catch (NoSuchAlgorithmException e) {
            throw lacking(e);
        }
    }

    private static IllegalStateException lacking(NoSuchAlgorithmException e) {
        return new IllegalStateException("every Java platform since 15 has Ed25519", e);
    }
}
