package io.headgate.core.decision;

import io.headgate.core.policy.Stage;

/**
 * Who asks, as far as known; an empty string is unknown. All but the tenant are pseudonyms made by the gateway, so what
 * they name is equal when they are equal, and nothing more is known of it.
 *
 * @param tenant the account, at most {@value #MAX_LENGTH} characters, as all of them; its id is its partition key, so it
 *     does not begin as those of the other stages do
 * @param user a user of the tenant
 * @param apiKey a key of the tenant
 * @param ip an address, or the part of it that is counted as one
 * @param target the name that somebody tries to log in to
 */
public record Identity(String tenant, String user, String apiKey, String ip, String target) {

    /** The longest name or pseudonym, in characters. */
    public static final int MAX_LENGTH = 256;

    private static final String IP_KEY = "ip:";
    private static final String TARGET_KEY = "target:";
    private static final int SHOWN = 32;

    public Identity {
        checkTenant(tenant);
        checkLength("user", user);
        checkLength("apiKey", apiKey);
        checkLength("ip", ip);
        checkLength("target", target);
    }

    /**
     * The key whose hash is the shard of a stage's requests; fixed for ever. Empty when the identity lacks it.
     */
    public String partitionKey(Stage stage) {
        return switch (stage) {
            case IP -> ip.isEmpty() ? "" : IP_KEY + ip;
            case TARGET -> target.isEmpty() ? "" : TARGET_KEY + target;
            case TENANT -> tenant;
        };
    }

    /** The tenant whose partition key it is; empty if it is an address's or a login name's. */
    public static String tenantOf(String partitionKey) {
        return partitionKey.startsWith(IP_KEY) || partitionKey.startsWith(TARGET_KEY) ? "" : partitionKey;
    }

    /**
     * Makes sure that a tenant's id can be one.
     *
     * @throws IllegalArgumentException if it is too long or begins as the partition keys of other stages do
     */
    public static void checkTenant(String tenant) {
        checkLength("tenant", tenant);
        if (tenant.startsWith(IP_KEY) || tenant.startsWith(TARGET_KEY)) {
            throw new IllegalArgumentException("tenant is '" + tenant.substring(0, Math.min(SHOWN, tenant.length()))
                    + "…'; it must not begin with " + IP_KEY + " or " + TARGET_KEY
                    + ", as the partition keys of other stages do");
        }
    }

    private static void checkLength(String field, String value) {
        if (value.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(field + " has " + value.length() + " characters; at most " + MAX_LENGTH
                    + " are allowed: '" + value.substring(0, SHOWN) + "…'");
        }
    }
}
