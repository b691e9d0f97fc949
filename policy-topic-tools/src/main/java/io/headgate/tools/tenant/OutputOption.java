package io.headgate.tools.tenant;

import io.headgate.tools.Output;
import picocli.CommandLine.Option;

/** {@code --output}. */
final class OutputOption {

    @Option(
            names = "--output",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, or json; ${DEFAULT-VALUE} if left out")
    private Output output;

    Output value() {
        return output;
    }
}
