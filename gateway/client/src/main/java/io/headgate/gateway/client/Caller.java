package io.headgate.gateway.client;

import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.Addresses;
import io.headgate.schemas.Pseudonyms;
import java.nio.charset.StandardCharsets;

/**
 * Who asks, in the raw: what a gateway found in a request. Only the tenant leaves the process as it is; the others
 * become pseudonyms first ({@link Pseudonyms}), and {@link #toString} does not show them.
 *
 * <p>Identifiers are equal when their texts are, to the character; addresses, when they are the same address, however
 * they are written. How much of an address counts is the client's to say.
 *
 * @param tenant the account, at most {@value Identity#MAX_LENGTH} characters; blank is unknown, as for all of them
 * @param user a user of the tenant, at most {@value #MAX_RAW_LENGTH} characters, as the next three
 * @param apiKey a key of the tenant
 * @param ip an IPv4 or IPv6 address: no name, port, brackets, zone id or prefix length. An IPv4-mapped IPv6 address is
 *     the IPv4 address
 * @param target the name that somebody tries to log in to
 */
public record Caller(String tenant, String user, String apiKey, String ip, String target) {

    /** The longest raw identifier, in characters. */
    public static final int MAX_RAW_LENGTH = 4_096;

    private static final String PRESENT = "?";

    public Caller {
        tenant = checked("tenant", tenant, Identity.MAX_LENGTH);
        user = checked("user", user, MAX_RAW_LENGTH);
        apiKey = checked("apiKey", apiKey, MAX_RAW_LENGTH);
        ip = checked("ip", ip, MAX_RAW_LENGTH);
        ip = ip.isEmpty() ? "" : Addresses.spelt("ip", ip);
        target = checked("target", target, MAX_RAW_LENGTH);
    }

    /** Nobody in particular yet: add to it what is known. */
    public static Caller unknown() {
        return new Caller("", "", "", "", "");
    }

    public Caller withTenant(String known) {
        return new Caller(known, user, apiKey, ip, target);
    }

    public Caller withUser(String known) {
        return new Caller(tenant, known, apiKey, ip, target);
    }

    public Caller withApiKey(String known) {
        return new Caller(tenant, user, known, ip, target);
    }

    public Caller withIp(String known) {
        return new Caller(tenant, user, apiKey, known, target);
    }

    public Caller withTarget(String known) {
        return new Caller(tenant, user, apiKey, ip, known);
    }

    /** Whether it has what a stage partitions by. */
    boolean isCountedIn(Stage stage) {
        return !of(stage.ownScope()).isEmpty();
    }

    /** What a scope counts by; empty if that is unknown, or is nothing of the caller's. */
    String of(Scope scope) {
        return switch (scope) {
            case IP -> ip;
            case TARGET -> target;
            case TENANT -> tenant;
            case API_KEY -> apiKey;
            case USER -> user;
            case ROUTE, COMPOSITE -> "";
        };
    }

    /** The same, with nothing but which of them are known: good for checks whose messages may be shown. */
    Identity masked() {
        return new Identity(tenant, mask(user), mask(apiKey), mask(ip), mask(target));
    }

    /** Shows the tenant, and of the others only whether they are known. */
    @Override
    public String toString() {
        return "Caller[tenant=" + tenant + ", user=" + mask(user) + ", apiKey=" + mask(apiKey) + ", ip=" + mask(ip)
                + ", target=" + mask(target) + "]";
    }

    private static String mask(String raw) {
        return raw.isEmpty() ? "" : PRESENT;
    }

    private static String checked(String field, String value, int maxLength) {
        if (value == null) {
            throw new IllegalArgumentException(field + " is null; leave it blank if it is unknown");
        }
        if (value.length() > maxLength) {
            throw new IllegalArgumentException(
                    field + " has " + value.length() + " characters; at most " + maxLength + " are allowed");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw new IllegalArgumentException(field + " has half a surrogate pair in it; it must be valid Unicode");
        }
        return value.isBlank() ? "" : value;
    }
}
