package io.headgate.tools.tenant;

import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.Pseudonyms;
import io.headgate.tools.Surroundings;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A user or an API key of a tenant. */
final class Member {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--user", paramLabel = "USER", description = "a user of the tenant")
    private String user = "";

    @Option(names = "--user-pseudonym", paramLabel = "HEX", description = "what the gateways have made of a user")
    private String userPseudonym = "";

    @Option(
            names = "--api-key",
            paramLabel = "KEY",
            description = "a key of the tenant; - keeps it out of the list of processes")
    private String apiKey = "";

    @Option(names = "--api-key-pseudonym", paramLabel = "HEX", description = "what the gateways have made of a key")
    private String apiKeyPseudonym = "";

    /** The holder with the member that is named, if any. */
    Identity of(Holder holder, Surroundings surroundings) {
        Pseudonym names = holder.pseudonym(surroundings);
        String userName = names.of("--user", user, userPseudonym, Pseudonyms::user);
        String keyName = names.of("--api-key", apiKey, apiKeyPseudonym, Pseudonyms::apiKey);
        if (holder.stage() != Stage.TENANT && !(userName.isEmpty() && keyName.isEmpty())) {
            throw new ParameterException(
                    spec.commandLine(), "--user and --api-key name a part of a tenant; TENANT is missing");
        }
        return holder.identity(surroundings, userName, keyName);
    }
}
