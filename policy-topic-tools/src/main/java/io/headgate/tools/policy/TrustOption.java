package io.headgate.tools.policy;

import io.headgate.schemas.PolicyTrust;

/** Whom the readers of the topic believe. */
final class TrustOption {

    /** What readers are taken to believe. */
    PolicyTrust trust() {
        return PolicyTrust.ANYBODY;
    }
}
