package io.headgate.cluster;

import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;

/** What the load is judged by: one budget a tenant that never comes back, and rates that do. */
final class LoadPolicy {

    static final String READ = "GET /catalog";
    static final String SPEND = "POST /spend";

    /** Tokens that a tenant may ever spend on {@link #SPEND}. */
    static final long BUDGET = 300;

    private LoadPolicy() {}

    /** Versions differ in the rate of a tenant. */
    static PolicyDocument version(long version) {
        String json = """
                {
                  "apiVersion": "headgate.io/v1",
                  "kind": "PolicySnapshot",
                  "metadata": {"name": "load", "version": %d},
                  "spec": {
                    "domain": "load",
                    "routes": {
                      "read": [{"method": "GET", "path": "/catalog"}],
                      "spend": [{"method": "POST", "path": "/spend"}]
                    },
                    "rules": [
                      {
                        "id": "budget", "stage": "tenant", "match": {"routes": ["spend"]}, "reason": "never comes back",
                        "algorithm": "token-bucket", "limit": {"capacity": %d, "refill": {"tokens": 0, "per": "1s"}}
                      },
                      {
                        "id": "tenant-rate", "stage": "tenant", "match": {"routes": ["read"]},
                        "algorithm": "fixed-window", "limit": {"requests": %d, "per": "1s"}
                      },
                      {
                        "id": "user-rate", "stage": "tenant", "scope": "user", "match": {"routes": ["read"]},
                        "algorithm": "token-bucket", "limit": {"capacity": 10, "refill": {"tokens": 1, "per": "1s"}}
                      },
                      {
                        "id": "user-tight", "stage": "tenant", "scope": "user", "match": {"routes": ["read"]},
                        "algorithm": "sliding-window-counter", "limit": {"requests": 5, "per": "10s"},
                        "enforcement": {"mode": "shadow"}
                      }
                    ]
                  }
                }
                """.formatted(version, BUDGET, version % 2 == 0 ? 150 : 100);
        return PolicyDocument.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
