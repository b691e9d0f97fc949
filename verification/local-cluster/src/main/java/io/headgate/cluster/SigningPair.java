package io.headgate.cluster;

import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.policy.TrustedKeysDocument;
import io.headgate.schemas.trust.Permission;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.schemas.trust.TrustSettings;
import io.headgate.schemas.trust.TrustedKey;
import io.headgate.schemas.trust.TrustedKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The key that signs for a local cluster's operator, and the file by which its processor and gateway trust it alone. */
final class SigningPair {

    static final String KEY_FILE = "policy.key";
    static final String TRUST_FILE = "trusted-keys.json";

    private static final String ID = "local";

    private final SigningKey key;
    private final Path trustFile;

    private SigningPair(SigningKey key, Path trustFile) {
        this.key = key;
        this.trustFile = trustFile;
    }

    /** The pair of a folder, made on first use. A file of trusted keys that is there stays as somebody has changed it. */
    static SigningPair in(Path folder) throws IOException {
        Path keyFile = folder.resolve(KEY_FILE);
        Path trustFile = folder.resolve(TRUST_FILE);
        if (!Files.exists(keyFile)) {
            SigningKey.Pair pair = SigningKey.newPair(ID);
            Files.writeString(trustFile, written(pair));
            pair.signingKey().write(keyFile);
        }
        return new SigningPair(SigningKey.read(keyFile), trustFile);
    }

    private static String written(SigningKey.Pair pair) {
        TrustedKey trusted = new TrustedKey(
                ID,
                pair.publicKey(),
                "headgate up",
                new TreeSet<>(),
                EnumSet.complementOf(EnumSet.of(Permission.APPROVE)),
                new TreeSet<>(),
                TrustedKey.FOR_EVER);
        return TrustedKeysDocument.written(new TrustedKeys(List.of(trusted))).toPrettyString() + "\n";
    }

    SigningKey key() {
        return key;
    }

    PolicyTrust trust() {
        return TrustSettings.trust(trustFile.toString(), TrustSettings.REFUSE).orElseThrow();
    }

    /** What a processor and a gateway have to be set to. */
    Map<String, String> settings() {
        return Map.of(TrustSettings.TRUSTED_KEYS, trustFile.toString(), TrustSettings.UNSIGNED, TrustSettings.REFUSE);
    }
}
