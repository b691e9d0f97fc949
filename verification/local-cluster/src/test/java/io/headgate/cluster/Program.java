package io.headgate.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of this machine that is not ours, run in a folder until it ends. It ends with the test, by itself or not. If
 * it is not there, the test fails and says what to install.
 */
final class Program {

    private static final int QUOTED_CHARACTERS = 2_000;

    private final Path folder;
    private final String install;
    private final Duration patience;

    /** @param install what to do if the program is missing, for whoever reads the failure */
    Program(Path folder, String install, Duration patience) {
        this.folder = folder;
        this.install = install;
        this.patience = patience;
    }

    /** Runs it with lines of input; the lines of its standard output. */
    List<String> run(List<String> command, List<String> input) throws IOException, InterruptedException {
        Path in = Files.createTempFile(folder, "in", ".txt");
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        Files.write(in, input, StandardCharsets.UTF_8);
        Process process = start(command, in, out, err);
        try {
            if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError(String.join(" ", command) + " did not end within " + patience + " after "
                        + Files.readAllLines(out).size() + " lines; it says:\n" + tail(err));
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        if (process.exitValue() != 0) {
            throw new AssertionError(String.join(" ", command) + " ended with exit code " + process.exitValue() + " ("
                    + install + "); it says:\n" + tail(out) + tail(err));
        }
        return Files.readAllLines(out, StandardCharsets.UTF_8);
    }

    private Process start(List<String> command, Path in, Path out, Path err) {
        try {
            return new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectInput(in.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
        } catch (IOException missing) {
            throw new AssertionError(command.get(0) + " cannot be started: " + install, missing);
        }
    }

    private static String tail(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.UTF_8);
        return text.substring(Math.max(0, text.length() - QUOTED_CHARACTERS));
    }
}
