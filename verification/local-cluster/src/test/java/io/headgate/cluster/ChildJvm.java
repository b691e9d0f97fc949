package io.headgate.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A main class of this class path in a JVM of its own, which a test may kill or freeze without warning. Standard output
 * and error go to one file. It ends with {@link #close()}, with this JVM, or with the loss of this JVM, whichever comes
 * first.
 */
final class ChildJvm implements AutoCloseable {

    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final Duration POLITE_EXIT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SIGNAL_TIMEOUT = Duration.ofSeconds(5);
    private static final int QUOTED_LINES = 20;

    private static final Set<Process> LIVING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> LIVING.forEach(Process::destroyForcibly), "end-child-jvms"));
    }

    private final String name;
    private final Path output;
    private final Process process;

    private ChildJvm(String name, Path output, Process process) {
        this.name = name;
        this.output = output;
        this.process = process;
    }

    static ChildJvm start(Path output, Class<?> main, String... args) {
        return start(output, List.of(), main, args);
    }

    /** @param jvmOptions such as {@code -Xmx256m} */
    static ChildJvm start(Path output, List<String> jvmOptions, Class<?> main, String... args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ParentWatch.class.getName()));
        command.add(Long.toString(ProcessHandle.current().pid()));
        command.add(main.getName());
        command.addAll(List.of(args));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            LIVING.add(process);
            return new ChildJvm(main.getSimpleName(), output, process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    Path output() {
        return output;
    }

    /** The first line of all output so far, or still to come, that contains the text. */
    String awaitLine(String text, Duration timeout) {
        long deadlineNanos = System.nanoTime() + timeout.toNanos();
        while (true) {
            boolean ended = !process.isAlive();
            Optional<String> found =
                    lines().stream().filter(line -> line.contains(text)).findFirst();
            if (found.isPresent()) {
                return found.get();
            }
            if (ended) {
                throw new AssertionError(name + " ended with exit code " + process.exitValue() + " before it printed \""
                        + text + "\"; " + tail());
            }
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new AssertionError(name + " did not print \"" + text + "\" within " + timeout + "; " + tail());
            }
            awaitExit(POLL_INTERVAL);
        }
    }

    /** Waits until the process has ended by itself. */
    int awaitExitCode(Duration timeout) {
        if (!awaitExit(timeout)) {
            throw new AssertionError(name + " did not end within " + timeout + "; " + tail());
        }
        return process.exitValue();
    }

    /** SIGKILL: no shutdown hook, no flush, no farewell. Returns when the process is gone. */
    void kill9() {
        process.toHandle().destroyForcibly();
        if (!awaitExit(SIGNAL_TIMEOUT)) {
            throw new AssertionError(name + " (pid " + pid() + ") outlived SIGKILL by " + SIGNAL_TIMEOUT);
        }
        LIVING.remove(process);
    }

    /** SIGTERM: the process may take its time. */
    void terminate() {
        signal("TERM");
    }

    /** SIGSTOP: the process stays, holds its sockets and locks, and does nothing until {@link #resume()}. */
    void pause() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    private void signal(String signal) {
        if (!trySignal(signal)) {
            throw new AssertionError("kill -" + signal + " " + pid() + " failed");
        }
    }

    private boolean trySignal(String signal) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid())).start();
            return kill.waitFor(SIGNAL_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS) && kill.exitValue() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** SIGTERM, to a paused one as well, and SIGKILL if that does not help. Returns when the process is gone. */
    @Override
    public void close() {
        if (process.isAlive()) {
            process.destroy();
            // Fails only if the process has ended by now, which is what is wanted.
            trySignal("CONT");
            if (awaitExit(POLITE_EXIT_TIMEOUT)) {
                LIVING.remove(process);
                return;
            }
        }
        kill9();
    }

    private boolean awaitExit(Duration timeout) {
        try {
            return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            throw new IllegalStateException(e);
        }
    }

    private List<String> lines() {
        try {
            return new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String tail() {
        List<String> all = lines();
        List<String> last = all.subList(Math.max(0, all.size() - QUOTED_LINES), all.size());
        return "its last lines:\n" + String.join("\n", last);
    }
}
