package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.policy.SealedPolicy;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.PolicyConflictException;
import io.headgate.tools.PolicyPublisher;
import io.headgate.tools.PolicyPublisher.Published;
import io.headgate.tools.Surroundings;
import java.io.PrintWriter;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Publishes one version, and waits until everybody has taken it over or has had long enough. */
final class Publication {

    private static final long LOOK_EVERY_MILLIS = 100;
    private static final long TELL_EVERY_MILLIS = 2_000;

    private final Cluster cluster;
    private final PolicyTrust trust;
    private final Surroundings surroundings;
    private final Output output;
    private final PrintWriter out;
    private final PrintWriter err;

    Publication(
            Cluster cluster,
            PolicyTrust trust,
            Surroundings surroundings,
            Output output,
            PrintWriter out,
            PrintWriter err) {
        this.cluster = cluster;
        this.trust = trust;
        this.surroundings = surroundings;
        this.output = output;
        this.out = out;
        this.err = err;
    }

    /**
     * Publishes a version.
     *
     * @param base the version that it builds on; empty: the one before it
     * @param waitMillis how long to wait; 0 for not at all
     * @return an exit code
     */
    int publish(SealedPolicy policy, OptionalLong base, long waitMillis) throws CommandFailedException {
        PolicyRecord record = PolicyRecord.of(policy.document(), policy.signatures());
        Published published;
        try {
            published = new PolicyPublisher(cluster, trust).publish(record, base);
        } catch (PolicyConflictException e) {
            err.println(e.getMessage());
            return PolicyCommand.CONFLICT;
        }
        String what = "version " + record.version() + " of " + record.domain();
        tell(what + (published.before() ? " is on the topic already" : " is published") + ", at offset "
                + published.offset());
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("version", record.version())
                .put("domain", record.domain())
                .put("contentHash", record.contentHash())
                .put("offset", published.offset())
                .put("alreadyThere", published.before());
        int code = waitMillis == 0
                ? Headgate.OK
                : await(new Fleet.Wanted(published.offset(), record.version()), waitMillis, json);
        if (output == Output.json) {
            out.println(json);
        }
        return code;
    }

    private void tell(String line) {
        (output == Output.json ? err : out).println(line);
    }

    private int await(Fleet.Wanted wanted, long waitMillis, ObjectNode json) throws CommandFailedException {
        try {
            return await(new Fleet(cluster), wanted, waitMillis, json);
        } catch (CommandFailedException e) {
            err.println("version " + wanted.version() + " is published; who has taken it over is not known: "
                    + e.getMessage());
            json.put("takenOver", false);
            return PolicyCommand.LAGGING;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted; version " + wanted.version() + " is published");
        }
    }

    private int await(Fleet fleet, Fleet.Wanted wanted, long waitMillis, ObjectNode json)
            throws CommandFailedException, InterruptedException {
        long beganNanos = System.nanoTime();
        long toldMillis = 0;
        while (true) {
            fleet.look();
            long passedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
            List<Fleet.Member> lacking = fleet.lacking(wanted, surroundings.nowMillis());
            if (lacking.isEmpty()) {
                long gateways = fleet.gateways(surroundings.nowMillis());
                tell("every shard (" + fleet.shards() + ") and every gateway (" + gateways + ") has it, after "
                        + passedMillis + " ms");
                json.put("takenOver", true).put("shards", fleet.shards()).put("gateways", gateways);
                return Headgate.OK;
            }
            if (passedMillis >= waitMillis) {
                report(lacking, wanted, waitMillis, json);
                return PolicyCommand.LAGGING;
            }
            if (passedMillis - toldMillis >= TELL_EVERY_MILLIS) {
                toldMillis = passedMillis;
                err.println("waiting for " + lacking.size() + ": "
                        + lacking.get(0).reporter()
                        + (lacking.size() > 1 ? ", …" : ""));
            }
            TimeUnit.MILLISECONDS.sleep(Math.min(LOOK_EVERY_MILLIS, waitMillis - passedMillis));
        }
    }

    private void report(List<Fleet.Member> lacking, Fleet.Wanted wanted, long waitMillis, ObjectNode json) {
        long nowMillis = surroundings.nowMillis();
        err.println("version " + wanted.version() + " is published; after " + waitMillis + " ms " + lacking.size()
                + " have not taken it over:");
        ArrayNode waiting = json.put("takenOver", false).putArray("lacking");
        for (Fleet.Member member : lacking) {
            String why = member.why(wanted, nowMillis);
            err.println("  " + member.reporter() + " " + why);
            waiting.addObject().put("reporter", member.reporter()).put("why", why);
        }
    }
}
