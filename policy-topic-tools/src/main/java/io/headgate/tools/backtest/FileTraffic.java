package io.headgate.tools.backtest;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Decision;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.AccessLog;
import io.headgate.tools.BadLine;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Evaluation;
import io.headgate.tools.FileProblem;
import io.headgate.tools.Lines;
import io.headgate.tools.Request;
import io.headgate.tools.UnreadableLineException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CodingErrorAction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Requests in files, decided by one {@link Evaluation} a policy, as {@code headgate evaluate} decides them. Files of
 * requests come in the order in which they are named, a request in the order of its file; access logs are sorted by time
 * together.
 */
final class FileTraffic {

    private final List<Path> files;
    private final boolean logs;
    private final Tally tally;

    private FileTraffic(List<Path> files, boolean logs, Tally tally) {
        this.files = List.copyOf(files);
        this.logs = logs;
        this.tally = tally;
    }

    static FileTraffic ofRequests(List<Path> files, Tally tally) {
        return new FileTraffic(files, false, tally);
    }

    static FileTraffic ofAccessLogs(List<Path> files, Tally tally) {
        return new FileTraffic(files, true, tally);
    }

    /** A request and its line. The file is left out where there is only one. */
    private record Recorded(Request request, Path file, long line) {}

    private record LoggedLine(AccessLog.Entry entry, Path file, long line) {}

    /**
     * Counts all of it.
     *
     * @return the time that deciding took, of all threads together, in ns
     * @throws CommandFailedException if a file cannot be read
     */
    long compare(PolicyDocument baseline, PolicyDocument candidate, List<TenantPlan> plans)
            throws CommandFailedException {
        try (BothSides<Recorded> sides = new BothSides<>(side(baseline, plans), side(candidate, plans), this::take)) {
            if (logs) {
                for (LoggedLine line : sorted()) {
                    sides.take(new Recorded(Request.of(line.entry()), line.file(), line.line()), 1);
                }
            } else {
                for (Path file : files) {
                    readRequests(file, sides);
                }
            }
            sides.settle();
            return sides.cpuNanos();
        }
    }

    private static Side<Recorded> side(PolicyDocument document, List<TenantPlan> plans) {
        Evaluation evaluation = Evaluation.unexplained(document, plans);
        return recorded -> {
            try {
                return List.of(evaluation.answer(recorded.request()).decisions());
            } catch (UnreadableLineException oneIdTooMany) {
                return List.of();
            }
        };
    }

    private void take(Recorded recorded, List<List<Decision>> before, List<List<Decision>> after) {
        String place = place(recorded.file(), recorded.line());
        if (before.isEmpty() || after.isEmpty()) {
            tally.addBad(
                    place + " has one requestId too many; at most " + Evaluation.MAX_REQUEST_IDS + " are told apart");
            return;
        }
        Request request = recorded.request();
        tally.add(new Compared(
                () -> place(recorded.file(), recorded.line()),
                request.timeMillis(),
                request.admissions(),
                before.get(0),
                after.get(0)));
    }

    private String place(Path file, long line) {
        return files.size() == 1 ? "line " + line : file + ":" + line;
    }

    private void addBad(Path file, BadLine bad) {
        tally.addBad(place(file, bad.lineNumber()) + " " + bad.why() + ": " + bad.text());
    }

    private void readRequests(Path file, BothSides<Recorded> sides) throws CommandFailedException {
        List<CommandFailedException> failed = new ArrayList<>(0);
        try (InputStream in = Files.newInputStream(file)) {
            Lines.readNumbered(
                    in,
                    CodingErrorAction.REPORT,
                    Request::parse,
                    (line, request) -> {
                        if (failed.isEmpty()) {
                            take(new Recorded(request, file, line), sides, failed);
                        }
                    },
                    bad -> addBad(file, bad));
        } catch (IOException e) {
            throw unreadable(file, e);
        }
        if (!failed.isEmpty()) {
            throw failed.get(0);
        }
    }

    private static void take(Recorded recorded, BothSides<Recorded> sides, List<CommandFailedException> failed) {
        try {
            sides.take(recorded, 1);
        } catch (CommandFailedException e) {
            failed.add(e);
        }
    }

    private List<LoggedLine> sorted() throws CommandFailedException {
        List<LoggedLine> all = new ArrayList<>();
        for (Path file : files) {
            try (InputStream in = Files.newInputStream(file)) {
                Lines.readNumbered(
                        in,
                        CodingErrorAction.REPLACE,
                        AccessLog.Entry::askable,
                        (line, entry) -> {
                            if (all.size() <= AccessLog.MAX_ENTRIES) {
                                all.add(new LoggedLine(entry, file, line));
                            }
                        },
                        bad -> addBad(file, bad));
            } catch (IOException e) {
                throw unreadable(file, e);
            }
        }
        if (all.size() > AccessLog.MAX_ENTRIES) {
            throw new CommandFailedException("there are more than " + AccessLog.MAX_ENTRIES
                    + " requests in the access logs, which are sorted in memory; split them");
        }
        all.sort(Comparator.comparingLong(line -> line.entry().timeMillis()));
        return all;
    }

    private static CommandFailedException unreadable(Path file, IOException e) {
        return new CommandFailedException(file + ": cannot be read: " + FileProblem.of(e));
    }
}
