package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code docs/examples/ask.mjs} and the client in {@code headgate.mjs}: Node with kafkajs. */
class NodeClientIT extends AskingInJson {

    private static final String INSTALL =
            "it needs node 18 and npm on the path, such as from apt-get install nodejs npm,"
                    + " and once the registry of npm";

    private static Program program(Path folder) {
        return new Program(folder, INSTALL, Duration.ofMinutes(3));
    }

    @Override
    List<String> files() {
        return List.of("ask.mjs", "headgate.mjs", "package.json", "package-lock.json");
    }

    @Override
    void install(Path folder) throws Exception {
        program(folder)
                .run(
                        List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"),
                        List.of());
    }

    @Override
    List<String> run(Path folder, List<String> arguments, List<String> questions) throws Exception {
        List<String> command = new ArrayList<>(List.of("node", "ask.mjs"));
        command.addAll(arguments);
        return program(folder).run(command, questions);
    }

    /** It costs that answer and nothing else: the request is decided, and the shard goes on. */
    @Test
    void a_bad_reply_address_costs_that_answer_alone() throws Exception {
        try (InputStream script = NodeClientIT.class.getResourceAsStream("/bad-address.mjs")) {
            Files.copy(script, folder().resolve("bad-address.mjs"));
        }
        List<String> command = new ArrayList<>(List.of("node", "bad-address.mjs"));
        command.addAll(arguments());

        List<JsonNode> replies = replies(program(folder()).run(command, List.of()));

        assertThat(replies).hasSize(4);
        assertThat(replies).allSatisfy(reply -> assertThat(verdicts(reply)).containsExactly("DENY"));
    }
}
