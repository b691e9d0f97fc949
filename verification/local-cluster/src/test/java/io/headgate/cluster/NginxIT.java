package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docs/recipes/nginx.conf}: nginx with {@code auth_request}. */
class NginxIT extends BehindProxy {

    private static final String RECIPE = "nginx.conf";

    private static final String AROUND = """
            daemon off;
            master_process off;
            pid nginx.pid;
            error_log stderr error;
            events {}
            http {
                access_log off;
                client_body_temp_path client-bodies;
                proxy_temp_path proxied;
                fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi;
                scgi_temp_path scgi;
                include nginx.conf;
            }
            """;

    @Override
    ProxyProcess startProxy(Path folder, int port, int gatewayPort) throws IOException {
        recipe(RECIPE, folder, port, gatewayPort);
        return run(folder, port);
    }

    private static ProxyProcess run(Path folder, int port) throws IOException {
        Files.writeString(folder.resolve("around.conf"), AROUND);
        return ProxyProcess.start(
                folder,
                port,
                "it needs nginx on the path, such as from apt-get install nginx",
                List.of(
                        "nginx",
                        "-p",
                        folder.toString(),
                        "-c",
                        folder.resolve("around.conf").toString()));
    }

    /** The recipe with some of it in other words. */
    private ProxyProcess start(Path folder, ChildJvm gateway, Map<String, String> words) throws IOException {
        int port = ProxyProcess.freePort();
        recipe(RECIPE, folder, port, portOf(gateway));
        Path recipe = folder.resolve(RECIPE);
        String text = Files.readString(recipe);
        for (Map.Entry<String, String> word : words.entrySet()) {
            assertThat(text).contains(word.getKey());
            text = text.replace(word.getKey(), word.getValue());
        }
        Files.writeString(recipe, text);
        return run(folder, port);
    }

    @Test
    void without_a_gateway_requests_pass_where_the_recipe_says_open(@TempDir Path folder) throws Exception {
        try (ChildJvm mortal = anotherGateway("mortal-open");
                ProxyProcess open = start(folder, mortal, Map.of("#open ", ""))) {
            ProxyClient client = open.client("127.0.0.31");
            for (int i = 0; i < 5; i++) {
                assertThat(client.get("/open/alive").status()).isEqualTo(200);
            }
            assertThat(client.get("/open/denied").status()).isEqualTo(429);
            assertThat(client.get("/open/large/" + "a".repeat(7_000)).status())
                    .as("what the gateway cannot read does not pass")
                    .isEqualTo(400);
            assertThat(client.get("/open/large", large(3)).status()).isNotEqualTo(200);

            mortal.kill9();

            assertThat(client.get("/open/dead").status()).isEqualTo(200);
            assertThat(backend().seen("/open/dead")).hasSize(1);
            assertThat(backend().seen("/open/denied")).isEmpty();
            assertThat(backend().seen("/open/large")).isEmpty();
        }
    }

    private static String[] large(int headers) {
        String[] lines = new String[headers];
        for (int i = 0; i < headers; i++) {
            lines[i] = "Authorization: Bearer " + "a".repeat(8_100);
        }
        return lines;
    }

    /** nginx asks again after each internal redirect, such as the one to the index of a folder. */
    @Test
    void a_request_that_nginx_asks_about_twice_is_debited_once(@TempDir Path folder) throws Exception {
        Path site = Files.createDirectory(folder.resolve("site"));
        Files.writeString(site.resolve("index.html"), "the index");
        Map<String, String> files = Map.of("proxy_pass http://backend;", "root " + site + "; index index.html;");
        Map<String, String> unnamed = new HashMap<>(files);
        unnamed.put("proxy_set_header X-Headgate-Request $request_id;", "");

        try (ProxyProcess named = start(Files.createDirectory(folder.resolve("named")), gateway(), files);
                ProxyProcess nameless = start(Files.createDirectory(folder.resolve("nameless")), gateway(), unnamed)) {
            assertThat(passing(named.client("127.0.0.32"))).isEqualTo(5);
            assertThat(passing(nameless.client("127.0.0.33")))
                    .as("each asks twice, and five questions pass")
                    .isEqualTo(2);
        }
    }

    /** How many requests for the index pass before one is denied. */
    private static int passing(ProxyClient client) throws IOException {
        int passed = 0;
        for (ProxyClient.Answer answer = client.get("/"); answer.status() == 200; answer = client.get("/")) {
            assertThat(answer.body()).isEqualTo("the index");
            passed++;
            assertThat(passed).isLessThan(100);
        }
        return passed;
    }
}
