package io.headgate.tools.tenant;

import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.Addresses;
import io.headgate.schemas.Pseudonyms;
import io.headgate.tools.Surroundings;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Whose account a command is about: a tenant's, or before anybody is known an address's or a login name's. */
final class Holder {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Parameters(
            paramLabel = "TENANT",
            arity = "0..1",
            description = "the tenant; left out, it is about an address or a login name in the stage of its own")
    private String tenant = "";

    @Option(
            names = "--ip",
            paramLabel = "ADDRESS",
            description = "an address; - reads it from standard input, as for the other identifiers")
    private String ip = "";

    @Option(names = "--ip-pseudonym", paramLabel = "HEX", description = "what the gateways have made of an address")
    private String ipPseudonym = "";

    @Option(
            names = "--ip-v4-prefix",
            paramLabel = "BITS",
            defaultValue = "32",
            description =
                    "how much of an IPv4 address counts: the gateways' ip.v4.prefix; ${DEFAULT-VALUE} if left out")
    private int v4PrefixBits;

    @Option(
            names = "--ip-v6-prefix",
            paramLabel = "BITS",
            defaultValue = "64",
            description =
                    "how much of an IPv6 address counts: the gateways' ip.v6.prefix; ${DEFAULT-VALUE} if left out")
    private int v6PrefixBits;

    @Option(names = "--target", paramLabel = "NAME", description = "the name that somebody tries to log in to")
    private String target = "";

    @Option(names = "--target-pseudonym", paramLabel = "HEX", description = "what the gateways have made of it")
    private String targetPseudonym = "";

    @Option(
            names = "--pseudonym-secret-file",
            paramLabel = "FILE",
            description = "the secret of the gateways, needed for identifiers; they are neither sent nor shown")
    private Path secretFile;

    /** The stage in which the account is. */
    Stage stage() {
        boolean hasIp = !ip.isEmpty() || !ipPseudonym.isEmpty();
        boolean hasTarget = !target.isEmpty() || !targetPseudonym.isEmpty();
        if (!tenant.isEmpty()) {
            if (hasTarget) {
                throw wrong("--target is for a login name, which is no tenant's; leave TENANT out");
            }
            return Stage.TENANT;
        }
        if (hasIp == hasTarget) {
            throw wrong(
                    hasIp
                            ? "give --ip or --target, not both: each has an account of its own"
                            : "Missing required parameter: 'TENANT', or one of --ip and --target");
        }
        return hasIp ? Stage.IP : Stage.TARGET;
    }

    boolean namesAddressOfTenant() {
        return stage() == Stage.TENANT && (!ip.isEmpty() || !ipPseudonym.isEmpty());
    }

    /** The account alone, without a user or a key. */
    Identity identity(Surroundings surroundings) {
        return identity(surroundings, "", "");
    }

    Identity identity(Surroundings surroundings, String user, String apiKey) {
        stage();
        Pseudonym names = pseudonym(surroundings);
        try {
            return new Identity(
                    tenant,
                    user,
                    apiKey,
                    names.of("--ip", ip, ipPseudonym, (secret, raw) -> secret.ip(counted(raw))),
                    names.of("--target", target, targetPseudonym, Pseudonyms::target));
        } catch (IllegalArgumentException tooLong) {
            throw wrong("Invalid value for TENANT: " + tooLong.getMessage());
        }
    }

    Pseudonym pseudonym(Surroundings surroundings) {
        return new Pseudonym(spec, surroundings, secretFile);
    }

    private String counted(String address) {
        try {
            return new Addresses(v4PrefixBits, v6PrefixBits).counted(address);
        } catch (IllegalArgumentException e) {
            throw wrong("Invalid value for --ip: " + e.getMessage());
        }
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
