package io.headgate.tools.explain;

import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Trace;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.FileProblem;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TrustOption;
import io.headgate.tools.explain.Explanation.Source;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate explain}: how a decision came about. */
@Command(
        name = "explain",
        description = {
            "Draws how a decision came about: what was asked, each rule with its numbers, under which policy.",
            "From its trace; or, if there is none, from the log folded again, which needs --control-keys; or else the request"
                    + " alone."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:shown, also if it is the request alone",
            "1:there is no such decision, or the cluster refuses or does not answer",
            "2:wrong usage"
        },
        footerHeading = "%nMore in docs/explain.md.%n",
        footer = "")
public final class ExplainCommand implements Callable<Integer> {

    private final Surroundings surroundings;
    private final int maxEntries;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DECISION_ID", description = "shard-offset-index, as an answer has it, such as 3-1042-0")
    private String decisionId;

    @Option(
            names = "--control-keys",
            paramLabel = "FILE",
            description = "the processors' control keys, with which the control records of the log are authenticated")
    private Path controlKeys;

    @Mixin
    private TrustOption trust;

    @Mixin
    private Connection connection;

    @Mixin
    private OutputOption output;

    public ExplainCommand(Surroundings surroundings) {
        this(surroundings, Refold.MAX_ENTRIES);
    }

    ExplainCommand(Surroundings surroundings, int maxEntries) {
        this.surroundings = surroundings;
        this.maxEntries = maxEntries;
    }

    @Override
    public Integer call() throws CommandFailedException {
        DecisionId id = id();
        Optional<ControlKeys> keys = keys();
        try (Cluster cluster = connection.open(surroundings)) {
            Explanation explanation = explain(cluster, id, keys);
            if (output.value() == Output.json) {
                spec.commandLine().getOut().println(explanation.json().toPrettyString());
            } else {
                explanation.print(spec.commandLine().getOut());
            }
        }
        return Headgate.OK;
    }

    private Explanation explain(Cluster cluster, DecisionId id, Optional<ControlKeys> keys)
            throws CommandFailedException {
        List<String> notes = new ArrayList<>();
        Place.Standing place = Place.read(cluster, id).standing();
        Optional<String> partitionKey = place instanceof Place.Request request
                ? Optional.of(request.ask().admission().partitionKey())
                : Optional.empty();
        Optional<Trace> found = trace(cluster, id, partitionKey, notes);
        Optional<Refold.Result> folded = found.isPresent() ? Optional.empty() : fold(cluster, id, place, keys, notes);
        Optional<Trace> trace = found.or(() -> folded.flatMap(Refold.Result::trace));
        Source source = found.isPresent() ? Source.TRACE : folded.isPresent() ? Source.FOLD : Source.REQUEST;
        if (source == Source.REQUEST && place instanceof Place.Gone gone) {
            throw new CommandFailedException("nothing is known of decision " + id
                    + ": there is no trace of it, and the log of shard " + id.shard() + " begins at offset "
                    + gone.beginsAt());
        }
        long version = trace.map(Trace::policyVersion)
                .or(() -> folded.map(result -> result.decision().policyVersion()))
                .orElse(0L);
        Optional<Origin> origin = origin(cluster, version, notes);
        return new Explanation(id, source, place, trace, folded.map(Refold.Result::decision), origin, notes);
    }

    private static Optional<Trace> trace(
            Cluster cluster, DecisionId id, Optional<String> partitionKey, List<String> notes) {
        try {
            Optional<Trace> trace = TraceSearch.find(cluster, id, partitionKey);
            if (trace.isEmpty()) {
                notes.add("there is no trace of it: denials are traced up to a number a second, few others are, and"
                        + " traces do not stay for ever");
            }
            return trace;
        } catch (CommandFailedException e) {
            notes.add("its trace could not be looked for: " + e.getMessage());
            return Optional.empty();
        }
    }

    private Optional<Refold.Result> fold(
            Cluster cluster, DecisionId id, Place.Standing place, Optional<ControlKeys> keys, List<String> notes)
            throws CommandFailedException {
        if (place instanceof Place.Gone) {
            return Optional.empty();
        }
        long beginsAt = cluster.offsetAt(TopicCatalogue.ADMISSION_REQUESTS, id.shard(), 0);
        if (beginsAt > 0) {
            notes.add("the log of shard " + id.shard() + " begins at offset " + beginsAt
                    + ", so it cannot be folded again from its beginning");
            return Optional.empty();
        }
        if (keys.isEmpty()) {
            notes.add("the log is whole and can be folded again: give the processors' --control-keys");
            return Optional.empty();
        }
        try (FoldProgress progress = new FoldProgress(spec.commandLine().getErr(), id.offset())) {
            return Optional.of(Refold.run(cluster, id, keys.get(), maxEntries, progress));
        } catch (CommandFailedException e) {
            notes.add("the log could not be folded again: " + e.getMessage());
            return Optional.empty();
        }
    }

    private Optional<Origin> origin(Cluster cluster, long version, List<String> notes) {
        if (version == 0) {
            return Optional.empty();
        }
        try {
            Optional<Origin> origin = Origin.find(cluster, trust.trust(), version);
            if (origin.isEmpty()) {
                notes.add("policy version " + version + " is not on the topic of policies");
            }
            return origin;
        } catch (CommandFailedException e) {
            notes.add("who published the policy could not be looked for: " + e.getMessage());
            return Optional.empty();
        }
    }

    private DecisionId id() {
        try {
            return DecisionId.parse(decisionId);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "Invalid value for DECISION_ID: " + e.getMessage());
        }
    }

    private Optional<ControlKeys> keys() {
        if (controlKeys == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(ControlKeys.read(controlKeys));
        } catch (UncheckedIOException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for --control-keys: " + controlKeys + " cannot be read: "
                            + FileProblem.of(e.getCause()));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "Invalid value for --control-keys: " + e.getMessage());
        }
    }

    /** How far the log has been folded, on stderr where somebody watches. */
    private static final class FoldProgress implements LongConsumer, AutoCloseable {

        private final PrintWriter err;
        private final long lastOffset;
        private final boolean watched = Boolean.getBoolean("headgate.watched");
        private long shownPercent = -1;

        FoldProgress(PrintWriter err, long lastOffset) {
            this.err = err;
            this.lastOffset = lastOffset;
        }

        @Override
        public void accept(long offset) {
            long percent = lastOffset == 0 ? 100 : offset * 100 / lastOffset;
            if (watched && percent != shownPercent) {
                shownPercent = percent;
                err.print("\rfolding the log: " + percent + " %");
                err.flush();
            }
        }

        @Override
        public void close() {
            if (shownPercent >= 0) {
                err.println();
            }
        }
    }
}
