package io.headgate.gateway.server.identity;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;

/** Settings of tests. */
final class Settings {

    private Settings() {}

    static IdentitySettings of(Map<String, String> given) {
        return new IdentitySettings(config(given));
    }

    static AbstractConfig config(Map<String, String> given) {
        return new AbstractConfig(IdentitySettings.addTo(new ConfigDef()), given, false);
    }

    /** Tokens of one issuer for one audience, and more. */
    static Map<String, String> jwt(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(Map.of(
                IdentitySettings.FROM,
                IdentitySettings.JWT,
                JwtSettings.KEYS_FILE,
                "keys.json",
                JwtSettings.ISSUER,
                "https://issuer.example",
                JwtSettings.AUDIENCE,
                "api,admin"));
        all.putAll(more);
        return all;
    }
}
