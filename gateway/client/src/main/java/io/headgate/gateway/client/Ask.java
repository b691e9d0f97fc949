package io.headgate.gateway.client;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.Pseudonyms;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * One question: may this request pass this stage? Checked when it is made, so that asking it cannot fail for a mistake
 * in it; no message about a mistake repeats an identifier.
 *
 * @param stage decides which rules are asked; the caller must have what the stage partitions by
 * @param caller who asks
 * @param authenticated whether the gateway has verified who asks
 * @param route {@code METHOD /path} or the name of a route group; blank is none
 * @param attributes further facts that the gateway vouches for. They leave the process as they are: nothing that names a
 *     person belongs here
 * @param cost how many requests it counts for
 * @param deadlineMillis how long the answer is waited for, 1 to {@value #MAX_DEADLINE_MILLIS} ms; empty for the
 *     client's default
 */
public record Ask(
        Stage stage,
        Caller caller,
        boolean authenticated,
        String route,
        Map<String, String> attributes,
        long cost,
        OptionalLong deadlineMillis) {

    /** The longest deadline: a shard remembers its answers for at least twice as long. */
    public static final long MAX_DEADLINE_MILLIS = 10_000;

    /** The longest name of an attribute, in characters. */
    public static final int MAX_ATTRIBUTE_NAME = 64;

    /** The longest value of an attribute, in characters. */
    public static final int MAX_ATTRIBUTE_VALUE = 1_024;

    public Ask {
        Objects.requireNonNull(stage, "stage");
        Objects.requireNonNull(caller, "caller");
        Objects.requireNonNull(route, "route");
        Admission checked = new Admission(stage, caller.masked(), authenticated, route, attributes, cost);
        attributes = checked.attributes();
        attributes.forEach((name, value) -> {
            checkLength("the name of an attribute", name, MAX_ATTRIBUTE_NAME);
            checkLength("an attribute's value", value, MAX_ATTRIBUTE_VALUE);
        });
        deadlineMillis.ifPresent(millis -> {
            if (millis < 1 || millis > MAX_DEADLINE_MILLIS) {
                throw new IllegalArgumentException(
                        "deadlineMillis is " + millis + "; it must be 1 to " + MAX_DEADLINE_MILLIS);
            }
        });
    }

    /** A request of cost 1 without attributes, under the client's deadline. */
    public static Ask of(Stage stage, Caller caller, boolean authenticated, String route) {
        return new Ask(stage, caller, authenticated, route, Map.of(), 1, OptionalLong.empty());
    }

    public Ask withCost(long tokens) {
        return new Ask(stage, caller, authenticated, route, attributes, tokens, deadlineMillis);
    }

    public Ask withAttributes(Map<String, String> facts) {
        return new Ask(stage, caller, authenticated, route, facts, cost, deadlineMillis);
    }

    public Ask withDeadlineMillis(long millis) {
        return new Ask(stage, caller, authenticated, route, attributes, cost, OptionalLong.of(millis));
    }

    /** What the shard is asked: the same, with pseudonyms. */
    Admission admission(Pseudonyms pseudonyms) {
        return new Admission(
                stage,
                new Identity(
                        caller.tenant(),
                        pseudonyms.user(caller.user()),
                        pseudonyms.apiKey(caller.apiKey()),
                        pseudonyms.ip(caller.ip()),
                        pseudonyms.target(caller.target())),
                authenticated,
                route,
                attributes,
                cost);
    }

    private static void checkLength(String what, String text, int most) {
        if (text.length() > most) {
            throw new IllegalArgumentException(
                    "attributes: " + what + " has " + text.length() + " characters; at most " + most + " are allowed");
        }
    }
}
