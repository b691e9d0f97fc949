package io.headgate.gateway.client;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Meter;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.schemas.Addresses;
import io.headgate.schemas.Pseudonyms;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * One question: may this request pass? It is put to one stage after the other, as far as the caller has what a stage
 * counts by and a rule speaks of the request. Checked when it is made, so that asking it cannot fail for a mistake in
 * it; no message about a mistake repeats an identifier.
 *
 * @param stages the stages that it may be put to; the caller must have what one of them partitions by
 * @param caller who asks
 * @param authenticated whether the gateway has verified who asks
 * @param route {@code METHOD /path} or the name of a route group; blank is none
 * @param attributes further facts that the gateway vouches for. They leave the process as they are: nothing that names a
 *     person belongs here
 * @param costs what it costs by meter; {@value Meter#REQUESTS}, how many requests it counts for, is 1 where it is not named
 * @param idempotencyKey the caller's own name for the request, at most {@value Command#MAX_KEY_LENGTH} characters, for
 *     each stage: admitted once under it, a request is not debited again while the shard remembers that; empty for none.
 *     It leaves the process as it is
 * @param explain whether the answer says what each rule said
 * @param trace whether the decisions are traced, whatever is sampled
 * @param deadlineMillis how long the answer is waited for, all stages together, 1 to {@value #MAX_DEADLINE_MILLIS} ms;
 *     empty for the client's default
 */
public record Ask(
        Set<Stage> stages,
        Caller caller,
        boolean authenticated,
        String route,
        Map<String, String> attributes,
        Map<String, Long> costs,
        String idempotencyKey,
        boolean explain,
        boolean trace,
        OptionalLong deadlineMillis) {

    /** The longest deadline: a shard remembers its answers for at least twice as long. */
    public static final long MAX_DEADLINE_MILLIS = 10_000;

    /** The longest name of an attribute, in characters. */
    public static final int MAX_ATTRIBUTE_NAME = 64;

    /** The longest value of an attribute, in characters. */
    public static final int MAX_ATTRIBUTE_VALUE = 1_024;

    private static final Set<Stage> ALL_STAGES = Collections.unmodifiableSet(EnumSet.allOf(Stage.class));

    public Ask {
        Objects.requireNonNull(caller, "caller");
        Objects.requireNonNull(route, "route");
        stages = inOrder(stages);
        Admission checked =
                new Admission(firstOf(stages, caller), caller.masked(), authenticated, route, attributes, costs);
        attributes = checked.attributes();
        costs = checked.costs();
        attributes.forEach((name, value) -> {
            checkLength("the name of an attribute", name, MAX_ATTRIBUTE_NAME);
            checkLength("an attribute's value", value, MAX_ATTRIBUTE_VALUE);
        });
        checkKey(idempotencyKey);
        deadlineMillis.ifPresent(millis -> {
            if (millis < 1 || millis > MAX_DEADLINE_MILLIS) {
                throw new IllegalArgumentException(
                        "deadlineMillis is " + millis + "; it must be 1 to " + MAX_DEADLINE_MILLIS);
            }
        });
    }

    /** A request of cost 1 without attributes, for all stages, under the client's deadline. */
    public static Ask of(Caller caller, boolean authenticated, String route) {
        return new Ask(
                ALL_STAGES, caller, authenticated, route, Map.of(), Map.of(), "", false, false, OptionalLong.empty());
    }

    /** Puts it to one stage alone, whether a rule speaks of it or not. */
    public Ask only(Stage stage) {
        return with(EnumSet.of(stage));
    }

    /** What it costs on the meter {@value Meter#REQUESTS}. */
    public Ask withCost(long tokens) {
        return withCosts(Map.of(Meter.REQUESTS, tokens));
    }

    /** What it costs by meter, besides what it costs on others already. */
    public Ask withCosts(Map<String, Long> more) {
        Map<String, Long> all = new TreeMap<>(costs);
        all.putAll(more);
        return new Ask(
                stages, caller, authenticated, route, attributes, all, idempotencyKey, explain, trace, deadlineMillis);
    }

    public Ask withRoute(String other) {
        return new Ask(
                stages,
                caller,
                authenticated,
                other,
                attributes,
                costs,
                idempotencyKey,
                explain,
                trace,
                deadlineMillis);
    }

    public Ask withAttributes(Map<String, String> facts) {
        return new Ask(
                stages, caller, authenticated, route, facts, costs, idempotencyKey, explain, trace, deadlineMillis);
    }

    public Ask withIdempotencyKey(String key) {
        return new Ask(stages, caller, authenticated, route, attributes, costs, key, explain, trace, deadlineMillis);
    }

    public Ask withExplanation() {
        return new Ask(
                stages, caller, authenticated, route, attributes, costs, idempotencyKey, true, trace, deadlineMillis);
    }

    public Ask withTrace() {
        return new Ask(
                stages, caller, authenticated, route, attributes, costs, idempotencyKey, explain, true, deadlineMillis);
    }

    public Ask withDeadlineMillis(long millis) {
        return new Ask(
                stages,
                caller,
                authenticated,
                route,
                attributes,
                costs,
                idempotencyKey,
                explain,
                trace,
                OptionalLong.of(millis));
    }

    /**
     * Whether a rule speaks of it: it costs something on the rule's meter, is what the rule matches, and the caller has
     * what the rule counts by.
     *
     * @param group the route group that the rule's policy has for its route
     */
    public boolean isSpokenOfBy(Rule rule, Optional<String> group) {
        return costs.containsKey(rule.meter())
                && rule.match().accepts(authenticated, group, attributes)
                && hasWhatCounts(rule, group);
    }

    private boolean hasWhatCounts(Rule rule, Optional<String> group) {
        if (rule.scope() != Scope.COMPOSITE) {
            return has(rule.scope(), group);
        }
        for (Part part : rule.composite()) {
            boolean there = part instanceof Part.Attribute attribute
                    ? !attributes.getOrDefault(attribute.name(), "").isEmpty()
                    : has(((Part.Of) part).scope(), group);
            if (!there) {
                return false;
            }
        }
        return true;
    }

    private boolean has(Scope scope, Optional<String> group) {
        return scope == Scope.ROUTE ? group.isPresent() : !caller.of(scope).isEmpty();
    }

    /** The same, without the stages before one that it is put to. */
    Ask from(Stage first) {
        Set<Stage> left = EnumSet.copyOf(stages);
        left.removeIf(stage -> stage.compareTo(first) < 0);
        return with(left);
    }

    private Ask with(Set<Stage> others) {
        return new Ask(
                others,
                caller,
                authenticated,
                route,
                attributes,
                costs,
                idempotencyKey,
                explain,
                trace,
                deadlineMillis);
    }

    /** Who asks, as it leaves the process. */
    Identity identity(Addresses addresses, Pseudonyms pseudonyms) {
        return new Identity(
                caller.tenant(),
                pseudonyms.user(caller.user()),
                pseudonyms.apiKey(caller.apiKey()),
                pseudonyms.ip(addresses.counted(caller.ip())),
                pseudonyms.target(caller.target()));
    }

    /** What a stage's shard is asked. */
    Admission admission(Stage stage, Identity identity) {
        return new Admission(stage, identity, authenticated, route, attributes, costs);
    }

    private static Set<Stage> inOrder(Set<Stage> stages) {
        if (stages.isEmpty()) {
            throw new IllegalArgumentException("stages is empty; a question is put to one stage or more");
        }
        return stages.equals(ALL_STAGES) ? ALL_STAGES : Collections.unmodifiableSet(EnumSet.copyOf(stages));
    }

    /** The first stage that the caller has the key of; where it is the only one, whether it has it or not. */
    private static Stage firstOf(Set<Stage> stages, Caller caller) {
        if (stages.size() == 1) {
            return stages.iterator().next();
        }
        return stages.stream()
                .filter(caller::isCountedIn)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no "
                        + String.join(", no ", stages.stream().map(Stage::label).toList())
                        + "; a request is counted by one of them"));
    }

    private static void checkKey(String key) {
        if (key.length() > Command.MAX_KEY_LENGTH) {
            throw new IllegalArgumentException("idempotencyKey has " + key.length() + " characters; at most "
                    + Command.MAX_KEY_LENGTH + " are allowed");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(key)) {
            throw new IllegalArgumentException(
                    "idempotencyKey has half a surrogate pair in it; it must be valid Unicode");
        }
    }

    private static void checkLength(String what, String text, int most) {
        if (text.length() > most) {
            throw new IllegalArgumentException(
                    "attributes: " + what + " has " + text.length() + " characters; at most " + most + " are allowed");
        }
    }
}
