package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.tools.PolicyFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code headgate up}, without the process around it. */
class UpIT {

    private static final String ANONYMOUS = "{\"ip\":\"203.0.113.7\",\"route\":\"GET /catalog\"}";
    private static final String SPEND =
            "{\"tenant\":\"atlas\",\"user\":\"U-17\",\"route\":\"" + LoadPolicy.SPEND + "\"}";

    @TempDir
    private Path folder;

    private final HttpCaller caller = new HttpCaller();
    private final List<String> progress = new ArrayList<>();

    private LocalCluster.Options options(boolean fresh) throws Exception {
        return new LocalCluster.Options(folder.resolve("data"), fresh, 0, 0, LoadPolicy.version(1), false);
    }

    @Test
    void tells_each_step_in_a_line_and_decides() throws Exception {
        LocalCluster.Options northstar =
                new LocalCluster.Options(folder.resolve("data"), false, 0, 0, PolicyFile.northstar(), true);
        try (LocalCluster cluster = LocalCluster.start(northstar, progress::add)) {
            HttpCaller.Answer answer = caller.check(cluster.gatewayPort(), ANONYMOUS);

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body().path("policyVersion").asLong()).isEqualTo(43);
        }
        assertThat(progress)
                .extracting(line -> line.substring(0, line.indexOf(" ")))
                .containsExactly("data", "broker", "topics", "policy", "processor", "gateway");
    }

    @Test
    void what_was_spent_is_spent_after_a_restart_until_it_is_told_to_forget() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(options(false), progress::add)) {
            assertThat(caller.check(cluster.gatewayPort(), SPEND)
                            .body()
                            .path("remaining")
                            .asLong())
                    .isEqualTo(LoadPolicy.BUDGET - 1);
        }
        try (LocalCluster cluster = LocalCluster.start(options(false), progress::add)) {
            assertThat(caller.check(cluster.gatewayPort(), SPEND)
                            .body()
                            .path("remaining")
                            .asLong())
                    .isEqualTo(LoadPolicy.BUDGET - 2);
        }
        try (LocalCluster cluster = LocalCluster.start(options(true), progress::add)) {
            assertThat(caller.check(cluster.gatewayPort(), SPEND)
                            .body()
                            .path("remaining")
                            .asLong())
                    .isEqualTo(LoadPolicy.BUDGET - 1);
        }
    }

    @Test
    void refuses_a_version_that_exists_with_other_content() throws Exception {
        LocalCluster.start(
                        new LocalCluster.Options(folder.resolve("data"), false, 0, 0, LoadPolicy.version(2), false),
                        progress::add)
                .close();

        assertThatThrownBy(
                        () -> LocalCluster.start(options(false), progress::add).close())
                .isInstanceOf(ClusterStartException.class)
                .hasMessageContaining("version 1 cannot be published")
                .hasMessageContaining("set metadata.version to 3");
    }

    @Test
    void says_in_one_line_that_the_port_is_taken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            LocalCluster.Options options = new LocalCluster.Options(
                    folder.resolve("data"), false, taken.getLocalPort(), 0, LoadPolicy.version(1), false);

            assertThatThrownBy(() -> LocalCluster.start(options, progress::add).close())
                    .isInstanceOf(ClusterStartException.class)
                    .hasMessageContaining("port " + taken.getLocalPort())
                    .hasMessageNotContaining("\n");
        }
    }

    @Test
    void says_in_one_line_that_the_folder_cannot_be_used() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "not a folder");
        LocalCluster.Options options =
                new LocalCluster.Options(file.resolve("data"), false, 0, 0, LoadPolicy.version(1), false);

        assertThatThrownBy(() -> LocalCluster.start(options, progress::add).close())
                .isInstanceOf(ClusterStartException.class)
                .hasMessageContaining(file.resolve("data").toString())
                .hasMessageNotContaining("\n");
    }

    @Test
    void keeps_a_higher_version_in_force_where_no_policy_is_named() throws Exception {
        LocalCluster.start(
                        new LocalCluster.Options(folder.resolve("data"), false, 0, 0, LoadPolicy.version(2), false),
                        progress::add)
                .close();
        LocalCluster.Options unnamed =
                new LocalCluster.Options(folder.resolve("data"), false, 0, 0, LoadPolicy.version(1), true);

        try (LocalCluster cluster = LocalCluster.start(unnamed, progress::add)) {
            assertThat(caller.check(cluster.gatewayPort(), SPEND)
                            .body()
                            .path("policyVersion")
                            .asLong())
                    .isEqualTo(2);
        }
    }

    @Test
    void fresh_leaves_what_somebody_put_beside_its_own_files() throws Exception {
        LocalCluster.start(options(false), progress::add).close();
        Path thesis = Files.writeString(folder.resolve("data").resolve("thesis.txt"), "precious");

        LocalCluster.start(options(true), progress::add).close();

        assertThat(thesis).hasContent("precious");
    }

    @Test
    void takes_no_folder_of_somebody_else() throws Exception {
        Path foreign = Files.createDirectory(folder.resolve("data"));
        Files.writeString(foreign.resolve("letter.txt"), "dear");

        assertThatThrownBy(
                        () -> LocalCluster.start(options(false), progress::add).close())
                .isInstanceOf(ClusterStartException.class)
                .hasMessageContaining("holds something else");

        assertThat(foreign.resolve("headgate-data")).doesNotExist();
    }

    @Test
    void fresh_empties_no_folder_of_somebody_else() throws Exception {
        Path foreign = Files.createDirectory(folder.resolve("data"));
        Path letter = Files.writeString(foreign.resolve("letter.txt"), "dear");

        assertThatThrownBy(
                        () -> LocalCluster.start(options(true), progress::add).close())
                .isInstanceOf(ClusterStartException.class)
                .hasMessageContaining("holds something else");

        assertThat(letter).exists();
    }

    @Test
    void fresh_empties_no_folder_that_is_in_use() throws Exception {
        try (LocalCluster running = LocalCluster.start(options(false), progress::add)) {
            assertThatThrownBy(() ->
                            LocalCluster.start(options(true), progress::add).close())
                    .isInstanceOf(ClusterStartException.class)
                    .hasMessageContaining("in use");

            assertThat(caller.check(running.gatewayPort(), SPEND).status()).isEqualTo(200);
        }
    }

    @Test
    void a_broken_policy_ends_with_exit_code_1() throws Exception {
        Path broken = Files.writeString(folder.resolve("broken.yaml"), "kind: Nonsense\n");

        int code = new CommandLine(new LocalCommands())
                .execute(
                        "up",
                        "--policy",
                        broken.toString(),
                        "--data",
                        folder.resolve("data").toString());

        assertThat(code).isEqualTo(LocalCommands.FAILED);
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @Test
    void wrong_usage_ends_with_exit_code_2() {
        assertThat(new CommandLine(new LocalCommands()).execute("up", "--port", "many"))
                .isEqualTo(2);
        assertThat(new CommandLine(new LocalCommands()).execute("up", "--port", "99999"))
                .isEqualTo(2);
        assertThat(new CommandLine(new LocalCommands()).execute("up", "--data", ""))
                .isEqualTo(2);
        assertThat(new CommandLine(new LocalCommands()).execute("replay", "x.log", "--speed", "0"))
                .isEqualTo(2);
        assertThat(new CommandLine(new LocalCommands()).execute("replay", "x.log", "--url", "ftp://x"))
                .isEqualTo(2);
        assertThat(new CommandLine(new LocalCommands()).execute()).isEqualTo(2);
    }
}
