package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What bash makes of the script of {@code headgate completion}. */
class CompletionCommandTest {

    @TempDir
    Path folder;

    private Path script;

    @BeforeEach
    void print() throws Exception {
        StringWriter out = new StringWriter();
        int code = new CommandLine(new LocalCommands())
                .setOut(new PrintWriter(out))
                .execute("completion");
        assertThat(code).isZero();
        script = Files.writeString(folder.resolve("completion.sh"), out.toString());
    }

    @Test
    void the_program_has_a_completion() throws Exception {
        assertThat(bash("complete -p headgate")).containsExactly("complete -o default -F _complete_headgate headgate");
    }

    @Test
    void commands_of_both_programs_are_completed() throws Exception {
        assertThat(completed("headgate", "pol")).containsExactly("policy");
        assertThat(completed("headgate", "")).contains("up", "replay", "bench", "evaluate", "explain", "tenant");
        assertThat(completed("headgate", "policy", "imp")).containsExactly("import");
        assertThat(completed("headgate", "policy", "import", "")).contains("envoy-ratelimit", "limitador");
    }

    @Test
    void options_are_completed() throws Exception {
        assertThat(completed("headgate", "explain", "--control")).containsExactly("--control-keys");
        assertThat(completed("headgate", "up", "--fr")).containsExactly("--fresh");
        assertThat(completed("headgate", "policy", "import", "envoy-ratelimit", "--as", ""))
                .containsExactlyInAnyOrder("fixed-window", "token-bucket");
    }

    /** Outside of a shell that somebody types in, compopt would only complain. */
    private List<String> completed(String... words) throws Exception {
        return bash("compopt() { :; }; COMP_WORDS=(" + quoted(words) + "); COMP_CWORD=" + (words.length - 1)
                + "; _complete_headgate; printf '%s\\n' \"${COMPREPLY[@]}\"");
    }

    private static String quoted(String... words) {
        StringBuilder quoted = new StringBuilder();
        for (String word : words) {
            quoted.append('\'').append(word).append("' ");
        }
        return quoted.toString();
    }

    /** The lines, without blanks at their ends, that bash prints when it has read the script and done this. */
    private List<String> bash(String command) throws Exception {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        "bash", "--norc", "-c", "source \"$1\"; " + command, "bash", script.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("bash ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output, StandardCharsets.UTF_8)
                .lines()
                .map(String::stripTrailing)
                .toList();
    }
}
