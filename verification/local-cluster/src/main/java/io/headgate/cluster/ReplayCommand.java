package io.headgate.cluster;

import io.headgate.tools.AccessLog;
import java.io.IOException;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate replay}: sends the requests of an access log through a running gateway. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        description = "Sends the requests of an access log (common or combined format) through a running gateway.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:every request was answered", "1:some were not, or the log cannot be read", "2:wrong usage"})
final class ReplayCommand implements Callable<Integer> {

    @Parameters(paramLabel = "FILE", description = "The access log")
    private Path file;

    @Option(
            names = "--url",
            paramLabel = "URL",
            defaultValue = "http://127.0.0.1:8080",
            description = "The gateway. Default: ${DEFAULT-VALUE}")
    private URI url;

    @Option(
            names = "--speed",
            paramLabel = "N",
            description = "N times as fast as it was recorded. Default: as fast as it goes")
    private Double speed;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "64",
            description = "Requests under way at once, 1 to 1000. Default: ${DEFAULT-VALUE}")
    private int concurrency;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        if (speed != null && !(speed > 0 && speed <= 1_000_000)) {
            throw new ParameterException(
                    spec.commandLine(), "--speed is " + speed + "; it must be above 0, up to 1000000");
        }
        if (concurrency < 1 || concurrency > 1_000) {
            throw new ParameterException(
                    spec.commandLine(), "--concurrency is " + concurrency + "; it must be 1 to 1000");
        }
        if (url.getHost() == null || !Set.of("http", "https").contains(String.valueOf(url.getScheme()))) {
            throw new ParameterException(
                    spec.commandLine(), "--url is '" + url + "'; it must be like http://127.0.0.1:8080");
        }
        AccessLog log;
        try {
            log = AccessLog.read(file);
        } catch (NoSuchFileException missing) {
            return failed("there is no file " + file);
        } catch (IOException unreadable) {
            return failed(file + " cannot be read: " + unreadable.getMessage());
        }
        if (log.entries().isEmpty()) {
            return failed(file + " has no request; " + log.badLines() + " lines cannot be read");
        }
        Optional<String> silence = Replay.whySilent(url);
        if (silence.isPresent()) {
            return failed("nobody answers at " + url + ": " + silence.get());
        }
        ReplayReport report = new Replay(url, speed == null ? 0 : speed, concurrency).run(log.entries());
        System.out.print(report.print(log));
        return report.answered() == report.sent() && report.sent() > 0 ? LocalCommands.OK : LocalCommands.FAILED;
    }

    private static int failed(String why) {
        System.err.println("headgate replay: " + why);
        return LocalCommands.FAILED;
    }
}
