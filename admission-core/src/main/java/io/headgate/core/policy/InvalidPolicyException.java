package io.headgate.core.policy;

import java.util.List;
import java.util.stream.Collectors;

/** A policy that is not one, with every mistake found in it. */
public final class InvalidPolicyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    /** Where in the document, and what is wrong with what stands there. */
    public record Problem(String place, String what) {
        @Override
        public String toString() {
            return place + " " + what;
        }
    }

    public InvalidPolicyException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("; ")));
        this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
        return problems;
    }
}
