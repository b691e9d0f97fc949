package io.headgate.tools;

import picocli.CommandLine.Option;

/** {@code --output}. */
public final class OutputOption {

    @Option(
            names = "--output",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, or json; ${DEFAULT-VALUE} if left out")
    private Output output;

    public Output value() {
        return output;
    }
}
