package io.headgate.tools;

import java.util.List;

/** A policy file that cannot be used. The message is for whoever wrote the file: a line a mistake, the file in each. */
public final class PolicyFileException extends Exception {

    private static final long serialVersionUID = 1L;

    PolicyFileException(List<String> lines) {
        super(String.join("\n", lines));
    }

    PolicyFileException(String line) {
        this(List.of(line));
    }
}
