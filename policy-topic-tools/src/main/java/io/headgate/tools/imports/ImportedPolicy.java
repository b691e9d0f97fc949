package io.headgate.tools.imports;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.CommandFailedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What files of another rate limiter come to.
 *
 * @param document a policy of version 1
 * @param written the same as somebody would write it: without defaults, the id of a rule first
 * @param remarks what does not carry over, as {@code file:line: place what}
 */
public record ImportedPolicy(PolicyDocument document, ObjectNode written, List<Remark> remarks) {

    /**
     * Something that does not carry over, or not as it was.
     *
     * @param file the file's name
     * @param line from 1
     * @param path where in its document
     * @param what what becomes of it
     */
    public record Remark(String file, int line, String path, String what) {

        @Override
        public String toString() {
            return new Place(file, line, path) + " " + what;
        }
    }

    public ImportedPolicy {
        written = written.deepCopy();
        remarks = List.copyOf(remarks);
    }

    /**
     * Imports configuration files of envoyproxy/ratelimit.
     *
     * @param domain of the policy; empty to take the files', if they have one
     * @param buckets whether limits become token buckets; fixed windows otherwise
     * @param mergesDomains whether a domain may stand in several files
     * @throws CommandFailedException naming every mistake in the files
     */
    public static ImportedPolicy ofEnvoy(
            List<Path> files, Optional<String> domain, boolean buckets, boolean mergesDomains)
            throws CommandFailedException {
        Findings findings = new Findings();
        EnvoyConfiguration configuration = new EnvoyConfiguration(findings, mergesDomains);
        readAll(files, configuration::read, findings);
        PolicyDraft draft = new EnvoyMapping(findings, buckets).map(configuration.domains());
        return of(draft, domain, configuration.domains().keySet(), files, findings);
    }

    /**
     * Imports files of Limitador's limits.
     *
     * @param domain of the policy; empty to take the limits' namespace, if they have one
     * @param buckets whether limits become token buckets; fixed windows otherwise
     * @throws CommandFailedException naming every mistake in the files
     */
    public static ImportedPolicy ofLimitador(List<Path> files, Optional<String> domain, boolean buckets)
            throws CommandFailedException {
        Findings findings = new Findings();
        LimitadorLimits limits = new LimitadorLimits(findings, buckets);
        readAll(files, limits::read, findings);
        return of(limits.map(), domain, limits.namespaces(), files, findings);
    }

    /** Reads a file. */
    @FunctionalInterface
    private interface Reading {
        void read(Path file) throws CommandFailedException;
    }

    /** Reads all that can be read, so that the mistakes of all files are told at once. */
    private static void readAll(List<Path> files, Reading reading, Findings findings) throws CommandFailedException {
        List<String> unreadable = new ArrayList<>();
        for (Path file : files) {
            try {
                reading.read(file);
            } catch (CommandFailedException e) {
                unreadable.add(e.getMessage());
            }
        }
        if (!unreadable.isEmpty()) {
            try {
                findings.throwIfMistaken();
            } catch (CommandFailedException e) {
                unreadable.add(e.getMessage());
            }
            throw new CommandFailedException(unreadable);
        }
        findings.throwIfMistaken();
    }

    private static ImportedPolicy of(
            PolicyDraft draft, Optional<String> given, Set<String> found, List<Path> files, Findings findings)
            throws CommandFailedException {
        if (given.isEmpty() && found.size() != 1) {
            throw new CommandFailedException("the files have "
                    + (found.isEmpty() ? "no domain" : "the domains " + found)
                    + "; say with --domain what the policy's is to be");
        }
        String domain =
                given.orElseGet(() -> new PolicyDraft().idOf(found.iterator().next()));
        ObjectNode document = draft.document(
                domain,
                "Imported from "
                        + String.join(
                                ", ",
                                files.stream()
                                        .map(Path::getFileName)
                                        .map(Path::toString)
                                        .limit(10)
                                        .toList()));
        List<Remark> remarks = findings.remarks().stream()
                .map(one -> new Remark(
                        one.place().file(), one.place().line(), one.place().path(), one.what()))
                .toList();
        try {
            return new ImportedPolicy(PolicyDocument.of(document), document, remarks);
        } catch (InvalidPolicyException e) {
            throw new CommandFailedException(e.problems().stream()
                    .map(problem -> "the policy that would be written: " + problem)
                    .toList());
        }
    }
}
