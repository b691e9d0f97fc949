package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docs/recipes/haproxy.cfg} and {@code headgate.lua}: HAProxy with an action in Lua. */
class HaproxyIT extends BehindProxy {

    private static final String RECIPE = "haproxy.cfg";

    @Override
    ProxyProcess startProxy(Path folder, int port, int gatewayPort) throws IOException {
        recipe(folder, port, gatewayPort);
        return run(folder, port);
    }

    /** The socket between two sections has a name in the whole machine, so each proxy has one of its own. */
    private void recipe(Path folder, int port, int gatewayPort) throws IOException {
        recipe(RECIPE, folder, port, gatewayPort);
        recipe("headgate.lua", folder, port, gatewayPort);
        Path recipe = folder.resolve(RECIPE);
        Files.writeString(recipe, Files.readString(recipe).replace("abns@headgate", "abns@headgate-" + port));
    }

    private static ProxyProcess run(Path folder, int port) throws IOException {
        return ProxyProcess.start(
                folder,
                port,
                "it needs HAProxy with Lua on the path, such as from apt-get install haproxy",
                List.of("haproxy", "-db", "-f", RECIPE));
    }

    @Test
    void without_a_gateway_requests_pass_where_the_recipe_says_open(@TempDir Path folder) throws Exception {
        try (ChildJvm mortal = anotherGateway("mortal-open")) {
            int port = ProxyProcess.freePort();
            recipe(folder, port, portOf(mortal));
            Path recipe = folder.resolve(RECIPE);
            String closed = Files.readString(recipe);
            Files.writeString(recipe, closed.replaceFirst("(lua.headgate \\S+) closed", "$1 open"));
            assertThat(Files.readString(recipe)).isNotEqualTo(closed);
            try (ProxyProcess open = run(folder, port)) {
                ProxyClient client = open.client("127.0.0.31");
                for (int i = 0; i < 5; i++) {
                    assertThat(client.get("/open/alive").status()).isEqualTo(200);
                }
                assertThat(client.get("/open/denied").status()).isEqualTo(429);
                for (int length : new int[] {4_000, 7_000, 15_100, 15_200, 15_300, 15_500}) {
                    assertThat(client.get("/open/large/" + "a".repeat(length)).status())
                            .as("what the gateway cannot read does not pass")
                            .isIn(400, 414);
                    assertThat(client.get("/open/large", "Authorization: Bearer " + "a".repeat(length))
                                    .status())
                            .isIn(400, 401, 414);
                }

                mortal.kill9();

                assertThat(client.get("/open/dead").status()).isEqualTo(200);
                assertThat(backend().seen("/open/dead")).hasSize(1);
                assertThat(backend().seen("/open/denied")).isEmpty();
                assertThat(backend().seen("/open/large")).isEmpty();
            }
        }
    }
}
