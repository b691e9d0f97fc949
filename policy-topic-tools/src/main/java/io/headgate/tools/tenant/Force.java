package io.headgate.tools.tenant;

import io.headgate.core.policy.Policy;
import io.headgate.tools.CommandFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Whether what a policy has against something keeps it from being written. */
final class Force {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--force",
            description = "write it although the newest policy says that it would have no effect, and warn instead")
    private boolean force;

    /**
     * Checks against the newest policy.
     *
     * @throws CommandFailedException if there are problems and nobody forces them
     */
    void check(PolicyInForce inForce, Function<PolicyChecks, List<String>> check) throws CommandFailedException {
        List<String> problems = inForce.policy()
                .map((Policy policy) -> check.apply(new PolicyChecks(policy)))
                .orElseGet(() -> List.of(inForce.whyNone()));
        if (problems.isEmpty()) {
            return;
        }
        if (!force) {
            List<String> lines = new ArrayList<>(problems);
            lines.add("nothing has been written; --force writes it all the same");
            throw new CommandFailedException(lines);
        }
        problems.forEach(problem -> spec.commandLine().getErr().println("warning: " + problem));
    }
}
