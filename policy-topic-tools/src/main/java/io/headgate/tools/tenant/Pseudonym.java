package io.headgate.tools.tenant;

import io.headgate.schemas.Pseudonyms;
import io.headgate.tools.FileProblem;
import io.headgate.tools.Surroundings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Turns what an operator knows of somebody into what topics may know: the identifier goes through the gateways' secret,
 * or its pseudonym is given. The identifier itself is never shown.
 */
final class Pseudonym {

    /** What stands for an identifier that is to be read from standard input. */
    static final String FROM_INPUT = "-";

    private static final Pattern HEX = Pattern.compile("[0-9a-f]{" + Pseudonyms.LENGTH + "}");

    private final CommandSpec spec;
    private final Surroundings surroundings;
    private final Path secretFile;

    Pseudonym(CommandSpec spec, Surroundings surroundings, Path secretFile) {
        this.spec = spec;
        this.surroundings = surroundings;
        this.secretFile = secretFile;
    }

    /**
     * The pseudonym; empty if nothing is given.
     *
     * @param option names the option with the identifier; {@code option-pseudonym} is the other
     * @param raw the identifier, or empty
     * @param pseudonym what it has become already, or empty
     * @param make one of the makers of {@link Pseudonyms}
     */
    String of(String option, String raw, String pseudonym, BiFunction<Pseudonyms, String, String> make) {
        if (!raw.isEmpty() && !pseudonym.isEmpty()) {
            throw wrong("give " + option + " or " + option + "-pseudonym, not both");
        }
        if (!pseudonym.isEmpty() && !HEX.matcher(pseudonym).matches()) {
            throw wrong("Invalid value for " + option + "-pseudonym: it must be " + Pseudonyms.LENGTH
                    + " lower-case hexadecimal digits; what is there is not shown, it may be an identifier");
        }
        if (raw.isEmpty()) {
            return pseudonym;
        }
        if (secretFile == null) {
            throw wrong(option + " needs --pseudonym-secret-file, the secret of the gateways; or give " + option
                    + "-pseudonym");
        }
        String identifier = raw.equals(FROM_INPUT) ? input(option) : raw;
        return make.apply(new Pseudonyms(secret()), identifier);
    }

    private String input(String option) {
        try {
            String line =
                    new BufferedReader(new InputStreamReader(surroundings.in(), StandardCharsets.UTF_8)).readLine();
            if (line == null || line.isBlank()) {
                throw wrong(option + " is -, and there is no line on standard input");
            }
            return line.strip();
        } catch (IOException e) {
            throw wrong(option + " is -, and standard input cannot be read: " + FileProblem.of(e));
        }
    }

    private byte[] secret() {
        try {
            byte[] secret = HexFormat.of().parseHex(Files.readString(secretFile).strip());
            if (secret.length >= Pseudonyms.MIN_SECRET_LENGTH) {
                return secret;
            }
        } catch (IOException e) {
            throw wrong("Invalid value for --pseudonym-secret-file: " + secretFile + " cannot be read: "
                    + FileProblem.of(e));
        } catch (IllegalArgumentException notHex) {
            // Said below, without the text.
        }
        throw wrong("Invalid value for --pseudonym-secret-file: " + secretFile + " must hold "
                + 2 * Pseudonyms.MIN_SECRET_LENGTH
                + " hexadecimal digits or more, an even number; what it holds is secret and not shown");
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
