package io.headgate.tools.backtest;

import io.headgate.core.account.TenantPlan;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.FileProblem;
import io.headgate.tools.Headgate;
import io.headgate.tools.PolicyFile;
import io.headgate.tools.PolicyFileException;
import io.headgate.tools.PolicyVersions;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TenantsFile;
import io.headgate.tools.TrustOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate policy backtest}: what a policy would change on traffic that was recorded. */
@Command(
        name = "backtest",
        description = {
            "Decides recorded traffic under two policies and says what would change.",
            "Both are decided by the code that decides in production; nothing is written to the cluster."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:compared; within --max-newly-denied, if that is given",
            "1:something cannot be read or written, or the cluster does not answer",
            "2:wrong usage",
            "3:compared, and more is newly denied than --max-newly-denied allows"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  headgate policy backtest --candidate new.yaml --baseline old.yaml --access-log access.log",
            "  headgate policy backtest --candidate new.yaml --from-topic --since 2026-03-01T00:00:00Z \\",
            "      --bootstrap-servers kafka:9092 --html report.html --max-newly-denied 0.5%%",
            "",
            "Described in docs/backtest.md."
        })
public final class BacktestCommand implements Callable<Integer> {

    /** More is newly denied than was allowed. */
    static final int ABOVE_THRESHOLD = 3;

    private static final int MOST_SHOWN = 1_000;
    private static final int DEFAULT_CHECKPOINT_SECONDS = 10;

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(names = "--candidate", paramLabel = "FILE", required = true, description = "the policy that is tried")
    private Path candidateFile;

    @Option(
            names = "--baseline",
            paramLabel = "VERSION|FILE",
            description = "what it is compared with: a version on the topic, or a file; the newest version on the topic"
                    + " if left out")
    private String baseline;

    @ArgGroup(multiplicity = "1")
    private Source source;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "with --from-topic: log time of the first request, such as 2026-03-01T00:00:00Z; where each"
                    + " log begins if left out")
    private Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            description = "with --from-topic: requests from then on are left out; where each log ends now if left out")
    private Instant until;

    @Option(
            names = "--tenants",
            paramLabel = "FILE",
            description = "with files: plans of tenants; a tenant that is not in it is on the default plan")
    private Path tenantsFile;

    @Option(
            names = "--control-keys",
            paramLabel = "FILE",
            description = "with --from-topic: the processors' control keys, to use plans and actions as they stand in"
                    + " the logs")
    private Path keysFile;

    @Option(
            names = "--checkpoint",
            paramLabel = "FILE",
            description = "with --from-topic: where the run is saved, and goes on from if it was stopped")
    private Path checkpointFile;

    @Option(
            names = "--checkpoint-seconds",
            paramLabel = "N",
            defaultValue = "" + DEFAULT_CHECKPOINT_SECONDS,
            description = "how often it is saved, 0 to 3600; ${DEFAULT-VALUE} if left out")
    private int checkpointSeconds;

    @Option(
            names = "--output",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, json or csv; ${DEFAULT-VALUE} if left out")
    private Format format;

    @Option(names = "--html", paramLabel = "FILE", description = "writes the report as a page, too")
    private Path htmlFile;

    @Option(
            names = "--max-newly-denied",
            paramLabel = "N|P%%",
            description = "exit code 3 if more requests, or a larger share of them, are newly denied")
    private String maxNewlyDenied;

    @Option(
            names = "--examples",
            paramLabel = "N",
            defaultValue = "5",
            description =
                    "how many requests of each kind are named, 0 to " + MOST_SHOWN + "; ${DEFAULT-VALUE} if left out")
    private int examples;

    @Option(
            names = "--top",
            paramLabel = "N",
            defaultValue = "10",
            description = "how many tenants, routes, callers and keys are named, 1 to " + MOST_SHOWN
                    + "; ${DEFAULT-VALUE} if left out")
    private int top;

    @Mixin
    private TrustOption trust;

    @Mixin
    private Connection connection;

    public BacktestCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** Where the requests are. */
    static final class Source {

        @Option(
                names = "--from-topic",
                required = true,
                description = "the requests that gateways made, from the logs of all shards")
        private boolean topic;

        @Option(
                names = "--access-log",
                paramLabel = "FILE",
                required = true,
                arity = "1..*",
                description = "web servers' logs in the common or combined format; sorted by time")
        private List<Path> accessLogs;

        @Option(
                names = "--requests",
                paramLabel = "FILE",
                required = true,
                arity = "1..*",
                description = "requests, one JSON object a line, as headgate evaluate reads them")
        private List<Path> requests;

        List<Path> files() {
            return accessLogs != null ? accessLogs : requests;
        }

        String inWords() {
            String what = accessLogs != null ? "access log " : "requests in ";
            return what + String.join(", ", files().stream().map(Path::toString).toList());
        }
    }

    /** The forms of the report on stdout. */
    enum Format {
        table,
        json,
        csv
    }

    @Override
    public Integer call() throws CommandFailedException {
        Threshold threshold = checkUsage();
        PolicyDocument candidate = read(candidateFile);
        return source.topic || isOnTopic()
                ? compareWithCluster(candidate, threshold)
                : report(candidate, read(Path.of(baseline)), baseline, threshold);
    }

    private Integer compareWithCluster(PolicyDocument candidate, Threshold threshold) throws CommandFailedException {
        try (Cluster cluster = connection.open(surroundings)) {
            PolicyDocument before = isOnTopic() ? onTopic(cluster) : read(Path.of(baseline));
            String from = isOnTopic() ? "topic policies" : baseline;
            return source.topic
                    ? reportTopic(cluster, candidate, before, from, threshold)
                    : report(candidate, before, from, threshold);
        }
    }

    /** A file may be called 42; then it has to be written ./42. */
    private boolean isOnTopic() {
        return baseline == null || baseline.matches("[0-9]{1,18}");
    }

    private PolicyDocument onTopic(Cluster cluster) throws CommandFailedException {
        PolicyVersions versions = PolicyVersions.read(cluster, trust.trust());
        Optional<PolicyVersions.Entry> wanted =
                baseline == null ? versions.newest() : versions.version(Long.parseLong(baseline));
        return wanted.map(PolicyVersions.Entry::document)
                .orElseThrow(() -> new CommandFailedException("there is "
                        + (baseline == null ? "no policy" : "no policy version " + baseline) + " on topic "
                        + TopicCatalogue.POLICIES
                        + versions.newest()
                                .map(newest -> "; the newest is " + newest.version())
                                .orElse("; name a file with --baseline")));
    }

    private int report(PolicyDocument candidate, PolicyDocument before, String from, Threshold threshold)
            throws CommandFailedException {
        List<TenantPlan> plans = readTenants(candidate);
        Tally tally = new Tally(before.policy(), candidate.policy(), examples);
        FileTraffic traffic = source.accessLogs != null
                ? FileTraffic.ofAccessLogs(source.accessLogs, tally)
                : FileTraffic.ofRequests(source.requests, tally);
        long began = System.nanoTime();
        long cpuNanos = traffic.compare(before, candidate, plans);
        printSpeed(tally.decisions(), System.nanoTime() - began, cpuNanos);
        return write(new Report(
                Report.Version.of(from, before),
                Report.Version.of(candidateFile.toString(), candidate),
                source.inWords(),
                Remarks.ofFiles(before.policy(), candidate.policy(), source.accessLogs != null, tenantsFile != null),
                tally,
                top,
                threshold));
    }

    private int reportTopic(
            Cluster cluster, PolicyDocument candidate, PolicyDocument before, String from, Threshold threshold)
            throws CommandFailedException {
        Optional<ControlKeys> keys = readKeys();
        Tally tally = new Tally(before.policy(), candidate.policy(), examples);
        TopicTraffic traffic = new TopicTraffic(
                cluster,
                before,
                candidate,
                keys,
                tally,
                Optional.ofNullable(checkpointFile).map(file -> new Checkpoint(file, inputs(candidate, before))),
                TimeUnit.SECONDS.toNanos(checkpointSeconds),
                new Progress(spec.commandLine().getErr(), Boolean.getBoolean("headgate.watched")));
        long began = System.nanoTime();
        traffic.compare(
                since == null ? 0 : since.toEpochMilli(), until == null ? Long.MAX_VALUE : until.toEpochMilli());
        printSpeed(traffic.decisionsOfThisRun(), System.nanoTime() - began, traffic.cpuNanos());
        return write(new Report(
                Report.Version.of(from, before),
                Report.Version.of(candidateFile.toString(), candidate),
                "topic admission-requests, " + traffic.span().shards().size() + " shards",
                Remarks.ofTopic(
                        before.policy(),
                        candidate.policy(),
                        keys.isPresent(),
                        traffic.controlRecords(),
                        Optional.ofNullable(since)),
                tally,
                top,
                threshold));
    }

    /** What another run must have in common with this one to go on with it. */
    private String inputs(PolicyDocument candidate, PolicyDocument before) {
        return "candidate " + candidate.contentHash() + ", baseline " + before.contentHash() + ", since "
                + (since == null ? "the beginning" : since) + ", until " + (until == null ? "the end" : until)
                + ", control keys " + (keysFile == null ? "no" : "yes") + ", examples " + examples;
    }

    private int write(Report report) throws CommandFailedException {
        PrintWriter out = spec.commandLine().getOut();
        try {
            switch (format) {
                case json -> JsonReport.write(report, out);
                case csv -> CsvReport.print(report, out);
                default -> TableReport.print(report, out);
            }
            out.flush();
            if (htmlFile != null) {
                Files.writeString(htmlFile, HtmlReport.of(report));
            }
        } catch (IOException e) {
            throw new CommandFailedException(
                    (htmlFile == null ? "stdout" : htmlFile) + ": cannot be written: " + FileProblem.of(e));
        }
        if (!report.withinThreshold()) {
            spec.commandLine()
                    .getErr()
                    .println(report.tally().total(Column.NEWLY_DENIED) + " of "
                            + report.tally().total(Column.REQUESTS) + " requests are newly denied, above the "
                            + report.threshold().words() + " of --max-newly-denied");
            return ABOVE_THRESHOLD;
        }
        return Headgate.OK;
    }

    private void printSpeed(long decisions, long nanos, long cpuNanos) {
        long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos));
        long cpuMillis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(cpuNanos));
        spec.commandLine()
                .getErr()
                .println(String.format(
                        Locale.ROOT,
                        "%d decisions in %d.%03d s, reading and counting included: %d a second;"
                                + " deciding took %d.%03d s of processor time: %d a second and processor",
                        decisions,
                        millis / 1_000,
                        millis % 1_000,
                        decisions * 1_000 / millis,
                        cpuMillis / 1_000,
                        cpuMillis % 1_000,
                        decisions * 1_000 / cpuMillis));
    }

    private Threshold checkUsage() throws CommandFailedException {
        inRange("--examples", examples, 0);
        inRange("--top", top, 1);
        if (checkpointSeconds < 0 || checkpointSeconds > 3_600) {
            throw wrong("Invalid value for --checkpoint-seconds: " + checkpointSeconds + "; it must be 0 to 3600");
        }
        if (!source.topic) {
            onlyWithTopic("--since", since);
            onlyWithTopic("--until", until);
            onlyWithTopic("--control-keys", keysFile);
            onlyWithTopic("--checkpoint", checkpointFile);
            checkFiles();
        } else if (tenantsFile != null) {
            throw wrong("--tenants is for files; with --from-topic the plans come from topic tenant-plans");
        } else if (since != null && until != null && !since.isBefore(until)) {
            throw wrong("--since " + since + " is not before --until " + until);
        }
        try {
            return maxNewlyDenied == null ? Threshold.NONE : Threshold.parse(maxNewlyDenied);
        } catch (IllegalArgumentException e) {
            throw wrong("Invalid value for --max-newly-denied: " + e.getMessage());
        }
    }

    private void checkFiles() throws CommandFailedException {
        if (baseline == null && !connection.isNamed()) {
            throw wrong("Missing required option: '--baseline=VERSION|FILE', unless --bootstrap-servers says where"
                    + " the newest version is");
        }
        List<String> problems = new ArrayList<>();
        for (Path file : source.files()) {
            if (Files.notExists(file)) {
                problems.add(file + ": does not exist");
            } else if (Files.isDirectory(file)) {
                problems.add(file + ": cannot be read: is a folder");
            }
        }
        if (!problems.isEmpty()) {
            throw new CommandFailedException(problems);
        }
    }

    private void inRange(String option, int value, int least) {
        if (value < least || value > MOST_SHOWN) {
            throw wrong("Invalid value for " + option + ": " + value + "; it must be " + least + " to " + MOST_SHOWN);
        }
    }

    private void onlyWithTopic(String option, Object value) {
        if (value != null) {
            throw wrong(option + " is for --from-topic; files are read as a whole");
        }
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }

    private static PolicyDocument read(Path file) throws CommandFailedException {
        try {
            return PolicyFile.read(file);
        } catch (PolicyFileException e) {
            throw new CommandFailedException(e.getMessage());
        }
    }

    private List<TenantPlan> readTenants(PolicyDocument candidate) throws CommandFailedException {
        if (tenantsFile == null) {
            return List.of();
        }
        try {
            return TenantsFile.read(tenantsFile, Optional.of(candidate.policy()));
        } catch (PolicyFileException e) {
            throw new CommandFailedException(e.getMessage());
        }
    }

    private Optional<ControlKeys> readKeys() throws CommandFailedException {
        try {
            return Optional.ofNullable(keysFile).map(ControlKeys::read);
        } catch (UncheckedIOException e) {
            throw new CommandFailedException(keysFile + ": cannot be read: " + FileProblem.of(e.getCause()));
        } catch (IllegalArgumentException e) {
            throw new CommandFailedException(e.getMessage());
        }
    }
}
