package io.headgate.core.decision;

import io.headgate.core.limit.Bounds;
import io.headgate.core.policy.Meter;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a gateway asks: may this request pass this stage?
 *
 * @param stage decides which rules are asked; the identity must have what the stage partitions by
 * @param identity who asks
 * @param authenticated whether the gateway has verified who asks
 * @param route {@code METHOD /path} or the name of a route group, at most {@value #MAX_ROUTE_LENGTH} characters
 * @param attributes further facts that the gateway vouches for, at most {@value #MAX_ATTRIBUTES}, names and values
 *     of at most {@value Identity#MAX_LENGTH} characters
 * @param costs what it costs by meter, at most {@value #MAX_METERS}, each 0 to 10^12; {@value Meter#REQUESTS} is 1 where it
 *     is not named
 */
public record Admission(
        Stage stage,
        Identity identity,
        boolean authenticated,
        String route,
        Map<String, String> attributes,
        Map<String, Long> costs) {

    public static final int MAX_METERS = 8;

    public static final int MAX_ROUTE_LENGTH = 4_096;
    public static final int MAX_ATTRIBUTES = 32;

    public Admission {
        Objects.requireNonNull(stage);
        if (identity.partitionKey(stage).isEmpty()) {
            throw new IllegalArgumentException(
                    stage.label() + " is missing; stage '" + stage.label() + "' cannot do without it");
        }
        if (route.length() > MAX_ROUTE_LENGTH) {
            throw new IllegalArgumentException(
                    "route has " + route.length() + " characters; at most " + MAX_ROUTE_LENGTH + " are allowed");
        }
        if (attributes.size() > MAX_ATTRIBUTES) {
            throw new IllegalArgumentException(
                    "attributes has " + attributes.size() + " entries; at most " + MAX_ATTRIBUTES + " are allowed");
        }
        attributes =
                attributes.isEmpty() ? Collections.emptyMap() : Collections.unmodifiableMap(new TreeMap<>(attributes));
        attributes.forEach((name, value) -> {
            if (name.length() > Identity.MAX_LENGTH || value.length() > Identity.MAX_LENGTH) {
                throw new IllegalArgumentException("attributes has a name or a value of "
                        + Math.max(name.length(), value.length()) + " characters; at most " + Identity.MAX_LENGTH
                        + " are allowed");
            }
        });
        costs = charged(costs);
    }

    private static Map<String, Long> charged(Map<String, Long> costs) {
        Long alone = costs.size() == 1 ? costs.get(Meter.REQUESTS) : null;
        if (alone != null) {
            return Collections.singletonMap(Meter.REQUESTS, Bounds.inRange("cost", alone, 0, Bounds.MAX_TOKENS));
        }
        SortedMap<String, Long> charged = new TreeMap<>(costs);
        charged.putIfAbsent(Meter.REQUESTS, 1L);
        charged.forEach((meter, cost) -> {
            Meter.named(meter);
            Bounds.inRange(meter.equals(Meter.REQUESTS) ? "cost" : "costs." + meter, cost, 0, Bounds.MAX_TOKENS);
        });
        if (charged.size() > MAX_METERS) {
            throw new IllegalArgumentException(
                    "costs has " + charged.size() + " meters; at most " + MAX_METERS + " are allowed");
        }
        return Collections.unmodifiableSortedMap(charged);
    }

    /** A request that costs {@code cost} on the meter {@value Meter#REQUESTS} and nothing else. */
    public Admission(
            Stage stage,
            Identity identity,
            boolean authenticated,
            String route,
            Map<String, String> attributes,
            long cost) {
        this(stage, identity, authenticated, route, attributes, Collections.singletonMap(Meter.REQUESTS, cost));
    }

    /** What it costs on a meter; empty if it does not name it. */
    public OptionalLong cost(String meter) {
        Long cost = costs.get(meter);
        return cost == null ? OptionalLong.empty() : OptionalLong.of(cost);
    }

    public String partitionKey() {
        return identity.partitionKey(stage);
    }

    /** One part of a composite in this request; empty if the request lacks it. */
    public String part(Part part, Optional<String> group) {
        return part instanceof Part.Attribute attribute
                ? attributes.getOrDefault(attribute.name(), "")
                : part(((Part.Of) part).scope(), group);
    }

    /**
     * What a scope counts this request by, within the stage's partition key; empty if the request lacks it.
     *
     * @param group the request's route group
     */
    public String part(Scope scope, Optional<String> group) {
        return switch (scope) {
            case IP -> identity.ip();
            case TARGET -> identity.target();
            case TENANT -> identity.tenant();
            case API_KEY -> identity.apiKey();
            case USER -> identity.user();
            case ROUTE -> group.orElse("");
            case COMPOSITE -> throw new IllegalArgumentException("a composite has several parts");
        };
    }
}
