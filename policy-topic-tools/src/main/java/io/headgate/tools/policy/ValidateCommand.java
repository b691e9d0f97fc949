package io.headgate.tools.policy;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.policy.InForce;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.core.policy.Policy;
import io.headgate.schemas.policy.PlanReview;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.PolicyReview;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Headgate;
import io.headgate.tools.Located;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.PolicyFile;
import io.headgate.tools.PolicyFileException;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TenantsFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy validate}: everything that is wrong with files, without a cluster. */
@Command(
        name = "validate",
        description = {
            "Checks policies in files with the checks that every shard makes before it applies one.",
            "Names all mistakes at once, each with file, line, field, value and what would be right. Remarks say what is"
                    + " valid and will not do what one may expect."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every file is valid, remarks or not",
            "1:a file is not, or cannot be read; stderr says why",
            "2:wrong usage"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  headgate policy validate my.policy.yaml --tenants tenants.yaml",
            "  headgate policy validate next.policy.yaml --against my.policy.yaml",
            "",
            "The format is described in docs/policy-format.md."
        })
final class ValidateCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "policies, YAML, or JSON if the name ends in .json")
    private List<Path> files;

    @Option(
            names = "--tenants",
            paramLabel = "FILE",
            description = "plans of tenants, kind TenantPlans, checked beside the policy")
    private Path tenantsFile;

    @Option(
            names = "--against",
            paramLabel = "VERSION-FILE",
            description = "the version in force, which the policy has to be able to follow")
    private Path againstFile;

    @Mixin
    private OutputOption output;

    ValidateCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        if (files.size() > 1 && (tenantsFile != null || againstFile != null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--tenants and --against are for one policy; " + files.size() + " files are given");
        }
        Optional<PolicyDocument> against = readAgainst();
        List<FileVerdict> verdicts = new ArrayList<>();
        for (Path file : files) {
            addVerdicts(file, against, verdicts);
        }
        for (FileVerdict verdict : verdicts) {
            if (output.value() == Output.json) {
                spec.commandLine().getOut().println(verdict.json());
            } else {
                verdict.print(spec.commandLine().getOut(), spec.commandLine().getErr());
            }
        }
        return verdicts.stream().allMatch(FileVerdict::valid) ? Headgate.OK : Headgate.FAILED;
    }

    private Optional<PolicyDocument> readAgainst() throws CommandFailedException {
        try {
            return againstFile == null ? Optional.empty() : Optional.of(PolicyFile.read(againstFile));
        } catch (PolicyFileException e) {
            throw new CommandFailedException(e.getMessage().lines().toList());
        }
    }

    private void addVerdicts(Path file, Optional<PolicyDocument> against, List<FileVerdict> verdicts) {
        Optional<Policy> policy = Optional.empty();
        try {
            Located<PolicyDocument> read = PolicyFile.located(file);
            PolicyDocument document = read.document();
            policy = Optional.of(document.policy());
            List<Problem> problems =
                    against.map(before -> succession(before, document)).orElse(List.of());
            verdicts.add(new FileVerdict(
                    file.toString(),
                    title(document),
                    read.findings(problems),
                    read.findings(PolicyReview.of(document, surroundings.nowMillis()))));
        } catch (PolicyFileException e) {
            verdicts.add(new FileVerdict(file.toString(), "", e.findings(), List.of()));
        }
        if (tenantsFile != null) {
            verdicts.add(tenants(policy));
        }
    }

    private FileVerdict tenants(Optional<Policy> policy) {
        String file = tenantsFile.toString();
        try {
            Located<List<TenantPlan>> read = TenantsFile.located(tenantsFile, policy);
            List<Problem> remarks = new ArrayList<>();
            policy.ifPresent(rules -> read.document().forEach(plan -> remarks.addAll(PlanReview.of(plan, rules))));
            int count = read.document().size();
            String title = count + (count == 1 ? " tenant" : " tenants");
            return new FileVerdict(file, title, List.of(), read.findings(remarks));
        } catch (PolicyFileException e) {
            return new FileVerdict(file, "", e.findings(), List.of());
        }
    }

    private static List<Problem> succession(PolicyDocument before, PolicyDocument next) {
        List<Problem> problems = new ArrayList<>();
        String domain = before.metadata().domain();
        if (!domain.equals(next.metadata().domain())) {
            problems.add(new Problem(
                    "spec.domain",
                    "is \"" + next.metadata().domain() + "\"; it must be \"" + domain + "\", as in version "
                            + before.metadata().version()));
        }
        problems.addAll(InForce.only(before.policy()).problemsOf(next.policy()));
        return problems;
    }

    private static String title(PolicyDocument document) {
        int rules = document.policy().rules().size();
        return "version " + document.metadata().version() + " of "
                + document.metadata().name() + ", " + rules + (rules == 1 ? " rule" : " rules");
    }
}
