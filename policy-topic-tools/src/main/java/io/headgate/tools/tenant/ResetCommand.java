package io.headgate.tools.tenant;

import io.headgate.core.account.Action;
import io.headgate.tools.Surroundings;
import picocli.CommandLine.Command;

/** {@code headgate tenant reset}. */
@Command(
        name = "reset",
        description = {
            "Forgets what one counter of a rule has spent.",
            "Name all that the rule counts by: a user, if it counts by user."
        },
        exitCodeListHeading = TenantCommand.EXIT_CODES,
        exitCodeList = {TenantCommand.WRITTEN, TenantCommand.NOT_WRITTEN, TenantCommand.WRONG_USAGE},
        footerHeading = "%nExamples:%n",
        footer = {
            "  headgate tenant reset atlas --rule P-TENANT --author ann --reason 'their bug, our fault' \\",
            "    --bootstrap-servers kafka:9092",
            "  headgate tenant reset atlas --rule P-READ --user U-17 --pseudonym-secret-file gateway.secret …"
        })
final class ResetCommand extends CounterCommand {

    ResetCommand(Surroundings surroundings) {
        super("reset", surroundings);
    }

    @Override
    Action.Effect effect(String rule) {
        return new Action.Reset(rule);
    }
}
