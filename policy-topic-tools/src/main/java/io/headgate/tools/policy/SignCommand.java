package io.headgate.tools.policy;

import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.SealedPolicy;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.FileProblem;
import io.headgate.tools.Headgate;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy sign}. */
@Command(
        name = "sign",
        description = {
            "Signs a policy and writes it with its signature, ready for 'policy publish'.",
            "A policy that is sealed already gets another signature, and keeps its author and reason."
        },
        exitCodeListHeading = PolicyCommand.EXIT_CODES,
        exitCodeList = {
            "0:signed",
            "1:the policy, the key or the output cannot be used; stderr says why",
            "2:wrong usage"
        },
        footerHeading = "%nExample:%n",
        footer = {
            "  headgate policy sign my.policy.yaml --key ann.key --author ann --reason 'spring sale' --out my.sealed.json"
        })
final class SignCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "a policy, YAML or JSON, or a sealed one")
    private Path file;

    @Option(names = "--key", paramLabel = "FILE", required = true, description = "the private key to sign with")
    private Path keyFile;

    @Option(names = "--key-id", paramLabel = "ID", description = "what readers know the key by; the key file says it")
    private String keyId;

    @Option(names = "--author", paramLabel = "NAME", description = "who publishes it; may stand in the file instead")
    private String author;

    @Option(names = "--reason", paramLabel = "TEXT", description = "why; may stand in the file instead")
    private String reason;

    @Option(names = "--out", paramLabel = "FILE", description = "where to write it; standard output if left out")
    private Path out;

    @Override
    public Integer call() throws CommandFailedException {
        try {
            SealedPolicy sealed = read();
            SigningKey key = keyId == null ? SigningKey.read(keyFile) : SigningKey.read(keyFile, keyId);
            write(sealed.with(key.sign(sealed.document())).toBytes());
            return Headgate.OK;
        } catch (IllegalArgumentException unusable) {
            throw new CommandFailedException(unusable.getMessage());
        }
    }

    private SealedPolicy read() throws CommandFailedException {
        SealedPolicy given = PolicyText.read(file);
        if (!given.signatures().isEmpty()) {
            if (author != null || reason != null) {
                throw new ParameterException(
                        spec.commandLine(),
                        file + " is sealed: its author and reason are signed, and cannot be changed");
            }
            return given;
        }
        PolicyDocument draft = given.document();
        PolicyDocument.Metadata metadata = draft.metadata();
        PolicyDocument document = draft.as(
                metadata.version(),
                needed("--author", author, metadata.author()),
                needed("--reason", reason, metadata.reason()));
        return new SealedPolicy(document, List.of());
    }

    private String needed(String option, String given, String inFile) {
        String text = given == null ? inFile : given;
        if (text.isBlank()) {
            throw new ParameterException(
                    spec.commandLine(), "Missing required option: '" + option + "', unless the file says it");
        }
        return text;
    }

    private void write(byte[] sealed) throws CommandFailedException {
        if (out == null) {
            spec.commandLine().getOut().print(new String(sealed, StandardCharsets.UTF_8));
            spec.commandLine().getOut().flush();
            return;
        }
        try {
            Files.write(out, sealed);
        } catch (IOException e) {
            throw new CommandFailedException(out + " cannot be written: " + FileProblem.of(e));
        }
    }
}
