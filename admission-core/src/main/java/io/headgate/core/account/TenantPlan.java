package io.headgate.core.account;

import io.headgate.core.decision.Identity;
import io.headgate.core.limit.Limit;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What one tenant may do, as its operator says.
 *
 * @param tenant the tenant
 * @param status whether it is served at all
 * @param plan names one of the policy's plans; one that the policy does not have counts as the default
 * @param unlimited whether no rule limits it
 * @param zone the time zone of its calendar windows
 * @param homeRegion where its budget is kept
 * @param overrides limits of its own by rule id, at most {@value #MAX_OVERRIDES}; one of another algorithm than the
 *     rule's has no effect
 */
public record TenantPlan(
        String tenant,
        Status status,
        String plan,
        boolean unlimited,
        Optional<String> zone,
        Optional<String> homeRegion,
        SortedMap<String, Limit> overrides) {

    /** The plan of a tenant that names none. */
    public static final String DEFAULT = "default";

    public static final int MAX_OVERRIDES = 100;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /** Whether a tenant is served. */
    public enum Status {
        ACTIVE,
        /** Every request is denied. */
        SUSPENDED,
        /** Forgotten, with all that it spent; a request of it is one of an unknown tenant's. */
        REMOVED
    }

    public TenantPlan {
        if (tenant.isEmpty()) {
            throw new IllegalArgumentException(
                    "tenant is empty; it must have 1 to " + Identity.MAX_LENGTH + " characters");
        }
        Identity.checkTenant(tenant);
        Objects.requireNonNull(status);
        name("plan", plan);
        homeRegion.ifPresent(region -> name("homeRegion", region));
        if (overrides.size() > MAX_OVERRIDES) {
            throw new IllegalArgumentException(
                    "overrides has " + overrides.size() + " rules; at most " + MAX_OVERRIDES + " are allowed");
        }
        overrides = Collections.unmodifiableSortedMap(new TreeMap<>(overrides));
        overrides.keySet().forEach(rule -> name("overrides", rule));
    }

    /** A tenant that is on a plan and has nothing else of its own. */
    public static TenantPlan on(String tenant, String plan) {
        return new TenantPlan(tenant, Status.ACTIVE, plan, false, Optional.empty(), Optional.empty(), new TreeMap<>());
    }

    private static void name(String field, String value) {
        if (!NAME.matcher(value).matches()) {
            throw new IllegalArgumentException(field + " is '" + value.substring(0, Math.min(64, value.length()))
                    + "'; it must be 1 to 64 letters, digits, dots, hyphens and underscores");
        }
    }
}
