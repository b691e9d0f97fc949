package io.headgate.tools;

import java.util.List;

/** What a command was asked for cannot be done. The message is for whoever asked: a line a mistake. */
public final class CommandFailedException extends Exception {

    private static final long serialVersionUID = 1L;

    public CommandFailedException(List<String> lines) {
        super(String.join("\n", lines));
    }

    public CommandFailedException(String line) {
        this(List.of(line));
    }
}
