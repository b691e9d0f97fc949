package io.headgate.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code docs/recipes/Caddyfile}: Caddy with {@code forward_auth}. */
class CaddyIT extends BehindProxy {

    private static final String RECIPE = "Caddyfile";

    @Override
    ProxyProcess startProxy(Path folder, int port, int gatewayPort) throws IOException {
        recipe(RECIPE, folder, port, gatewayPort);
        Path recipe = folder.resolve(RECIPE);
        Files.writeString(recipe, "{\n\tadmin off\n}\n\n" + Files.readString(recipe));
        return ProxyProcess.start(
                folder,
                port,
                "it needs Caddy 2.6 or later on the path, such as from apt-get install caddy",
                List.of("caddy", "run", "--config", RECIPE, "--adapter", "caddyfile"));
    }
}
