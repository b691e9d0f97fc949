package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.FailMode;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.schemas.policy.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * How much more than its limit a rule may admit for one key, and where that comes from. Within its shard it is nothing:
 * one sequence of records spends the budget.
 *
 * @param ruleId the rule
 * @param admits what one key may spend over any time T, as the limit says
 * @param extras what may come on top, each from another cause
 */
record OvershootBound(String ruleId, String admits, List<Extra> extras) {

    OvershootBound {
        extras = List.copyOf(extras);
    }

    /**
     * Something that may come on top.
     *
     * @param cause when
     * @param formula how much, in words
     * @param tokens the number; empty if there is no bound
     */
    record Extra(String cause, String formula, OptionalLong tokens) {

        @Override
        public String toString() {
            return cause + ": " + formula + (tokens.isPresent() ? " = " + tokens.getAsLong() : "");
        }
    }

    /**
     * The bound of a rule.
     *
     * @param limit the limit of the plan that is looked at
     * @param afresh whether what was spent before this version is forgotten
     */
    static OvershootBound of(Policy policy, Rule rule, Limit limit, boolean afresh) {
        List<Extra> extras = new ArrayList<>();
        if (rule.enforcement() instanceof Enforcement.Soft soft) {
            long debt = soft.debtTokens(limit.tokens());
            extras.add(new Extra(
                    "soft",
                    "up to " + soft.hardPercent() + "% of " + limit.tokens() + " at once",
                    OptionalLong.of(debt)));
        }
        if (limit instanceof TokenBucketLimit bucket && bucket.refill() == Refill.INTERVAL) {
            extras.add(
                    new Extra("refill at intervals", "one refill over any T", OptionalLong.of(bucket.refillTokens())));
        }
        if (limit instanceof SlidingWindowLimit window) {
            extras.add(new Extra(
                    "estimate",
                    "less than one limit in a window that begins within another, if all was spent at the end of that",
                    OptionalLong.of(window.limitTokens())));
        }
        if (afresh) {
            extras.add(new Extra("begins afresh", "what was spent before, once", OptionalLong.of(limit.tokens())));
        }
        fallback(policy, rule).ifPresent(extras::add);
        return new OvershootBound(rule.id(), admits(limit), extras);
    }

    private static String admits(Limit limit) {
        if (limit instanceof TokenBucketLimit it) {
            return rate(it.capacityTokens(), it.refillTokens(), it.refillPeriodMillis());
        }
        if (limit instanceof GcraLimit it) {
            return rate(it.burstTokens(), it.refillTokens(), it.refillPeriodMillis());
        }
        if (limit instanceof FixedWindowLimit it) {
            String window = it.window() instanceof Window.Every every
                    ? Durations.format(every.lengthMillis())
                    : "calendar window";
            return it.limitTokens() + " in each " + window;
        }
        if (limit instanceof SlidingWindowLimit it) {
            return it.limitTokens() + " in any " + Durations.format(it.windowMillis()) + ", estimated";
        }
        if (limit instanceof SlidingLogLimit it) {
            return it.limitTokens() + " in any " + Durations.format(it.windowMillis());
        }
        return "no limit";
    }

    private static String rate(long capacity, long refill, long periodMillis) {
        return capacity + " + " + refill + " × T/" + Durations.format(periodMillis);
    }

    private static Optional<Extra> fallback(Policy policy, Rule rule) {
        if (rule.shadow() || rule.enforcement().equals(Enforcement.SHADOW)) {
            return Optional.empty();
        }
        return rule.failMode() instanceof FailMode.OfEndpoint ? ofEndpoints(policy, rule) : fallback(rule.failMode());
    }

    private static Optional<Extra> fallback(FailMode mode) {
        if (mode instanceof FailMode.Open) {
            return Optional.of(
                    new Extra("nobody can decide", "everything is admitted, without bound", OptionalLong.empty()));
        }
        if (mode instanceof FailMode.LocalBounded local) {
            return Optional.of(new Extra(
                    "nobody can decide",
                    local.expectedGateways() + " gateways × (" + admits(local.perGateway()) + "), at once "
                            + local.expectedGateways() + " × "
                            + local.perGateway().tokens(),
                    OptionalLong.of(
                            local.expectedGateways() * local.perGateway().tokens())));
        }
        return Optional.empty();
    }

    private static Optional<Extra> ofEndpoints(Policy policy, Rule rule) {
        Set<String> routes = rule.match().routes();
        List<String> open = policy.conduct().failModes().entrySet().stream()
                .filter(endpoint -> endpoint.getValue() instanceof FailMode.Open)
                .map(Map.Entry::getKey)
                .filter(group -> routes.isEmpty() || routes.contains(group))
                .toList();
        return open.isEmpty()
                ? Optional.empty()
                : Optional.of(new Extra(
                        "nobody can decide",
                        "everything is admitted to " + String.join(", ", open) + ", without bound",
                        OptionalLong.empty()));
    }

    /** In one line. */
    String line() {
        String told = extras.isEmpty()
                ? ""
                : "; " + String.join("; ", extras.stream().map(Extra::toString).toList());
        return "admits " + admits + "; within its shard: 0 more" + told;
    }

    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("admits", admits).put("withinShardTokens", 0);
        ArrayNode all = json.putArray("extras");
        for (Extra extra : extras) {
            ObjectNode one = all.addObject().put("cause", extra.cause()).put("formula", extra.formula());
            extra.tokens().ifPresent(tokens -> one.put("tokens", tokens));
        }
        return json;
    }
}
