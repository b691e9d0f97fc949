package io.headgate.tools;

import java.util.List;
import java.util.stream.Collectors;

/** A file of a policy or of tenants' plans that cannot be used. The message is for whoever wrote the file: a line a mistake, the file in each. */
public final class PolicyFileException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient List<Finding> findings;

    PolicyFileException(String file, List<Finding> findings) {
        super(findings.stream().map(finding -> finding.in(file)).collect(Collectors.joining("\n")));
        this.findings = List.copyOf(findings);
    }

    PolicyFileException(String file, Finding finding) {
        this(file, List.of(finding));
    }

    /** Every mistake, in the order of the file. */
    public List<Finding> findings() {
        return findings;
    }
}
