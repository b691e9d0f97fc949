package io.headgate.tools.policy;

import io.headgate.schemas.PolicyStatus;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.Desk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** A desk where policies are published: files to publish, and shards and gateways that say what they go by. */
final class PolicyDesk {

    static final long NOW = Desk.NOW.toEpochMilli();

    private final Desk desk = new Desk();
    private final Path folder;

    PolicyDesk(Path folder) {
        this.folder = folder;
    }

    Desk desk() {
        return desk;
    }

    /** A policy of two rules, one in shadow. */
    static String yaml(long version, long capacity) {
        return """
                apiVersion: headgate.io/v1
                kind: PolicySnapshot
                metadata: {name: shop, version: %d}
                spec:
                  domain: shop
                  plans:
                    default: {perMinute: 60}
                    pro: {perMinute: 600}
                  routes:
                    catalog: [{method: GET, path: /catalog}]
                    export: [{method: POST, path: /export}]
                  rules:
                    - {id: TENANT, stage: tenant, algorithm: fixed-window, limit: {requests: {fromPlan: perMinute}, per: 1m}}
                    - id: READ
                      stage: tenant
                      scope: user
                      match: {routes: [catalog]}
                      algorithm: token-bucket
                      limit: {capacity: %d, refill: {tokens: 2, per: 1s}}
                    - id: TIGHT
                      stage: tenant
                      scope: user
                      match: {routes: [catalog]}
                      algorithm: sliding-window-counter
                      limit: {requests: 5, per: 10s}
                      enforcement: {mode: shadow, expectedDenyRatio: 2%%}
                """.formatted(version, capacity);
    }

    String file(String name, String text) {
        try {
            return Files.writeString(folder.resolve(name), text).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Publishes a version that must be taken, without waiting for anybody. */
    void publish(String text) {
        int code = publishing(text, "--no-wait");
        if (code != 0) {
            throw new AssertionError(code + ": " + desk.err());
        }
    }

    int publishing(String text, String... more) {
        String[] args = {"publish", file("published.yaml", text), "--unsigned", "--author", "ann", "--reason", "because"
        };
        String[] all = Stream.of(args, more).flatMap(Arrays::stream).toArray(String[]::new);
        return desk.policy(all);
    }

    /** Every shard says that it has taken over what stands at an offset. */
    void allShardsAt(long source, long version) {
        for (int shard = 0; shard < Desk.SHARDS; shard++) {
            says(PolicyStatus.shard(shard), source, version, -1, "", 1_000);
        }
    }

    void says(String reporter, long source, long version, long refusedSource, String refusal, long agoMillis) {
        PolicyStatus status = new PolicyStatus(
                reporter, "7@host", source, version, 0, 0, refusedSource, refusal, NOW - agoMillis, 10_000);
        desk.cluster().put(TopicCatalogue.POLICY_STATUS, 0, status.key(), status.toBytes());
    }
}
