package io.headgate.tools;

import java.util.List;

/** What a command was asked for cannot be done. The message is for whoever asked: a line a mistake. */
final class CommandFailedException extends Exception {

    private static final long serialVersionUID = 1L;

    CommandFailedException(List<String> lines) {
        super(String.join("\n", lines));
    }

    CommandFailedException(String line) {
        this(List.of(line));
    }
}
