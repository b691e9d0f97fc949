package io.headgate.tools.policy;

import io.headgate.schemas.policy.TrustedKeysDocument;
import io.headgate.schemas.trust.Permission;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.schemas.trust.TrustedKey;
import io.headgate.schemas.trust.TrustedKeys;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.FileProblem;
import io.headgate.tools.Headgate;
import io.headgate.tools.OutputOption;
import io.headgate.tools.PolicyFileException;
import io.headgate.tools.TrustedKeysFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy keys}: the keys that sign policies, and those that readers trust. */
@Command(
        name = "keys",
        description = "Makes keys that sign policies, and shows the keys that readers trust.",
        subcommands = {KeysCommand.New.class, KeysCommand.Show.class})
final class KeysCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return Headgate.WRONG_USAGE;
    }

    /** {@code headgate policy keys new}. */
    @Command(
            name = "new",
            description = {
                "Makes a key, writes the private one to a file for its owner only, and prints a document of trusted keys",
                "with the public one. A file that is there is never written over."
            },
            exitCodeListHeading = PolicyCommand.EXIT_CODES,
            exitCodeList = {"0:made", "1:the file is there already or cannot be written", "2:wrong usage"},
            footerHeading = "%nExample:%n",
            footer = {"  headgate policy keys new --id ann-2027 --owner ann --out ann.key > trusted-keys.json"})
    static final class New implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @Option(names = "--id", paramLabel = "ID", required = true, description = "what readers will know the key by")
        private String id;

        @Option(names = "--owner", paramLabel = "NAME", description = "who holds it, for people")
        private String owner = "";

        @Option(
                names = "--may",
                paramLabel = "WHAT",
                split = ",",
                description = "what it may do: publish, approve, plan, override, ban, credit; publish if left out")
        private List<String> may = List.of("publish");

        @Option(names = "--out", paramLabel = "FILE", required = true, description = "where to write the private key")
        private Path out;

        @Override
        public Integer call() throws CommandFailedException {
            Set<Permission> permissions = permissions();
            try {
                SigningKey.Pair pair = SigningKey.newPair(id);
                pair.signingKey().write(out);
                TrustedKey trusted = new TrustedKey(
                        id,
                        pair.publicKey(),
                        owner,
                        new TreeSet<>(),
                        permissions,
                        new TreeSet<>(),
                        TrustedKey.FOR_EVER);
                spec.commandLine()
                        .getOut()
                        .println(TrustedKeysDocument.written(new TrustedKeys(List.of(trusted)))
                                .toPrettyString());
                return Headgate.OK;
            } catch (IllegalArgumentException wrong) {
                throw new ParameterException(spec.commandLine(), "Invalid value for --id: " + wrong.getMessage());
            } catch (FileAlreadyExistsException there) {
                throw new CommandFailedException(out + " is there already; a key is never written over");
            } catch (IOException e) {
                throw new CommandFailedException(out + " cannot be written: " + FileProblem.of(e));
            }
        }

        private Set<Permission> permissions() {
            Set<Permission> permissions = EnumSet.noneOf(Permission.class);
            for (String label : may) {
                permissions.add(Permission.labelled(label)
                        .orElseThrow(() -> new ParameterException(
                                spec.commandLine(),
                                "Invalid value for --may: '" + label + "' is not one of "
                                        + Arrays.stream(Permission.values())
                                                .map(Permission::label)
                                                .toList())));
            }
            return permissions;
        }
    }

    /** {@code headgate policy keys show}. */
    @Command(
            name = "show",
            description = "Shows what a document of trusted keys says, and whether readers could use it.",
            exitCodeListHeading = PolicyCommand.EXIT_CODES,
            exitCodeList = {"0:shown", "1:the file cannot be used; stderr says why", "2:wrong usage"})
    static final class Show implements Callable<Integer> {

        private static final String ROW = "%-24s %-18s %-24s %-24s %-22s %s%n";

        @Spec
        private CommandSpec spec;

        @Parameters(paramLabel = "FILE", description = "a document of trusted keys, YAML or JSON")
        private Path file;

        @Mixin
        private OutputOption output;

        @Override
        public Integer call() throws CommandFailedException {
            try {
                TrustedKeys keys = TrustedKeysFile.read(file);
                switch (output.value()) {
                    case json -> spec.commandLine().getOut().println(TrustedKeysDocument.written(keys));
                    case table -> printTable(keys);
                }
                return Headgate.OK;
            } catch (PolicyFileException unusable) {
                throw new CommandFailedException(unusable.getMessage().lines().toList());
            }
        }

        private void printTable(TrustedKeys keys) {
            spec.commandLine().getOut().printf(ROW, "ID", "MAY", "DOMAINS", "PLANS", "UNTIL", "OWNER");
            for (TrustedKey key : keys.keys()) {
                spec.commandLine()
                        .getOut()
                        .printf(
                                ROW,
                                key.id(),
                                String.join(
                                        ",",
                                        key.may().stream()
                                                .map(Permission::label)
                                                .toList()),
                                key.domains().isEmpty() ? "all" : String.join(",", key.domains()),
                                key.plans().isEmpty() ? "all" : String.join(",", key.plans()),
                                key.untilMillis() == TrustedKey.FOR_EVER
                                        ? "-"
                                        : Instant.ofEpochMilli(key.untilMillis()),
                                key.owner());
            }
            spec.commandLine().getOut().flush();
        }
    }
}
