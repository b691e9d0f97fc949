package io.headgate.tools.tenant;

import io.headgate.tools.Desk;

/** The policy of a shop, with a rule of each kind that matters to its operators. */
final class Shop {

    static final String POLICY = """
            apiVersion: headgate.io/v1
            kind: PolicySnapshot
            metadata: {name: shop, version: 7}
            spec:
              domain: shop
              plans:
                default: {perMinute: 60}
                pro: {perMinute: 600}
              routes:
                catalog: [{method: GET, path: /catalog}]
                export: [{method: POST, path: /export}]
              endpoints:
                export: {cost: 10}
              rules:
                - {id: ANON, stage: ip, algorithm: fixed-window, limit: {requests: 20, per: 10s}}
                - {id: LOGIN, stage: target, algorithm: sliding-window-counter, limit: {requests: 10, per: 5m}}
                - id: TENANT
                  stage: tenant
                  algorithm: fixed-window
                  limit: {requests: {fromPlan: perMinute}, per: 1m}
                  cost: {fromRoute: true}
                - id: READ
                  stage: tenant
                  scope: user
                  algorithm: token-bucket
                  limit: {capacity: 20, refill: {tokens: 2, per: 1s}}
                - id: MODEL
                  stage: tenant
                  scope: {composite: [user, attributes.model]}
                  algorithm: gcra
                  limit: {capacity: 5, refill: {tokens: 1, per: 1s}}
                - id: EXPORT
                  stage: tenant
                  scope: route
                  match: {routes: [export]}
                  algorithm: fixed-window
                  limit: {requests: 100, per: 1h}
                  cost: 10
                - id: BURST
                  stage: tenant
                  algorithm: sliding-log
                  limit: {requests: 100, per: 1m}
                  enforcement: {mode: soft, hardAt: 200%}
            """;

    private Shop() {}

    static Desk desk() {
        return new Desk().publish(POLICY);
    }
}
