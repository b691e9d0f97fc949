package io.headgate.gateway.server.identity;

import com.nimbusds.jose.JWSAlgorithm;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;

/** Which tokens a gateway accepts (RFC 7519), and what it takes from them. */
final class JwtSettings {

    static final String KEYS_FILE = "jwt.keys.file";
    static final String KEYS_URL = "jwt.keys.url";
    static final String KEYS_REFRESH_SECONDS = "jwt.keys.refresh.seconds";
    static final String KEYS_REFRESH_LEAST_SECONDS = "jwt.keys.refresh.least.seconds";
    static final String KEYS_TIMEOUT_MS = "jwt.keys.timeout.ms";
    static final String TOKEN_HEADER = "jwt.header";
    static final String ALGORITHMS = "jwt.algorithms";
    static final String ISSUER = "jwt.issuer";
    static final String AUDIENCE = "jwt.audience";
    static final String LEEWAY_SECONDS = "jwt.leeway.seconds";
    static final String TENANT_CLAIM = "jwt.claim.tenant";
    static final String USER_CLAIM = "jwt.claim.user";
    static final String API_KEY_CLAIM = "jwt.claim.api.key";

    /** Those with a public key to verify with, so that nobody who can verify can sign. */
    private static final String[] POSSIBLE = {
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"
    };

    private final AbstractConfig config;

    JwtSettings(AbstractConfig config) {
        this.config = config;
    }

    static ConfigDef addTo(ConfigDef settings) {
        return settings.define(
                        KEYS_FILE,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.HIGH,
                        "File with the public keys that tokens are verified with, as a JSON Web Key Set (RFC 7517).")
                .define(
                        KEYS_URL,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.HIGH,
                        "URL of the same instead: https, or http on this machine.")
                .define(
                        KEYS_REFRESH_SECONDS,
                        ConfigDef.Type.INT,
                        300,
                        ConfigDef.Range.between(1, 86_400),
                        Importance.LOW,
                        "How often the keys are read again, in seconds; if that fails, those that were read last stay.")
                .define(
                        KEYS_REFRESH_LEAST_SECONDS,
                        ConfigDef.Type.INT,
                        10,
                        ConfigDef.Range.between(1, 3_600),
                        Importance.LOW,
                        "Tokens that name an unknown key have the keys read again, but at most once in so many seconds.")
                .define(
                        KEYS_TIMEOUT_MS,
                        ConfigDef.Type.INT,
                        2_000,
                        ConfigDef.Range.between(100, 10_000),
                        Importance.LOW,
                        "How long to connect to the URL may take, and how long it may then say nothing, in ms.")
                .define(
                        TOKEN_HEADER,
                        ConfigDef.Type.STRING,
                        "Authorization",
                        ConfigDef.LambdaValidator.with(
                                (name, value) -> IdentitySettings.checkHeader(name, (String) value, false),
                                () -> "a header's name"),
                        Importance.MEDIUM,
                        "Header with the token: after the word Bearer in Authorization, and alone in any other.")
                .define(
                        ALGORITHMS,
                        ConfigDef.Type.LIST,
                        List.of("RS256", "ES256"),
                        ConfigDef.ValidList.in(false, POSSIBLE),
                        Importance.MEDIUM,
                        "Algorithms that a token may be signed with. None other, whatever the token says.")
                .define(
                        ISSUER,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.HIGH,
                        "What a token must have in iss; must be set with identity.from=jwt.")
                .define(
                        AUDIENCE,
                        ConfigDef.Type.LIST,
                        List.of(),
                        ConfigDef.ValidList.anyNonDuplicateValues(true, false),
                        Importance.HIGH,
                        "Of what a token must have one in aud; must be set with identity.from=jwt.")
                .define(
                        LEEWAY_SECONDS,
                        ConfigDef.Type.INT,
                        30,
                        ConfigDef.Range.between(0, 300),
                        Importance.LOW,
                        "How far the clocks of issuer and gateway may be apart when exp and nbf are looked at, in seconds."
                                + " A token without exp is refused.")
                .define(
                        TENANT_CLAIM,
                        ConfigDef.Type.STRING,
                        "tenant",
                        Importance.HIGH,
                        "Claim with the tenant, a string that must be there; none: tokens name no tenant.")
                .define(
                        USER_CLAIM,
                        ConfigDef.Type.STRING,
                        "sub",
                        Importance.MEDIUM,
                        "Claim with the user, a string that may be there; none: it is unknown.")
                .define(
                        API_KEY_CLAIM,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.MEDIUM,
                        "Claim with the API key, a string that may be there; none: it is unknown.");
    }

    /** @throws IllegalArgumentException naming the setting, its value and what would do */
    void check() {
        String file = config.getString(KEYS_FILE);
        String url = config.getString(KEYS_URL);
        if (file.isEmpty() == url.isEmpty()) {
            throw new IllegalArgumentException("settings '" + KEYS_FILE + "' and '" + KEYS_URL + "' are "
                    + (file.isEmpty() ? "both missing" : "both there") + "; with '" + IdentitySettings.FROM + "="
                    + IdentitySettings.JWT + "' there must be one");
        }
        if (!url.isEmpty() && !isTrustworthy(url)) {
            throw new IllegalArgumentException("setting '" + KEYS_URL
                    + "' must be a URL with https, or with http and 127.0.0.1, [::1] or localhost;"
                    + " what comes over the network by http can be anybody's");
        }
        if (issuer().isEmpty()) {
            throw missing(ISSUER, "name the issuer of the tokens");
        }
        if (audience().isEmpty()) {
            throw missing(AUDIENCE, "name for whom the tokens are issued");
        }
    }

    private static IllegalArgumentException missing(String setting, String must) {
        return new IllegalArgumentException("setting '" + setting + "' is missing; with '" + IdentitySettings.FROM + "="
                + IdentitySettings.JWT + "' it must " + must);
    }

    private static boolean isTrustworthy(String text) {
        try {
            URI url = URI.create(text);
            String host = String.valueOf(url.getHost());
            return "https".equals(url.getScheme())
                    || ("http".equals(url.getScheme())
                            && Set.of("127.0.0.1", "[::1]", "localhost").contains(host));
        } catch (IllegalArgumentException broken) {
            return false;
        }
    }

    Optional<Path> keysFile() {
        String file = config.getString(KEYS_FILE);
        return file.isEmpty() ? Optional.empty() : Optional.of(Path.of(file));
    }

    URI keysUrl() {
        return URI.create(config.getString(KEYS_URL));
    }

    int keysRefreshSeconds() {
        return config.getInt(KEYS_REFRESH_SECONDS);
    }

    int keysRefreshLeastSeconds() {
        return config.getInt(KEYS_REFRESH_LEAST_SECONDS);
    }

    int keysTimeoutMillis() {
        return config.getInt(KEYS_TIMEOUT_MS);
    }

    String tokenHeader() {
        return config.getString(TOKEN_HEADER);
    }

    Set<JWSAlgorithm> algorithms() {
        return config.getList(ALGORITHMS).stream().map(JWSAlgorithm::parse).collect(Collectors.toUnmodifiableSet());
    }

    String issuer() {
        return config.getString(ISSUER);
    }

    Set<String> audience() {
        return Set.copyOf(config.getList(AUDIENCE));
    }

    int leewaySeconds() {
        return config.getInt(LEEWAY_SECONDS);
    }

    String tenantClaim() {
        return config.getString(TENANT_CLAIM);
    }

    String userClaim() {
        return config.getString(USER_CLAIM);
    }

    String apiKeyClaim() {
        return config.getString(API_KEY_CLAIM);
    }
}
