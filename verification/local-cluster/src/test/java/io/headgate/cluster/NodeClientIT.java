package io.headgate.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code docs/examples/ask.mjs}: Node with kafkajs. */
class NodeClientIT extends AskingInJson {

    private static final String INSTALL =
            "it needs node 18 and npm on the path, such as from apt-get install nodejs npm,"
                    + " and once the registry of npm";

    private static Program program(Path folder) {
        return new Program(folder, INSTALL, Duration.ofMinutes(3));
    }

    @Override
    List<String> files() {
        return List.of("ask.mjs", "package.json", "package-lock.json");
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
}
