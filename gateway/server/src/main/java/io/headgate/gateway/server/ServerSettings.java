package io.headgate.gateway.server;

import io.headgate.gateway.client.SettingNames;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigException;

/** The settings of a {@link GatewayServer}, checked. None can be changed while it runs. */
public final class ServerSettings {

    public static final String BIND_ADDRESS = "bind.address";
    public static final String PORT = "port";
    public static final String ATTRIBUTES_TRUSTED = "attributes.trusted";
    public static final String CONNECTIONS_MAX = "connections.max";
    public static final String UNAVAILABLE_RETRY_AFTER_SECONDS = "unavailable.retry.after.seconds";
    public static final String DRAIN_TIMEOUT_MS = "drain.timeout.ms";

    private static final ConfigDef CONFIG = new ConfigDef()
            .define(
                    BIND_ADDRESS,
                    ConfigDef.Type.STRING,
                    "127.0.0.1",
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Address to listen on. The gateway believes what a request says about who asks: let nobody reach it"
                            + " but those whose word counts.")
            .define(
                    PORT,
                    ConfigDef.Type.INT,
                    8_080,
                    ConfigDef.Range.between(0, 65_535),
                    Importance.HIGH,
                    "Port to listen on; 0 takes any free one.")
            .define(
                    ATTRIBUTES_TRUSTED,
                    ConfigDef.Type.LIST,
                    List.of(),
                    ConfigDef.ValidList.anyNonDuplicateValues(true, false),
                    Importance.HIGH,
                    "Names of attributes that requests may carry, separated by commas: those that whoever reaches the"
                            + " gateway vouches for. A request with another one is refused.")
            .define(
                    CONNECTIONS_MAX,
                    ConfigDef.Type.INT,
                    10_000,
                    ConfigDef.Range.between(1, 1_000_000),
                    Importance.LOW,
                    "Connections that may be open at a time; one more is closed.")
            .define(
                    UNAVAILABLE_RETRY_AFTER_SECONDS,
                    ConfigDef.Type.INT,
                    1,
                    ConfigDef.Range.between(1, 3_600),
                    Importance.LOW,
                    "Retry-After of an answer 503, in seconds.")
            .define(
                    DRAIN_TIMEOUT_MS,
                    ConfigDef.Type.INT,
                    5_000,
                    ConfigDef.Range.between(0, 60_000),
                    Importance.MEDIUM,
                    "How long a close lets requests under way finish, in ms.");

    private final AbstractConfig config;

    /**
     * Checks settings given by name.
     *
     * @throws IllegalArgumentException naming the setting, its value and what would do
     */
    public ServerSettings(Map<String, String> given) {
        SettingNames.refuseUnknown(given.keySet(), CONFIG.names());
        try {
            this.config = new AbstractConfig(CONFIG, given, false);
        } catch (ConfigException wrong) {
            throw new IllegalArgumentException(wrong.getMessage(), wrong);
        }
    }

    /** Every setting with its type, default, range and meaning; for generated documentation. */
    public static ConfigDef definition() {
        return new ConfigDef(CONFIG);
    }

    /** All settings by name, defaults included. */
    public Map<String, String> effective() {
        Map<String, String> effective = new TreeMap<>();
        config.values()
                .forEach((name, value) -> effective.put(
                        name, value instanceof List ? String.join(",", config.getList(name)) : value.toString()));
        return effective;
    }

    @Override
    public String toString() {
        return "ServerSettings" + effective();
    }

    public String bindAddress() {
        return config.getString(BIND_ADDRESS);
    }

    public int port() {
        return config.getInt(PORT);
    }

    Set<String> trustedAttributes() {
        return Set.copyOf(config.getList(ATTRIBUTES_TRUSTED));
    }

    int connectionsMax() {
        return config.getInt(CONNECTIONS_MAX);
    }

    int unavailableRetryAfterSeconds() {
        return config.getInt(UNAVAILABLE_RETRY_AFTER_SECONDS);
    }

    int drainTimeoutMillis() {
        return config.getInt(DRAIN_TIMEOUT_MS);
    }
}
