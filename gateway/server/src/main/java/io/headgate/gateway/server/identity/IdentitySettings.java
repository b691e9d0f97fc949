package io.headgate.gateway.server.identity;

import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigException;

/** What a gateway has been told about the proxies before it, and about whom it believes who asks. */
public final class IdentitySettings {

    public static final String PROXY_PEERS = "proxy.peers";
    public static final String PROXY_CHAIN = "proxy.chain";
    public static final String PROXY_ADDRESS_HEADER = "proxy.address.header";
    public static final String PROXY_METHOD_HEADER = "proxy.method.header";
    public static final String PROXY_URI_HEADER = "proxy.uri.header";
    public static final String PROXY_REQUEST_ID_HEADER = "proxy.request.id.header";
    public static final String TARGET_HEADER = "identity.header.target";
    public static final String FROM = "identity.from";
    public static final String REQUIRED = "identity.required";
    public static final String TENANT_HEADER = "identity.header.tenant";
    public static final String USER_HEADER = "identity.header.user";
    public static final String API_KEY_HEADER = "identity.header.api.key";

    /** Values of {@link #FROM}. */
    public static final String NOBODY = "nobody";

    public static final String JWT = "jwt";
    public static final String HEADERS = "headers";

    private static final ConfigDef.LambdaValidator HEADER_OR_NONE = ConfigDef.LambdaValidator.with(
            (name, value) -> checkHeader(name, (String) value, true), () -> "a header's name, or nothing");

    private static final ConfigDef.LambdaValidator HEADER = ConfigDef.LambdaValidator.with(
            (name, value) -> checkHeader(name, (String) value, false), () -> "a header's name");

    private final AbstractConfig config;
    private final Networks peers;
    private final Networks proxies;

    /**
     * Reads them.
     *
     * @param config of settings that {@link #addTo} has been told
     * @throws IllegalArgumentException naming the setting, its value and what would do
     */
    public IdentitySettings(AbstractConfig config) {
        this.config = config;
        this.peers = Networks.parse(PROXY_PEERS, config.getList(PROXY_PEERS));
        this.proxies = peers.and(Networks.parse(PROXY_CHAIN, config.getList(PROXY_CHAIN)));
        if (from().equals(HEADERS) && tenantHeader().isEmpty()) {
            throw new IllegalArgumentException("setting '" + TENANT_HEADER + "' is missing; with '" + FROM + "="
                    + HEADERS + "' it must name the header in which proxies give the tenant");
        }
        if (from().equals(JWT)) {
            new JwtSettings(config).check();
        }
    }

    /** The same settings with these. */
    public static ConfigDef addTo(ConfigDef settings) {
        settings.define(
                        PROXY_PEERS,
                        ConfigDef.Type.LIST,
                        List.of(),
                        ConfigDef.ValidList.anyNonDuplicateValues(true, false),
                        Importance.HIGH,
                        "Networks of the proxies that ask /v1/auth, such as 10.0.0.0/8 or 192.0.2.7, separated by commas."
                                + " What they say of a request is believed; anybody else gets a 403 there.")
                .define(
                        PROXY_CHAIN,
                        ConfigDef.Type.LIST,
                        List.of(),
                        ConfigDef.ValidList.anyNonDuplicateValues(true, false),
                        Importance.HIGH,
                        "Networks of proxies before those, which are believed about their clients' addresses and nothing"
                                + " else.")
                .define(
                        PROXY_ADDRESS_HEADER,
                        ConfigDef.Type.STRING,
                        "X-Forwarded-For",
                        HEADER,
                        Importance.MEDIUM,
                        "Header in which proxies append the address that they were asked from; the only one that is read."
                                + " Forwarded is read as in RFC 7239.")
                .define(
                        PROXY_METHOD_HEADER,
                        ConfigDef.Type.STRING,
                        "X-Forwarded-Method",
                        HEADER,
                        Importance.LOW,
                        "Header in which proxies give the method of the request that they ask about.")
                .define(
                        PROXY_URI_HEADER,
                        ConfigDef.Type.STRING,
                        "X-Forwarded-Uri",
                        HEADER,
                        Importance.LOW,
                        "Header in which proxies give its path, with or without a query, or its whole URI.")
                .define(
                        PROXY_REQUEST_ID_HEADER,
                        ConfigDef.Type.STRING,
                        "",
                        HEADER_OR_NONE,
                        Importance.MEDIUM,
                        "Header in which proxies name the request, each by a name of its own: asked about twice, it is"
                                + " debited once. A proxy must overwrite what its client sends there, or that client is"
                                + " debited once a minute. None: each question counts.")
                .define(
                        TARGET_HEADER,
                        ConfigDef.Type.STRING,
                        "",
                        HEADER_OR_NONE,
                        Importance.MEDIUM,
                        "Header in which proxies give the name that somebody tries to log in to; none: the stage target"
                                + " is not asked for them.")
                .define(
                        FROM,
                        ConfigDef.Type.STRING,
                        NOBODY,
                        ConfigDef.ValidString.in(NOBODY, JWT, HEADERS),
                        Importance.HIGH,
                        "Who vouches for who asks at /v1/auth. nobody: all are anonymous. jwt: the issuer of a token"
                                + " that the client sends. headers: the proxy, in headers that it overwrites.")
                .define(
                        REQUIRED,
                        ConfigDef.Type.BOOLEAN,
                        false,
                        Importance.MEDIUM,
                        "Whether a request for which nobody vouches gets a 401; if not, it is anonymous.")
                .define(
                        TENANT_HEADER,
                        ConfigDef.Type.STRING,
                        "",
                        HEADER_OR_NONE,
                        Importance.MEDIUM,
                        "Header in which proxies give the tenant, if they vouch for it.")
                .define(
                        USER_HEADER,
                        ConfigDef.Type.STRING,
                        "",
                        HEADER_OR_NONE,
                        Importance.MEDIUM,
                        "Header in which they give the user; none: it is unknown.")
                .define(
                        API_KEY_HEADER,
                        ConfigDef.Type.STRING,
                        "",
                        HEADER_OR_NONE,
                        Importance.MEDIUM,
                        "Header in which they give the API key; none: it is unknown.");
        return JwtSettings.addTo(settings);
    }

    public String methodHeader() {
        return config.getString(PROXY_METHOD_HEADER);
    }

    public String uriHeader() {
        return config.getString(PROXY_URI_HEADER);
    }

    /** Empty for none. */
    public String requestIdHeader() {
        return config.getString(PROXY_REQUEST_ID_HEADER);
    }

    Networks peers() {
        return peers;
    }

    /** The peers, and the proxies before them. */
    Networks proxies() {
        return proxies;
    }

    String addressHeader() {
        return config.getString(PROXY_ADDRESS_HEADER);
    }

    String targetHeader() {
        return config.getString(TARGET_HEADER);
    }

    String from() {
        return config.getString(FROM);
    }

    boolean required() {
        return config.getBoolean(REQUIRED);
    }

    String tenantHeader() {
        return config.getString(TENANT_HEADER);
    }

    String userHeader() {
        return config.getString(USER_HEADER);
    }

    String apiKeyHeader() {
        return config.getString(API_KEY_HEADER);
    }

    JwtSettings jwt() {
        return new JwtSettings(config);
    }

    static void checkHeader(String setting, String name, boolean mayBeEmpty) {
        if (!name.matches(mayBeEmpty ? "[!#$%&'*+.^_`|~0-9A-Za-z-]{0,64}" : "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}")) {
            throw new ConfigException(
                    setting, name, "it must be a header's name: letters, digits and hyphens, at most 64");
        }
    }

    /** The names of all headers that say who asks, and that a proxy alone may send. */
    List<String> vouchingHeaders() {
        return Stream.of(tenantHeader(), userHeader(), apiKeyHeader(), targetHeader())
                .filter(name -> !name.isEmpty())
                .toList();
    }
}
