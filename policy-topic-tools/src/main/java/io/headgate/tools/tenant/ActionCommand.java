package io.headgate.tools.tenant;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.tools.Attribution;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.Surroundings;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the commands have in common that write an action. */
abstract class ActionCommand implements Callable<Integer> {

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    final Surroundings surroundings;

    @Spec
    CommandSpec spec;

    @Mixin
    private Connection connection;

    @Mixin
    private Attribution attribution;

    @Option(
            names = "--id",
            paramLabel = "ID",
            description = "names the action, so that repeating the command does nothing more; made up if left out")
    private String id;

    @Mixin
    private RecordSigning signing;

    @Mixin
    private OutputOption output;

    private RecordSigning.Signer signer;

    ActionCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /**
     * Does the command's own part.
     *
     * @param cluster where to look up what is needed
     * @param nowMillis what a duration begins with
     */
    abstract void act(Cluster cluster, long nowMillis) throws CommandFailedException;

    /** Reports wrong usage that needs no cluster to be found. */
    abstract void checkUsage(long nowMillis);

    @Override
    public final Integer call() throws CommandFailedException {
        long nowMillis = surroundings.nowMillis();
        if (id != null && !ID.matcher(id).matches()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for --id: it must be 1 to 64 letters, digits, dots, hyphens and underscores");
        }
        attribution.author();
        attribution.reason();
        signing.checkUsage();
        checkUsage(nowMillis);
        try (Cluster cluster = connection.open(surroundings)) {
            signer = signing.signer(cluster);
            act(cluster, nowMillis);
        }
        return Headgate.OK;
    }

    /** The action, with what was said of who and why. */
    final Action action(String kind, Subject subject, Action.Effect effect, long nowMillis) {
        String named = id == null ? ActionId.next(kind, nowMillis, surroundings.random()) : id;
        try {
            return new Action(named, attribution.author(), attribution.reason(), subject, effect);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    /** Writes the action unless it was written before, and says so. */
    final void write(ActionTopic topic, Action action) throws CommandFailedException {
        Optional<PlacedAction> before = id == null ? Optional.empty() : topic.namesake(action);
        if (before.isPresent() && !repeats(action, before.get().action())) {
            throw new CommandFailedException(
                    "--id is '" + id + "', and " + before.get().place()
                            + " has another action of that id: it "
                            + ActionWords.what(before.get().action())
                            + "; choose another id");
        }
        Place place = before.isPresent() ? before.get().place() : topic.write(action, signer, surroundings.nowMillis());
        print(before.map(PlacedAction::action).orElse(action), place, before.isPresent());
    }

    /** Ends may differ: "for two hours" is later when it is said again. */
    private static boolean repeats(Action action, Action before) {
        return action.subject().equals(before.subject())
                && withoutEnd(action.effect()).equals(withoutEnd(before.effect()));
    }

    private static Action.Effect withoutEnd(Action.Effect effect) {
        if (effect instanceof Action.LimitOverride override) {
            return new Action.LimitOverride(override.ruleId(), override.limit(), 1);
        }
        return effect instanceof Action.Ban ban ? new Action.Ban(ban.scope(), 1) : effect;
    }

    private void print(Action action, Place place, boolean before) {
        PrintWriter out = spec.commandLine().getOut();
        if (output.value() == Output.json) {
            ObjectNode json = ActionWords.json(action);
            json.put("topic", place.topic()).put("partition", place.partition()).put("offset", place.offset());
            out.println(json.put("writtenBefore", before));
            return;
        }
        String end = ActionTopic.endOf(action).isPresent()
                ? " until " + Instant.ofEpochMilli(ActionTopic.endOf(action).getAsLong())
                : "";
        out.println(action.id() + " " + ActionWords.what(action) + end);
        out.println((before ? "written before to " : "written to ") + place);
    }
}
