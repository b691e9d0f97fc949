package io.headgate.gateway.server.rls;

import io.headgate.gateway.client.Caller;

/** What of a caller an entry of a descriptor can name. */
public enum CallerField {
    TENANT,
    USER,
    API_KEY,
    IP,
    TARGET;

    String of(Caller caller) {
        return switch (this) {
            case TENANT -> caller.tenant();
            case USER -> caller.user();
            case API_KEY -> caller.apiKey();
            case IP -> caller.ip();
            case TARGET -> caller.target();
        };
    }

    /**
     * The caller with the value in this field.
     *
     * @throws IllegalArgumentException if the field cannot have the value; the message does not repeat it
     */
    Caller in(Caller caller, String value) {
        return switch (this) {
            case TENANT -> caller.withTenant(value);
            case USER -> caller.withUser(value);
            case API_KEY -> caller.withApiKey(value);
            case IP -> caller.withIp(value);
            case TARGET -> caller.withTarget(value);
        };
    }

    /** Whether only who was authenticated has one. */
    boolean authenticates() {
        return this == TENANT || this == USER || this == API_KEY;
    }
}
