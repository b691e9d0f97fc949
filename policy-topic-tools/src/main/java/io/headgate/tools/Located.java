package io.headgate.tools;

import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.schemas.policy.DocumentLines;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;

/**
 * A document that was read from a file, and where in it everything stands.
 *
 * @param document what was read
 * @param lines the lines of its places
 */
public record Located<T>(T document, DocumentLines lines) {

    /** What is to be said about places of the document, in the order of the file. */
    public List<Finding> findings(List<Problem> problems) {
        return findings(problems, lines);
    }

    static List<Finding> findings(List<Problem> problems, DocumentLines lines) {
        return problems.stream()
                .map(problem ->
                        new Finding(OptionalInt.of(lines.lineOf(problem.place())), problem.place(), problem.what()))
                .sorted(Comparator.comparingInt(finding -> finding.line().getAsInt()))
                .toList();
    }
}
