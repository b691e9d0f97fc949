package io.headgate.tools.tenant;

import io.headgate.core.account.Action;
import io.headgate.tools.Surroundings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code headgate tenant credit}. */
@Command(
        name = "credit",
        description = {
            "Gives tokens back to one counter of a rule, never beyond its limit.",
            "Name all that the rule counts by: a user, if it counts by user."
        },
        exitCodeListHeading = TenantCommand.EXIT_CODES,
        exitCodeList = {TenantCommand.WRITTEN, TenantCommand.NOT_WRITTEN, TenantCommand.WRONG_USAGE},
        footerHeading = "%nExamples:%n",
        footer = {
            "  headgate tenant credit atlas --rule P-TENANT --tokens 500 --author ann --reason 'failed exports' \\",
            "    --bootstrap-servers kafka:9092"
        })
final class CreditCommand extends CounterCommand {

    @Option(names = "--tokens", paramLabel = "N", required = true, description = "how many, 1 to 10^12")
    private long tokens;

    CreditCommand(Surroundings surroundings) {
        super("credit", surroundings);
    }

    @Override
    Action.Effect effect(String rule) {
        return new Action.Credit(rule, tokens);
    }
}
