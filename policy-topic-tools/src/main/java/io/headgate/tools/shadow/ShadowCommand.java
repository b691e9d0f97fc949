package io.headgate.tools.shadow;

import io.headgate.tools.AdminPort;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.Surroundings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate policy shadow}: what the rules in shadow would have done. */
@Command(
        name = "shadow",
        description = {
            "Shows what the rules in shadow would have denied, and whose requests, beside what was expected.",
            "Sums what the processors have seen since each of them started."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:shown",
            "1:a processor does not answer, or with --check a rule would have denied more than expected",
            "2:wrong usage"
        },
        footerHeading = "%nMore in docs/shadow.md.%n",
        footer = "")
public final class ShadowCommand implements Callable<Integer> {

    private static final int MOST_KEYS = 50;

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            required = true,
            arity = "1..*",
            description = "the admin ports of all processors")
    private List<String> admins;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "5",
            description =
                    "how many partition keys to show by rule, 0 to " + MOST_KEYS + "; ${DEFAULT-VALUE} if left out")
    private int keys;

    @Option(names = "--check", description = "fails if a rule would have denied more than expected")
    private boolean check;

    @Mixin
    private OutputOption output;

    public ShadowCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        if (keys < 0 || keys > MOST_KEYS) {
            throw wrong("Invalid value for --keys: '" + keys + "' is not a number of 0 to " + MOST_KEYS);
        }
        ShadowReport report = new ShadowReport();
        for (Map.Entry<String, AdminPort> processor : ports().entrySet()) {
            AdminPort.Reply reply = processor.getValue().get("/shadow");
            if (!reply.ok()) {
                throw new CommandFailedException("the processor at " + processor.getKey() + " answers " + reply.status()
                        + ": " + reply.body().lines().findFirst().orElse(""));
            }
            report.add(processor.getKey(), reply.body());
        }
        if (output.value() == Output.json) {
            spec.commandLine()
                    .getOut()
                    .println(report.json(keys, surroundings.nowMillis()).toPrettyString());
        } else {
            report.print(spec.commandLine().getOut(), keys, surroundings.nowMillis());
        }
        if (check && !report.above().isEmpty()) {
            throw new CommandFailedException("would have denied more than expected: " + report.above());
        }
        return Headgate.OK;
    }

    private Map<String, AdminPort> ports() {
        Map<String, AdminPort> ports = new LinkedHashMap<>();
        for (String admin : admins) {
            try {
                if (ports.put(admin, new AdminPort(admin)) != null) {
                    throw wrong("Invalid value for --admin: " + admin + " is named twice, and would count twice");
                }
            } catch (IllegalArgumentException e) {
                throw wrong("Invalid value for --admin: " + e.getMessage());
            }
        }
        return ports;
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
