package io.headgate.tools.imports;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.FileProblem;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.PolicyFile;
import io.headgate.tools.PolicyFileException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy import}: the limits of another rate limiter as a policy. */
@Command(
        name = "import",
        description = {
            "Writes the limits of another rate limiter as a policy.",
            "Lists on stderr what does not carry over. Nothing is published."
        },
        subcommands = {ImportCommand.EnvoyRatelimit.class, ImportCommand.Limitador.class},
        footerHeading = "%nMore in docs/import.md.%n",
        footer = "")
public final class ImportCommand implements Callable<Integer> {

    private static final String EXIT_CODES = "%nExit codes:%n";
    private static final String WRITTEN = "0:the policy is written";
    private static final String NOT_WRITTEN = "1:mistakes in the files, or with --strict something does not carry over";
    private static final String WRONG_USAGE = "2:wrong usage";

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return Headgate.WRONG_USAGE;
    }

    /** What limits become. */
    enum Shape {
        FIXED_WINDOW("fixed-window"),
        TOKEN_BUCKET("token-bucket");

        private final String label;

        Shape(String label) {
            this.label = label;
        }

        @Override
        public String toString() {
            return label;
        }
    }

    /** What both kinds have in common. */
    static final class Common {

        @Spec(Spec.Target.MIXEE)
        private CommandSpec spec;

        @Parameters(paramLabel = "FILE", arity = "1..*", description = "YAML, at most 4 MiB each")
        private List<Path> files;

        @Option(
                names = "--domain",
                paramLabel = "NAME",
                description = "the policy's domain; what the files say if they say one alone")
        private Optional<String> domain = Optional.empty();

        @Option(
                names = "--as",
                paramLabel = "ALGORITHM",
                defaultValue = "fixed-window",
                description = "${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} if left out, which is what is imported")
        private Shape shape;

        @Option(
                names = "--out",
                paramLabel = "FILE",
                description = "where to write the policy, in JSON if it ends so; must not exist; stdout if left out")
        private Path out;

        @Option(names = "--strict", description = "writes nothing if something does not carry over")
        private boolean strict;

        @Mixin
        private OutputOption output;

        boolean buckets() {
            return shape == Shape.TOKEN_BUCKET;
        }

        int write(ImportedPolicy imported) throws CommandFailedException {
            PrintWriter err = spec.commandLine().getErr();
            if (output.value() == Output.json) {
                err.println(report(imported).toPrettyString());
            } else {
                imported.remarks().forEach(err::println);
            }
            if (strict && !imported.remarks().isEmpty()) {
                throw new CommandFailedException(
                        imported.remarks().size() + " things do not carry over; nothing is written, by --strict");
            }
            if (out == null) {
                spec.commandLine().getOut().print(text(imported, "policy.yaml"));
                spec.commandLine().getOut().flush();
            } else {
                writeFile(text(imported, out.toString()));
            }
            return Headgate.OK;
        }

        private ObjectNode report(ImportedPolicy imported) {
            ObjectNode report = new ObjectMapper().createObjectNode();
            report.put("domain", imported.document().metadata().domain());
            report.put("rules", imported.document().policy().rules().size());
            imported.remarks()
                    .forEach(remark -> report.withArrayProperty("remarks")
                            .addObject()
                            .put("file", remark.file())
                            .put("line", remark.line())
                            .put("place", remark.path())
                            .put("what", remark.what()));
            report.withArrayProperty("remarks");
            return report;
        }

        private void writeFile(String text) throws CommandFailedException {
            try {
                Files.writeString(out, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            } catch (FileAlreadyExistsException e) {
                throw new CommandFailedException(out + ": exists already; name another file with --out");
            } catch (IOException e) {
                throw new CommandFailedException(out + ": cannot be written: " + FileProblem.of(e));
            }
        }

        /** The document as a file of that name, which is read again before anybody relies on it. */
        private static String text(ImportedPolicy imported, String name) throws CommandFailedException {
            try {
                String text = name.toLowerCase(Locale.ROOT).endsWith(".json")
                        ? imported.written().toPrettyString() + "\n"
                        : new ObjectMapper(YAMLFactory.builder()
                                        .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                                        .disable(YAMLGenerator.Feature.SPLIT_LINES)
                                        .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                                        .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                                        .build())
                                .writeValueAsString(imported.written());
                PolicyDocument again = PolicyFile.read(name, text.getBytes(StandardCharsets.UTF_8));
                if (!again.contentHash().equals(imported.document().contentHash())) {
                    throw new IllegalStateException("the policy is read otherwise than it was written: " + name);
                }
                return text;
            } catch (PolicyFileException e) {
                throw new CommandFailedException("the policy that would be written: " + e.getMessage());
            } catch (IOException e) {
                throw new IllegalStateException("a tree can always be written", e);
            }
        }
    }

    /** {@code headgate policy import envoy-ratelimit}. */
    @Command(
            name = "envoy-ratelimit",
            description = "Imports configuration files of envoyproxy/ratelimit.",
            exitCodeListHeading = EXIT_CODES,
            exitCodeList = {WRITTEN, NOT_WRITTEN, WRONG_USAGE})
    static final class EnvoyRatelimit implements Callable<Integer> {

        @Mixin
        private Common common;

        @Option(names = "--merge-domains", description = "lets a domain stand in several files, as that service can")
        private boolean mergesDomains;

        @Override
        public Integer call() throws CommandFailedException {
            return common.write(ImportedPolicy.ofEnvoy(common.files, common.domain, common.buckets(), mergesDomains));
        }
    }

    /** {@code headgate policy import limitador}. */
    @Command(
            name = "limitador",
            description = "Imports files of limits of Limitador.",
            exitCodeListHeading = EXIT_CODES,
            exitCodeList = {WRITTEN, NOT_WRITTEN, WRONG_USAGE})
    static final class Limitador implements Callable<Integer> {

        @Mixin
        private Common common;

        @Override
        public Integer call() throws CommandFailedException {
            return common.write(ImportedPolicy.ofLimitador(common.files, common.domain, common.buckets()));
        }
    }
}
