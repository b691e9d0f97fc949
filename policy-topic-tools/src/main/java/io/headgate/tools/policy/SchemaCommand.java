package io.headgate.tools.policy;

import io.headgate.schemas.policy.DocumentSchema;
import io.headgate.tools.Headgate;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy schema}: what editors need to complete and check documents while they are written. */
@Command(
        name = "schema",
        description = {
            "Prints the JSON Schema of a kind of document, for completion in an editor.",
            "An editor finds out at once what a schema can know; policy validate finds the rest."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:printed", "2:wrong usage"},
        footerHeading = "%nExample:%n",
        footer = {
            "  headgate policy schema > policy.schema.json",
            "  and as the first line of a policy: # yaml-language-server: $schema=policy.schema.json"
        })
final class SchemaCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "KIND",
            arity = "0..1",
            defaultValue = "policy",
            description = "policy, tenants or keys; ${DEFAULT-VALUE} if left out")
    private DocumentSchema kind;

    @Override
    public Integer call() {
        spec.commandLine().getOut().print(kind.text());
        spec.commandLine().getOut().flush();
        return Headgate.OK;
    }
}
