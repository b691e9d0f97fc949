package io.headgate.schemas.trust;

import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.TrustedKeysDocument;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.kafka.common.config.ConfigDef;

/** What readers have set about whom they believe: a file of trusted keys or, for development, everybody. */
public final class TrustSettings {

    /** Names the file with trusted keys. */
    public static final String TRUSTED_KEYS = "policies.trusted.keys";

    /** Whether versions that nobody has signed count. */
    public static final String UNSIGNED = "policies.unsigned";

    /** The value of {@link #UNSIGNED} under which everybody who can write the topic is believed. */
    public static final String ALLOW = "allow";

    /** The value of {@link #UNSIGNED} under which only trusted keys are. */
    public static final String REFUSE = "refuse";

    private TrustSettings() {}

    /** The same settings with these two. */
    public static ConfigDef addTo(ConfigDef settings) {
        return settings.define(
                        TRUSTED_KEYS,
                        ConfigDef.Type.STRING,
                        "",
                        ConfigDef.Importance.HIGH,
                        "File with the keys whose policies count, in JSON, and whose plans and actions; needed unless"
                                + " policies.unsigned is allow.")
                .define(
                        UNSIGNED,
                        ConfigDef.Type.STRING,
                        REFUSE,
                        ConfigDef.ValidString.in(REFUSE, ALLOW),
                        ConfigDef.Importance.HIGH,
                        "allow: whoever can write the topic sets the limits, for development. refuse: trusted keys"
                                + " alone do.");
    }

    /**
     * The keys that a reader believes; empty if it believes everybody.
     *
     * @param trustedKeys a file in JSON; empty for none
     * @param unsigned {@value #ALLOW} or {@value #REFUSE}
     * @throws IllegalArgumentException saying which setting is missing, or what is wrong with the file
     */
    public static Optional<TrustedKeys> trust(String trustedKeys, String unsigned) {
        boolean everybody = unsigned.equals(ALLOW);
        if (trustedKeys.isEmpty() && !everybody) {
            throw new IllegalArgumentException(
                    TRUSTED_KEYS + " is missing; it must name a file with the keys whose policies" + " count, or "
                            + UNSIGNED + " be " + ALLOW + ", for development");
        }
        if (!trustedKeys.isEmpty() && everybody) {
            throw new IllegalArgumentException(TRUSTED_KEYS + " is " + trustedKeys + " and " + UNSIGNED + " is " + ALLOW
                    + "; with trusted keys it must be " + REFUSE);
        }
        return everybody ? Optional.empty() : Optional.of(read(Path.of(trustedKeys)));
    }

    private static TrustedKeys read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return TrustedKeysDocument.parse(in.readNBytes(PolicyDocument.MAX_BYTES + 1));
        } catch (IOException unreadable) {
            throw new IllegalArgumentException(
                    TRUSTED_KEYS + ": " + file + " cannot be read: "
                            + unreadable.getClass().getSimpleName(),
                    unreadable);
        } catch (InvalidPolicyException broken) {
            throw new IllegalArgumentException(TRUSTED_KEYS + ": " + file + ": " + broken.getMessage(), broken);
        }
    }
}
