package io.headgate.tools;

import io.headgate.core.policy.InvalidPolicyException.Problem;
import java.util.List;

/** A file of a policy or of tenants' plans that cannot be used. The message is for whoever wrote the file: a line a mistake, the file in each. */
public final class PolicyFileException extends Exception {

    private static final long serialVersionUID = 1L;

    PolicyFileException(List<String> lines) {
        super(String.join("\n", lines));
    }

    PolicyFileException(String file, List<Problem> problems) {
        this(problems.stream().map(problem -> file + ": " + problem).toList());
    }

    PolicyFileException(String line) {
        this(List.of(line));
    }
}
