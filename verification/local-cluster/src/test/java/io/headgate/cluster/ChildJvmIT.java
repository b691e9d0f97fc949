package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildJvmIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TempDir
    private Path scratch;

    /** Prints a line and stays. */
    static final class Stays {
        private Stays() {}

        public static void main(String[] args) throws InterruptedException {
            System.out.println("started with " + args[0]);
            new CountDownLatch(1).await();
        }
    }

    /** Prints a line to standard error and ends with code 3. */
    static final class Fails {
        private Fails() {}

        public static void main(String[] args) {
            System.err.println("no such bucket");
            System.exit(3);
        }
    }

    /** Has a child of its own, whose pid it prints. */
    static final class Parent {
        private Parent() {}

        public static void main(String[] args) throws InterruptedException {
            try (ChildJvm child = ChildJvm.start(Path.of(args[0]), Stays.class, "nothing")) {
                child.awaitLine("started", TIMEOUT);
                System.out.println("child " + child.pid());
                new CountDownLatch(1).await();
            }
        }
    }

    @Test
    void a_child_gets_its_arguments_and_its_lines_are_seen() {
        try (ChildJvm child = ChildJvm.start(scratch.resolve("out"), Stays.class, "salt")) {
            assertThat(child.awaitLine("started", TIMEOUT)).isEqualTo("started with salt");
        }
    }

    @Test
    void waiting_for_a_line_ends_with_the_child_and_quotes_what_it_said() {
        try (ChildJvm child = ChildJvm.start(scratch.resolve("out"), Fails.class)) {
            assertThatThrownBy(() -> child.awaitLine("started", TIMEOUT))
                    .hasMessageContaining("exit code 3")
                    .hasMessageContaining("no such bucket");
        }
    }

    @Test
    void waiting_for_a_line_ends_at_the_deadline() {
        try (ChildJvm child = ChildJvm.start(scratch.resolve("out"), Stays.class, "salt")) {
            child.awaitLine("started", TIMEOUT);

            assertThatThrownBy(() -> child.awaitLine("finished", Duration.ofMillis(50)))
                    .hasMessageContaining("did not print \"finished\" within PT0.05S");
        }
    }

    @Test
    void a_killed_child_is_gone_when_the_call_returns() {
        try (ChildJvm child = ChildJvm.start(scratch.resolve("out"), Stays.class, "salt")) {
            child.awaitLine("started", TIMEOUT);

            child.kill9();

            assertThat(child.isAlive()).isFalse();
        }
    }

    @Test
    void a_paused_child_can_be_closed() {
        ChildJvm child = ChildJvm.start(scratch.resolve("out"), Stays.class, "salt");
        child.awaitLine("started", TIMEOUT);
        child.pause();

        child.close();

        assertThat(child.isAlive()).isFalse();
    }

    @Test
    void a_paused_broker_answers_again_when_it_is_resumed() {
        try (ChildJvm child = ChildJvm.start(
                scratch.resolve("out"),
                BrokerProcess.class,
                scratch.resolve("data").toString(),
                "0")) {
            String ready = child.awaitLine(BrokerProcess.READY, Duration.ofSeconds(60));
            PlainClient client = new PlainClient(ready.substring(BrokerProcess.READY.length()));
            child.pause();
            assertThat(client.answersWithin(Duration.ofSeconds(1))).isFalse();

            child.resume();

            assertThat(client.answersWithin(TIMEOUT)).isTrue();
        }
    }

    @Test
    void a_child_ends_when_its_parent_is_killed() {
        try (ChildJvm parent = ChildJvm.start(
                scratch.resolve("out"),
                Parent.class,
                scratch.resolve("grandchild").toString())) {
            String line = parent.awaitLine("child ", TIMEOUT);
            long pid = Long.parseLong(line.substring("child ".length()));
            assertThat(ProcessHandle.of(pid)).isPresent();

            parent.kill9();

            Awaitility.await()
                    .atMost(TIMEOUT)
                    .until(() ->
                            ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
        }
    }
}
