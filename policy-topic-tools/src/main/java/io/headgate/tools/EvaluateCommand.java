package io.headgate.tools;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.core.policy.Policy;
import io.headgate.schemas.policy.PlanReview;
import io.headgate.schemas.policy.PolicyDocument;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.CodingErrorAction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headgate evaluate}: tries a policy on requests in a file. */
@Command(
        name = "evaluate",
        description = {
            "Tries a policy on requests in a file, with the code that decides in production and without Kafka.",
            "Writes one JSON object a request, then a summary to stderr. A line that cannot be read is counted and"
                    + " named there; the others are evaluated."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every request has been evaluated, whatever the answers",
            "1:the policy or the requests cannot be read, or the output cannot be written",
            "2:wrong usage"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  headgate evaluate --policy my.policy.yaml --access-log access.log > answers.jsonl",
            "  headgate evaluate --policy my.policy.yaml --requests requests.jsonl --output answers.jsonl",
            "  headgate evaluate --policy my.policy.yaml --tenants tenants.yaml --requests requests.jsonl",
            "",
            "The formats are described in docs/policy-format.md and docs/evaluate.md."
        })
final class EvaluateCommand implements Callable<Integer> {

    private final OutputStream standardOutput;

    @Spec
    private CommandSpec spec;

    @Option(names = "--policy", paramLabel = "FILE", required = true, description = "the policy, in YAML or JSON")
    private Path policyFile;

    @Option(
            names = "--tenants",
            paramLabel = "FILE",
            description = "plans of tenants, in YAML or JSON; a tenant that is not in it is on the default plan")
    private Path tenantsFile;

    @ArgGroup(multiplicity = "1")
    private Input input;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "where the answers go, replacing what is there; stdout if left out")
    private Path outputFile;

    EvaluateCommand(OutputStream standardOutput) {
        this.standardOutput = standardOutput;
    }

    /** One of the two. */
    static final class Input {

        @Option(
                names = "--requests",
                paramLabel = "FILE",
                required = true,
                description = "requests, one JSON object a line, in the order in which they are made")
        private Path requestsFile;

        @Option(
                names = "--access-log",
                paramLabel = "FILE",
                required = true,
                description = "a web server's log in the common or combined format; sorted by time")
        private Path accessLogFile;

        Path file() {
            return requestsFile != null ? requestsFile : accessLogFile;
        }
    }

    @Override
    public Integer call() throws CommandFailedException {
        List<String> problems = new ArrayList<>();
        Optional<PolicyDocument> document = readPolicy(problems);
        List<TenantPlan> tenants = readTenants(document, problems);
        checkInput(problems);
        checkOutput(problems);
        if (!problems.isEmpty()) {
            throw new CommandFailedException(problems);
        }
        Policy policy = document.orElseThrow().policy();
        Evaluation evaluation = new Evaluation(document.orElseThrow(), tenants, Evaluation.MAX_REQUEST_IDS);
        EvaluationSummary summary = new EvaluationSummary(policy);
        try (OutputStream opened = outputFile == null ? OutputStream.nullOutputStream() : openOutput()) {
            AnswerWriter writer = new AnswerWriter(outputFile == null ? standardOutput : opened);
            if (input.requestsFile != null) {
                evaluateRequests(evaluation, writer, summary);
            } else {
                evaluateAccessLog(evaluation, writer, summary);
            }
            writer.flush();
        } catch (UncheckedIOException | IOException e) {
            throw outputFailed(e instanceof UncheckedIOException unchecked ? unchecked.getCause() : (IOException) e);
        }
        PrintWriter err = spec.commandLine().getErr();
        printRemarks(tenants, policy, err);
        summary.print(err);
        err.flush();
        return 0;
    }

    private void evaluateRequests(Evaluation evaluation, AnswerWriter writer, EvaluationSummary summary)
            throws CommandFailedException {
        try (InputStream in = Files.newInputStream(input.file())) {
            Lines.read(
                    in,
                    CodingErrorAction.REPORT,
                    line -> evaluation.answer(Request.parse(line)),
                    answer -> take(answer, writer, summary),
                    summary::addBad);
        } catch (IOException e) {
            throw inputFailed(e);
        }
    }

    private void evaluateAccessLog(Evaluation evaluation, AnswerWriter writer, EvaluationSummary summary)
            throws CommandFailedException {
        try {
            AccessLog log = AccessLog.read(input.file(), AccessLog.Entry::askable);
            summary.addReading(log);
            for (AccessLog.Entry entry : log.entries()) {
                take(evaluation.answer(Request.of(entry)), writer, summary);
            }
        } catch (IOException e) {
            throw inputFailed(e);
        } catch (UnreadableLineException e) {
            throw new IllegalStateException("a request of a log has no request id", e);
        }
    }

    private static void take(Answer answer, AnswerWriter writer, EvaluationSummary summary) {
        try {
            writer.write(answer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        summary.add(answer);
    }

    private Optional<PolicyDocument> readPolicy(List<String> problems) {
        try {
            return Optional.of(PolicyFile.read(policyFile));
        } catch (PolicyFileException e) {
            e.getMessage().lines().forEach(problems::add);
            return Optional.empty();
        }
    }

    /** Plans can only be read beside a policy that can: it may be what says the algorithm of an override. */
    private List<TenantPlan> readTenants(Optional<PolicyDocument> document, List<String> problems) {
        if (tenantsFile == null || document.isEmpty()) {
            return List.of();
        }
        try {
            return TenantsFile.read(tenantsFile, document.map(PolicyDocument::policy));
        } catch (PolicyFileException e) {
            e.getMessage().lines().forEach(problems::add);
            return List.of();
        }
    }

    private void printRemarks(List<TenantPlan> tenants, Policy policy, PrintWriter err) {
        List<Problem> remarks = tenants.stream()
                .flatMap(plan -> PlanReview.of(plan, policy).stream())
                .toList();
        remarks.stream()
                .limit(EvaluationSummary.NAMED)
                .forEach(remark -> err.println("note: " + tenantsFile + ": " + remark));
        if (remarks.size() > EvaluationSummary.NAMED) {
            err.println("note: " + tenantsFile + ": and " + (remarks.size() - EvaluationSummary.NAMED) + " more");
        }
    }

    private void checkInput(List<String> problems) {
        Path file = input.file();
        if (Files.notExists(file)) {
            problems.add(file + ": does not exist");
        } else if (Files.isDirectory(file)) {
            problems.add(file + ": cannot be read: is a folder");
        } else if (!Files.isReadable(file)) {
            problems.add(file + ": cannot be read: permission denied");
        }
    }

    private void checkOutput(List<String> problems) {
        if (outputFile == null) {
            return;
        }
        if (Files.isDirectory(outputFile)) {
            problems.add(outputFile + ": cannot be written: is a folder");
        } else if (!Files.isDirectory(outputFile.toAbsolutePath().getParent())) {
            problems.add(outputFile + ": cannot be written: its folder does not exist");
        } else if (isSame(outputFile, policyFile)
                || isSame(outputFile, input.file())
                || (tenantsFile != null && isSame(outputFile, tenantsFile))) {
            problems.add(outputFile + ": cannot be written: is read from");
        }
    }

    private static boolean isSame(Path one, Path other) {
        try {
            return Files.isSameFile(one, other);
        } catch (IOException missing) {
            return false;
        }
    }

    private OutputStream openOutput() throws CommandFailedException {
        try {
            return Files.newOutputStream(outputFile);
        } catch (IOException e) {
            throw outputFailed(e);
        }
    }

    private CommandFailedException inputFailed(IOException e) {
        return new CommandFailedException(input.file() + ": cannot be read: " + FileProblem.of(e));
    }

    private CommandFailedException outputFailed(IOException e) {
        String name = outputFile == null ? "stdout" : outputFile.toString();
        return new CommandFailedException(name + ": cannot be written: " + FileProblem.of(e));
    }
}
