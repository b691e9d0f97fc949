package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.tools.Headgate;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** Runs {@code headgate policy …} against a cluster. */
final class PolicyOperator {

    private final String bootstrapServers;
    private String out = "";
    private String err = "";

    PolicyOperator(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    /** Runs a command, which must end with an exit code. */
    void does(int code, String... args) {
        assertThat(code(args))
                .as("%s%n%s%n%s", String.join(" ", args), out, err)
                .isEqualTo(code);
    }

    /** Runs a command, and says its exit code. */
    int code(String... args) {
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        String[] all = Stream.of(
                        Stream.of("policy"), Stream.of(args), Stream.of("--bootstrap-servers", bootstrapServers))
                .flatMap(part -> part)
                .toArray(String[]::new);
        int code = Headgate.run(all, outBytes, errBytes);
        out = outBytes.toString(StandardCharsets.UTF_8);
        err = errBytes.toString(StandardCharsets.UTF_8);
        return code;
    }

    /** Arguments, and more of them. */
    String[] with(String[] more, String... args) {
        return Stream.concat(Stream.of(args), Stream.of(more)).toArray(String[]::new);
    }

    String out() {
        return out;
    }

    String err() {
        return err;
    }
}
