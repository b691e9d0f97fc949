package io.headgate.schemas.trust;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What the holder of a trusted key may do. */
public enum Permission {
    /** Put a version of a policy in force. */
    PUBLISH,
    /** Be the second to sign a version that needs two. */
    APPROVE,
    /** Say what a tenant may do: plan, limits of its own, suspended or removed. */
    PLAN,
    /** Give somebody another limit for a while. */
    OVERRIDE,
    /** Deny everything to somebody for a while. */
    BAN,
    /** Give tokens back to a counter, or forget what it has spent. */
    CREDIT;

    /** The one that is written so; empty if none is. */
    public static Optional<Permission> labelled(String label) {
        return Arrays.stream(values())
                .filter(permission -> permission.label().equals(label))
                .findFirst();
    }

    /** As it is written. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
