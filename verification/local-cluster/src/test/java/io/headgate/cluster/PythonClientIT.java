package io.headgate.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code docs/examples/ask.py}: Python with confluent-kafka. {@code -Dheadgate.python} names another interpreter. */
class PythonClientIT extends AskingInJson {

    private static final String PYTHON = System.getProperty("headgate.python", "python3");
    private static final String INSTALL = "it needs Python 3 with confluent-kafka, such as /usr/bin/python3 after"
            + " apt-get install python3-confluent-kafka; -Dheadgate.python=… names it";

    private static Program program(Path folder) {
        return new Program(folder, INSTALL, Duration.ofMinutes(3));
    }

    @Override
    List<String> files() {
        return List.of("ask.py");
    }

    @Override
    void install(Path folder) throws Exception {
        program(folder).run(List.of(PYTHON, "-c", "import confluent_kafka"), List.of());
    }

    @Override
    List<String> run(Path folder, List<String> arguments, List<String> questions) throws Exception {
        List<String> command = new ArrayList<>(List.of(PYTHON, "ask.py"));
        command.addAll(arguments);
        return program(folder).run(command, questions);
    }
}
