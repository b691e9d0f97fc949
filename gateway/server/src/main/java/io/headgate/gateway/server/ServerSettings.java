package io.headgate.gateway.server;

import io.headgate.gateway.client.SettingNames;
import io.headgate.gateway.server.identity.IdentitySettings;
import io.headgate.gateway.server.rls.RlsSettings;
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
    public static final String ADMIN_ADDRESS = "admin.address";
    public static final String ADMIN_PORT = "admin.port";
    public static final String ATTRIBUTES_TRUSTED = "attributes.trusted";
    public static final String CONNECTIONS_MAX = "connections.max";
    public static final String UNAVAILABLE_RETRY_AFTER_SECONDS = "unavailable.retry.after.seconds";
    public static final String REQUESTS_IN_FLIGHT_MAX = "requests.in.flight.max";
    public static final String HEADERS_MAX_BYTES = "headers.max.bytes";
    public static final String BODY_TIMEOUT_MS = "body.timeout.ms";
    public static final String IDLE_TIMEOUT_MS = "idle.timeout.ms";
    public static final String HTTP2_STREAMS_MAX = "http2.streams.max";
    public static final String DRAIN_QUIET_MS = "drain.quiet.ms";
    public static final String DRAIN_TIMEOUT_MS = "drain.timeout.ms";

    private static final ConfigDef CONFIG = RlsSettings.define(IdentitySettings.addTo(new ConfigDef())
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
                    ADMIN_ADDRESS,
                    ConfigDef.Type.STRING,
                    "127.0.0.1",
                    new ConfigDef.NonEmptyString(),
                    Importance.MEDIUM,
                    "Address of the admin port.")
            .define(
                    ADMIN_PORT,
                    ConfigDef.Type.INT,
                    8_082,
                    ConfigDef.Range.between(0, 65_535),
                    Importance.MEDIUM,
                    "Port for health and metrics, which are nowhere else; 0 takes any free one.")
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
                    "Retry-After of an answer 503 where the policy says nothing of it, in seconds.")
            .define(
                    REQUESTS_IN_FLIGHT_MAX,
                    ConfigDef.Type.INT,
                    4_096,
                    ConfigDef.Range.between(1, 1_000_000),
                    Importance.MEDIUM,
                    "HTTP requests that may be under way at a time; one more gets a 503 at once. Each may hold a body of"
                            + " 64 KiB.")
            .define(
                    HEADERS_MAX_BYTES,
                    ConfigDef.Type.INT,
                    32 * 1024,
                    ConfigDef.Range.between(4 * 1024, 256 * 1024),
                    Importance.LOW,
                    "The longest headers of a request, in bytes; longer ones get a 431, and over HTTP/2 much longer ones"
                            + " close the connection.")
            .define(
                    BODY_TIMEOUT_MS,
                    ConfigDef.Type.INT,
                    5_000,
                    ConfigDef.Range.between(100, 60_000),
                    Importance.LOW,
                    "How long a request's body may take to arrive, in ms; then it gets a 408, and within three seconds"
                            + " more the connection is closed.")
            .define(
                    IDLE_TIMEOUT_MS,
                    ConfigDef.Type.INT,
                    60_000,
                    ConfigDef.Range.between(1_000, 3_600_000),
                    Importance.LOW,
                    "How long a connection may be open without a request, in ms; one with half a request's headers, too.")
            .define(
                    HTTP2_STREAMS_MAX,
                    ConfigDef.Type.INT,
                    1_000,
                    ConfigDef.Range.between(1, 100_000),
                    Importance.LOW,
                    "Requests that may be under way at a time on one HTTP/2 connection.")
            .define(
                    DRAIN_QUIET_MS,
                    ConfigDef.Type.INT,
                    5_000,
                    ConfigDef.Range.between(0, 300_000),
                    Importance.MEDIUM,
                    "How long a gateway that was told to stop says that it is not ready and serves on, in ms: as long as"
                            + " whoever sends it requests takes to notice.")
            .define(
                    DRAIN_TIMEOUT_MS,
                    ConfigDef.Type.INT,
                    5_000,
                    ConfigDef.Range.between(0, 60_000),
                    Importance.MEDIUM,
                    "How long it then lets requests under way finish, in ms; new ones are refused."));

    private final AbstractConfig config;
    private final IdentitySettings identity;
    private final RlsSettings rls;

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
        this.identity = new IdentitySettings(config);
        this.rls = RlsSettings.of(config);
        if (port() != 0 && port() == adminPort()) {
            throw new IllegalArgumentException("setting '" + ADMIN_PORT + "' is " + adminPort() + ", as '" + PORT
                    + "' is; they must be two ports");
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

    /** The proxies before it, and whom it believes who asks. */
    IdentitySettings identity() {
        return identity;
    }

    public String bindAddress() {
        return config.getString(BIND_ADDRESS);
    }

    public int port() {
        return config.getInt(PORT);
    }

    public String adminAddress() {
        return config.getString(ADMIN_ADDRESS);
    }

    public int adminPort() {
        return config.getInt(ADMIN_PORT);
    }

    Set<String> trustedAttributes() {
        return Set.copyOf(config.getList(ATTRIBUTES_TRUSTED));
    }

    /** How descriptors of Envoy's protocol are asked. */
    RlsSettings rls() {
        return rls;
    }

    int connectionsMax() {
        return config.getInt(CONNECTIONS_MAX);
    }

    int unavailableRetryAfterSeconds() {
        return config.getInt(UNAVAILABLE_RETRY_AFTER_SECONDS);
    }

    int requestsInFlightMax() {
        return config.getInt(REQUESTS_IN_FLIGHT_MAX);
    }

    int headersMaxBytes() {
        return config.getInt(HEADERS_MAX_BYTES);
    }

    int bodyTimeoutMillis() {
        return config.getInt(BODY_TIMEOUT_MS);
    }

    int idleTimeoutMillis() {
        return config.getInt(IDLE_TIMEOUT_MS);
    }

    int http2StreamsMax() {
        return config.getInt(HTTP2_STREAMS_MAX);
    }

    int drainQuietMillis() {
        return config.getInt(DRAIN_QUIET_MS);
    }

    int drainTimeoutMillis() {
        return config.getInt(DRAIN_TIMEOUT_MS);
    }
}
