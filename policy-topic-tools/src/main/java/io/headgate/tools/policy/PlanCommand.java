package io.headgate.tools.policy;

import io.headgate.core.policy.InForce;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.PolicyVersions;
import io.headgate.tools.PolicyVersions.Entry;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TrustOption;
import io.headgate.tools.tenant.StandingPlans;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy plan}. */
@Command(
        name = "plan",
        description = {
            "Shows what publishing a policy would do: what differs from the newest version, field by field, whom it touches,"
                    + " whose budgets begin afresh, how far each rule may be overshot, and how much state it may take.",
            "Writes nothing. With --against FILE no cluster is asked."
        },
        exitCodeListHeading = PolicyCommand.EXIT_CODES,
        exitCodeList = {
            "0:nothing would change",
            "1:it could not be published; stderr says why",
            "2:wrong usage",
            "5:something would change"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  headgate policy plan my.policy.yaml --bootstrap-servers kafka:9092",
            "  headgate policy plan next.policy.yaml --against my.policy.yaml"
        })
final class PlanCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "a policy, YAML or JSON, or one that 'policy sign' has sealed")
    private Path file;

    @Option(names = "--against", paramLabel = "FILE", description = "what is taken for the newest version")
    private Path againstFile;

    @Option(names = "--next", description = "takes it for the version after the newest, whatever number the file has")
    private boolean next;

    @Mixin
    private TrustOption trust;

    @Mixin
    private Connection connection;

    @Mixin
    private OutputOption output;

    PlanCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        PolicyDocument document = PolicyText.read(file).document();
        if (againstFile != null) {
            PolicyDocument against = PolicyText.read(againstFile).document();
            return show(
                    new PolicyPlan(
                            Optional.of(against),
                            numbered(document, against.metadata().version() + 1),
                            OptionalInt.empty(),
                            Optional.empty()),
                    Optional.of(InForce.only(against.policy())));
        }
        try (Cluster cluster = connection.open(surroundings)) {
            PolicyVersions versions = PolicyVersions.read(cluster, trust.trust());
            Optional<PolicyDocument> newest = versions.newest().map(Entry::document);
            PolicyDocument candidate = numbered(document, versions.nextNumber());
            Touched touched = Touched.by(newest.map(PolicyDocument::policy), candidate.policy());
            Touched.Tenants tenants = new Touched.Tenants(touched);
            StandingPlans.read(cluster, tenants::see);
            return show(
                    new PolicyPlan(
                            newest,
                            candidate,
                            OptionalInt.of(cluster.partitions(TopicCatalogue.ADMISSION_REQUESTS)),
                            Optional.of(tenants)),
                    versions.history().inForce());
        }
    }

    private PolicyDocument numbered(PolicyDocument document, long number) {
        return next
                ? document.as(
                        number,
                        document.metadata().author(),
                        document.metadata().reason())
                : document;
    }

    private int show(PolicyPlan plan, Optional<InForce> inForce) {
        if (output.value() == Output.json) {
            spec.commandLine().getOut().println(plan.json().toPrettyString());
        } else {
            plan.print(spec.commandLine().getOut());
        }
        List<Problem> problems = plan.isSameVersion()
                ? List.of()
                : inForce.map(before -> before.problemsOf(plan.after().policy()))
                        .orElseGet(() -> InForce.problemsOfFirst(plan.after().policy()));
        problems.forEach(problem -> spec.commandLine().getErr().println(file + ": " + problem));
        if (!problems.isEmpty()) {
            return Headgate.FAILED;
        }
        return plan.difference().isEmpty() ? Headgate.OK : PolicyCommand.DIFFERS;
    }
}
