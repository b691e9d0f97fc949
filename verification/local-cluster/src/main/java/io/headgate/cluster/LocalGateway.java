package io.headgate.cluster;

import io.headgate.gateway.client.ClientSettings;
import io.headgate.gateway.client.HeadgateClient;
import io.headgate.gateway.server.GatewayServer;
import io.headgate.gateway.server.ServerSettings;
import io.headgate.gateway.server.ServerStartException;
import io.headgate.schemas.trust.TrustSettings;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** A gateway of a local cluster: a client and the HTTP server over it. */
final class LocalGateway implements AutoCloseable {

    private final HeadgateClient client;
    private final GatewayServer server;

    private LocalGateway(HeadgateClient client, GatewayServer server) {
        this.client = client;
        this.server = server;
    }

    /**
     * Starts a gateway on 127.0.0.1 that believes everybody, with its admin port on a free one. It stops without a quiet
     * time: nobody balances load over it.
     *
     * @param secrets folder that keeps the secret of its pseudonyms
     * @param port 0 picks a free one
     */
    static LocalGateway start(String bootstrapServers, Path secrets, String name, int port) throws IOException {
        return start(bootstrapServers, secrets, name, port, Map.of(TrustSettings.UNSIGNED, TrustSettings.ALLOW));
    }

    /** The same, with settings that say whose policies count. */
    static LocalGateway start(String bootstrapServers, Path secrets, String name, int port, Map<String, String> trust)
            throws IOException {
        Map<String, String> settings = new TreeMap<>(trust);
        settings.put(ClientSettings.BOOTSTRAP_SERVERS, bootstrapServers);
        settings.put(ClientSettings.GATEWAY_NAME, name);
        settings.put(ClientSettings.PSEUDONYM_SECRET, Secrets.pseudonymSecret(secrets));
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        HeadgateClient client = HeadgateClient.start(new ClientSettings(settings), registry);
        try {
            ServerSettings server = new ServerSettings(Map.of(
                    ServerSettings.PORT,
                    Integer.toString(port),
                    ServerSettings.ADMIN_PORT,
                    "0",
                    ServerSettings.DRAIN_QUIET_MS,
                    "0"));
            return new LocalGateway(client, GatewayServer.start(server, client, registry));
        } catch (ServerStartException failed) {
            client.close();
            throw failed;
        }
    }

    int port() {
        return server.port();
    }

    int adminPort() {
        return server.adminPort();
    }

    @Override
    public void close() {
        server.close();
        client.close();
    }
}
