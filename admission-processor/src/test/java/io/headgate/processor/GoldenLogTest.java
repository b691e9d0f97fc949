package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.schemas.ShardLog;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.PolicyDocument;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Any process that folds the same log comes to the same state and the same replies, to the byte; and to those of old. */
class GoldenLogTest {

    /** What the log comes to under version 1 of the semantics. Changes only with that number, or before a release. */
    private static final String LOG = "576327598aa950a7a85d8e7b28c75603439c6f99ed74ccb212d70aff1523a7fa";

    private static final String LAST_LINE = "records 20000"
            + " replies f88d4becda12a0a83f81071f555c7ecc113dc12270da9bafbdd44fdd8c91c972"
            + " state 8be95d964cd4619530edcc52277dd0f5ce0102cb4e5cd927aedf0077b6eda89a";

    @TempDir
    private Path folder;

    /** A fold in a JVM of its own. */
    private record Folding(Process process, Path output) {

        List<String> lines() throws IOException, InterruptedException {
            boolean ended = process.waitFor(60, TimeUnit.SECONDS);
            List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
            assertThat(ended && process.exitValue() == 0)
                    .as("a fold has ended well; it said: %s", lines)
                    .isTrue();
            return lines.stream().filter(line -> line.startsWith("records ")).toList();
        }
    }

    @Test
    void two_jvms_two_speeds_two_stores_and_restarts_anywhere_come_to_the_same_bytes_as_ever() throws Exception {
        List<GoldenLog.Entry> entries = GoldenLog.generate();
        Path log = folder.resolve("golden.log");
        GoldenLog.write(entries, log);
        List<Folding> foldings = new ArrayList<>();
        try {
            foldings.add(start(List.of(), log, "memory", 0, 0));
            foldings.add(start(ELSEWHERE, log, "memory", 40, 50));
            List<String> inOneGo = foldings.get(0).lines();
            foldings.add(start(ELSEWHERE, log, folder.resolve("rocks").toString(), 25, 0));
            List<String> slowWithRestarts = foldings.get(1).lines();
            List<String> onRocksDb = foldings.get(2).lines();

            assertThat(inOneGo).hasSize(GoldenLog.RECORDS / GoldenFold.RECORDS_PER_LINE);
            assertThat(slowWithRestarts)
                    .as("in one go, and slowly with restarts in another JVM; the first line that differs says where")
                    .isEqualTo(inOneGo);
            assertThat(onRocksDb)
                    .as("in memory, and over RocksDB with restarts in another JVM")
                    .isEqualTo(inOneGo);
            assertThat(GoldenFold.hex(sha256(log)))
                    .as("the golden log itself has changed: either its generator, or how requests, policies or control"
                            + " records are encoded. If that is meant, take the new values into this test")
                    .isEqualTo(LOG);
            assertThat(inOneGo.get(inOneGo.size() - 1))
                    .as("the same log comes to other replies or another state than before. A shard that folds its log"
                            + " with this build would contradict what it has answered, or misread the state that it has"
                            + " stored. After a release this needs a new semantics version (or encoding) that a log"
                            + " record switches to, with this one kept; before, take the new line into this test")
                    .isEqualTo(LAST_LINE);
        } finally {
            foldings.forEach(folding -> folding.process().destroyForcibly());
        }
    }

    /** A golden log that met no bound would prove little. */
    @Test
    void the_log_meets_every_verdict_every_rule_and_every_bound() {
        Shard shard = new Shard(GoldenLog.SHARD, new MemoryStore(), PolicyDocument.READER);
        Set<Verdict> verdicts = EnumSet.noneOf(Verdict.class);
        Set<String> denying = new TreeSet<>();
        Set<String> shadowing = new TreeSet<>();
        Set<String> softening = new TreeSet<>();
        Set<String> acting = new TreeSet<>();
        Set<String> reasons = new TreeSet<>();
        Set<Long> versions = new TreeSet<>();
        long replayed = 0;
        long overflowed = 0;
        long offset = 0;
        for (GoldenLog.Entry entry : GoldenLog.generate()) {
            Folded folded = shard.fold(ShardLog.decode(
                    GoldenLog.SHARD,
                    offset++,
                    entry.timestampMillis(),
                    new RecordHeaders(),
                    entry.value(),
                    named -> SampleLog.KEYS
                            .find(named)
                            .orElseThrow(() -> new UnreadableRecordException("no such key"))));
            overflowed += folded.overflowed();
            folded.problems().forEach(problem -> reasons.add(problem.replaceAll("[0-9]+|:.*|'.*", "")));
            for (Decision decision : folded.decisions()) {
                verdicts.add(decision.verdict());
                decision.denyingRule().ifPresent(denying::add);
                shadowing.addAll(decision.shadowDenials());
                softening.addAll(decision.softDenials());
                acting.addAll(decision.actions());
                versions.add(decision.policyVersion());
                replayed += decision.replayed() ? 1 : 0;
                reasons.add(decision.reason().replaceAll("[0-9]+", "n"));
            }
        }

        assertThat(verdicts)
                .containsExactlyInAnyOrder(
                        Verdict.ALLOW,
                        Verdict.DENY,
                        Verdict.NOT_READY,
                        Verdict.EXPIRED,
                        Verdict.MISROUTED,
                        Verdict.CONFLICT,
                        Verdict.ERROR);
        assertThat(denying)
                .containsExactlyInAnyOrder(
                        "ip-window",
                        "ip-route",
                        "login",
                        "tenant-rate",
                        "key-rate",
                        "user-gold",
                        "user-spend",
                        "changing",
                        "daily",
                        "by-plan",
                        "soft-rate",
                        "in-parts",
                        "by-tokens",
                        "at-once",
                        "headgate.banned",
                        "headgate.suspended");
        assertThat(shadowing).containsExactly("user-shadow");
        assertThat(softening).containsExactly("soft-rate");
        assertThat(acting).hasSizeGreaterThan(30);
        assertThat(versions).hasSizeGreaterThan(30);
        assertThat(replayed).isGreaterThan(100);
        assertThat(overflowed).isGreaterThan(100);
        assertThat(reasons)
                .contains(
                        "this shard remembers n sessions already, as many as it may",
                        "batch n comes after later ones and no answer to it is remembered; it is not decided again",
                        "value is null",
                        "control record is not genuine");
    }

    /** Whatever a machine may have set otherwise. */
    private static final List<String> ELSEWHERE = List.of(
            "-Duser.language=tr",
            "-Duser.country=TR",
            "-Duser.timezone=Asia/Kathmandu",
            "-Dfile.encoding=ISO-8859-1",
            "-XX:+UseSerialGC",
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:hashCode=2");

    private Folding start(List<String> options, Path log, String store, int restarts, int pauseMicros)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(
                GoldenFold.class.getName(),
                log.toString(),
                store,
                Integer.toString(restarts),
                Integer.toString(pauseMicros)));
        Path output = Files.createTempFile(folder, "fold", ".txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new Folding(process, output);
    }

    private static byte[] sha256(Path file) throws IOException {
        MessageDigest digest = GoldenFold.sha256();
        digest.update(Files.readAllBytes(file));
        return digest.digest();
    }
}
