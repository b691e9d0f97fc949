package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.schemas.PolicyStatus;
import io.headgate.tools.BadLine;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.PolicyVersions;
import io.headgate.tools.PolicyVersions.Entry;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TrustOption;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headgate policy status}. */
@Command(
        name = "status",
        description = {
            "Shows which version every shard and every gateway goes by: for everybody, for some, and which one waits for"
                    + " its time."
        },
        exitCodeListHeading = PolicyCommand.EXIT_CODES,
        exitCodeList = {
            "0:everybody has the newest version",
            "1:the cluster refuses or does not answer",
            "2:wrong usage",
            "3:somebody has not, or says nothing"
        })
final class StatusCommand implements Callable<Integer> {

    private static final String ROW = "%-32s  %7s  %10s  %7s  %7s  %-8s  %s";
    private static final int LONGEST_NAME = 32;
    private static final int LONGEST_PROCESS = 64;

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Mixin
    private TrustOption trust;

    @Mixin
    private Connection connection;

    @Mixin
    private OutputOption output;

    StatusCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        PrintWriter out = spec.commandLine().getOut();
        try (Cluster cluster = connection.open(surroundings)) {
            Optional<Entry> newest = PolicyVersions.read(cluster, trust.trust()).newest();
            Fleet.Wanted wanted = newest.map(entry -> new Fleet.Wanted(entry.offset(), entry.version()))
                    .orElse(new Fleet.Wanted(-1, 0));
            Fleet fleet = new Fleet(cluster);
            fleet.look();
            long nowMillis = surroundings.nowMillis();
            boolean lagging = !fleet.lacking(wanted, nowMillis).isEmpty()
                    || fleet.members().stream().anyMatch(member -> member.isShard() && member.isGone(nowMillis));
            if (output.value() == Output.json) {
                out.println(json(newest, fleet.members(), wanted, nowMillis, lagging)
                        .toPrettyString());
            } else {
                print(newest, fleet.members(), wanted, nowMillis, out);
            }
            return lagging ? PolicyCommand.LAGGING : Headgate.OK;
        }
    }

    private static void print(
            Optional<Entry> newest, List<Fleet.Member> members, Fleet.Wanted wanted, long nowMillis, PrintWriter out) {
        out.println(newest.map(entry -> "newest is " + entry.told() + ", "
                        + VersionText.activation(entry.document().policy().activation()))
                .orElse("there is no version yet"));
        out.println(
                String.format(Locale.ROOT, ROW, "WHO", "VERSION", "ROLLED OUT", "PENDING", "AGE", "STATE", "PROCESS"));
        for (Fleet.Member member : members) {
            out.println(row(member, wanted, nowMillis));
            if (member.needs(wanted, nowMillis)) {
                out.println("    " + member.why(wanted, nowMillis));
            } else {
                member.status()
                        .filter(status -> status.refusedSource() > status.source())
                        .ifPresent(status -> out.println("    refused the record at offset " + status.refusedSource()
                                + ": " + BadLine.shown(status.refusal(), VersionText.LONGEST_REASON)));
            }
        }
    }

    private static String row(Fleet.Member member, Fleet.Wanted wanted, long nowMillis) {
        Optional<PolicyStatus> status = member.status();
        return String.format(
                Locale.ROOT,
                ROW,
                BadLine.shown(member.reporter(), LONGEST_NAME),
                status.map(it -> number(it.version())).orElse("-"),
                status.map(it -> number(it.rolledOut())).orElse("-"),
                status.map(it -> number(it.pending())).orElse("-"),
                status.map(it -> (nowMillis - it.atMillis()) / 1_000 + " s").orElse("-"),
                state(member, wanted, nowMillis),
                status.map(it -> BadLine.shown(it.process(), LONGEST_PROCESS)).orElse("-"));
    }

    private static String number(long version) {
        return version == 0 ? "-" : Long.toString(version);
    }

    private static String state(Fleet.Member member, Fleet.Wanted wanted, long nowMillis) {
        if (member.status().isEmpty()) {
            return "silent";
        }
        if (member.isGone(nowMillis)) {
            return "gone";
        }
        return member.has(wanted) ? "current" : "behind";
    }

    private static ObjectNode json(
            Optional<Entry> newest, List<Fleet.Member> members, Fleet.Wanted wanted, long nowMillis, boolean lagging) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        newest.ifPresent(entry -> json.set("newest", VersionText.json(entry)));
        json.put("allCurrent", !lagging);
        ArrayNode all = json.putArray("members");
        for (Fleet.Member member : members) {
            ObjectNode one =
                    all.addObject().put("reporter", member.reporter()).put("state", state(member, wanted, nowMillis));
            member.status()
                    .ifPresent(status -> one.put("process", status.process())
                            .put("source", status.source())
                            .put("version", status.version())
                            .put("rolledOut", status.rolledOut())
                            .put("pending", status.pending())
                            .put("refusedSource", status.refusedSource())
                            .put("refusal", status.refusal())
                            .put("atMillis", status.atMillis())
                            .put("everyMillis", status.everyMillis()));
            if (member.needs(wanted, nowMillis)) {
                one.put("why", member.why(wanted, nowMillis));
            }
        }
        return json;
    }
}
