package io.headgate.tools;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Meter;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One request to be tried against a policy. Names are used as they are given: nothing leaves this machine, so there is
 * nothing to hide behind pseudonyms.
 *
 * @param timeMillis when it was made, since the epoch
 * @param peek whether nothing is to be debited
 * @param requestId names the attempt; empty if it has no name, at most {@value #MAX_REQUEST_ID_LENGTH} characters
 * @param idempotencyKey the caller's own name for the request; empty if it has none
 * @param admissions what it asks of each stage whose partition key it has, in the order of the stages; not empty
 */
public record Request(
        long timeMillis, boolean peek, String requestId, String idempotencyKey, List<Admission> admissions) {

    /** The longest name of an attempt, in characters. */
    public static final int MAX_REQUEST_ID_LENGTH = 256;

    public Request {
        admissions = List.copyOf(admissions);
        if (admissions.isEmpty()) {
            throw new IllegalArgumentException("it has no ip, no target and no tenant to count it by");
        }
        if (idempotencyKey.length() > Command.MAX_KEY_LENGTH) {
            throw new IllegalArgumentException("idempotencyKey has " + idempotencyKey.length() + " characters; at most "
                    + Command.MAX_KEY_LENGTH + " are allowed");
        }
        if (requestId.length() > MAX_REQUEST_ID_LENGTH) {
            throw new IllegalArgumentException("requestId has " + requestId.length() + " characters; at most "
                    + MAX_REQUEST_ID_LENGTH + " are allowed");
        }
    }

    /** Reads a line of a file of requests. */
    public static Request parse(String line) throws UnreadableLineException {
        RequestLine it = RequestLine.parse(line);
        try {
            Identity who = new Identity(it.tenant(), it.user(), it.apiKey(), it.ip(), it.target());
            return new Request(
                    it.timeMillis(),
                    it.op() == RequestLine.Op.PEEK,
                    it.requestId(),
                    it.idempotencyKey(),
                    admissions(who, it.authenticated(), it.route(), it.attributes(), costs(it)));
        } catch (IllegalArgumentException refused) {
            throw new UnreadableLineException("is refused: " + refused.getMessage());
        }
    }

    /**
     * The request that a server logged. It has no tenant, so it is asked about in stage {@code ip} alone.
     *
     * @throws IllegalArgumentException if something in it is longer than a gateway would accept
     */
    public static Request of(AccessLog.Entry entry) {
        Identity who = new Identity("", entry.user(), "", entry.ip(), "");
        boolean authenticated = !entry.user().isEmpty();
        return new Request(
                entry.timeMillis(),
                false,
                "",
                "",
                admissions(who, authenticated, entry.route(), Map.of(), Map.of(Meter.REQUESTS, 1L)));
    }

    private static Map<String, Long> costs(RequestLine it) {
        Map<String, Long> costs = new TreeMap<>(it.costs());
        costs.put(Meter.REQUESTS, it.cost());
        return costs;
    }

    private static List<Admission> admissions(
            Identity who,
            boolean authenticated,
            String route,
            Map<String, String> attributes,
            Map<String, Long> costs) {
        List<Admission> admissions = new ArrayList<>(1);
        for (Stage stage : Stage.values()) {
            if (!who.partitionKey(stage).isEmpty()) {
                admissions.add(new Admission(stage, who, authenticated, route, attributes, costs));
            }
        }
        return admissions;
    }
}
