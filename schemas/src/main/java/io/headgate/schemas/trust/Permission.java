package io.headgate.schemas.trust;

import java.util.Locale;

/** What the holder of a trusted key may do. */
public enum Permission {
    /** Put a version of a policy in force. */
    PUBLISH,
    /** Be the second to sign a version that needs two. */
    APPROVE;

    /** As it is written. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
