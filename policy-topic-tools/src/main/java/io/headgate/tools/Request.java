package io.headgate.tools;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One request to be tried against a policy. Names are used as they are given: nothing leaves this machine, so there is
 * nothing to hide behind pseudonyms.
 *
 * @param timeMillis when it was made, since the epoch
 * @param peek whether nothing is to be debited
 * @param requestId names the attempt; empty if it has no name, at most {@value #MAX_REQUEST_ID_LENGTH} characters
 * @param admissions what it asks of each stage whose partition key it has, in the order of the stages; not empty
 */
record Request(long timeMillis, boolean peek, String requestId, List<Admission> admissions) {

    static final int MAX_REQUEST_ID_LENGTH = 256;

    Request {
        admissions = List.copyOf(admissions);
        if (admissions.isEmpty()) {
            throw new IllegalArgumentException("it has no ip, no target and no tenant to count it by");
        }
        if (requestId.length() > MAX_REQUEST_ID_LENGTH) {
            throw new IllegalArgumentException("requestId has " + requestId.length() + " characters; at most "
                    + MAX_REQUEST_ID_LENGTH + " are allowed");
        }
    }

    /** Reads a line of a file of requests. */
    static Request parse(String line) throws UnreadableLineException {
        RequestLine it = RequestLine.parse(line);
        try {
            Identity who = new Identity(it.tenant(), it.user(), it.apiKey(), it.ip(), it.target());
            return new Request(
                    it.timeMillis(),
                    it.op() == RequestLine.Op.PEEK,
                    it.requestId(),
                    admissions(who, it.authenticated(), it.route(), it.attributes(), it.cost()));
        } catch (IllegalArgumentException refused) {
            throw new UnreadableLineException("is refused: " + refused.getMessage());
        }
    }

    /**
     * The request that a server logged. It has no tenant, so it is asked about in stage {@code ip} alone.
     *
     * @throws IllegalArgumentException if something in it is longer than a gateway would accept
     */
    static Request of(AccessLog.Entry entry) {
        Identity who = new Identity("", entry.user(), "", entry.ip(), "");
        boolean authenticated = !entry.user().isEmpty();
        return new Request(entry.timeMillis(), false, "", admissions(who, authenticated, entry.route(), Map.of(), 1));
    }

    private static List<Admission> admissions(
            Identity who, boolean authenticated, String route, Map<String, String> attributes, long cost) {
        List<Admission> admissions = new ArrayList<>(1);
        for (Stage stage : Stage.values()) {
            if (!who.partitionKey(stage).isEmpty()) {
                admissions.add(new Admission(stage, who, authenticated, route, attributes, cost));
            }
        }
        return admissions;
    }
}
