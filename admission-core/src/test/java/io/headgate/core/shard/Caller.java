package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import java.util.Map;
import java.util.TreeMap;

/** Who asks in a test, and for what: an admission with everything that a test does not care about filled in. */
public record Caller(
        Stage stage,
        Identity identity,
        boolean authenticated,
        String route,
        Map<String, String> attributes,
        long cost) {

    public static Caller tenant(String tenant) {
        return new Caller(Stage.TENANT, new Identity(tenant, "", "", "", ""), true, "GET /catalog", Map.of(), 1);
    }

    public static Caller address(String ip) {
        return new Caller(Stage.IP, new Identity("", "", "", ip, ""), false, "GET /catalog", Map.of(), 1);
    }

    public static Caller target(String target) {
        return new Caller(Stage.TARGET, new Identity("", "", "", "", target), false, "POST /login", Map.of(), 1);
    }

    public Caller user(String user) {
        return as(new Identity(identity.tenant(), user, identity.apiKey(), identity.ip(), identity.target()));
    }

    public Caller apiKey(String apiKey) {
        return as(new Identity(identity.tenant(), identity.user(), apiKey, identity.ip(), identity.target()));
    }

    public Caller ip(String ip) {
        return as(new Identity(identity.tenant(), identity.user(), identity.apiKey(), ip, identity.target()));
    }

    public Caller anonymous() {
        return new Caller(stage, identity, false, route, attributes, cost);
    }

    public Caller route(String newRoute) {
        return new Caller(stage, identity, authenticated, newRoute, attributes, cost);
    }

    public Caller attribute(String name, String value) {
        Map<String, String> more = new TreeMap<>(attributes);
        more.put(name, value);
        return new Caller(stage, identity, authenticated, route, more, cost);
    }

    public Caller cost(long newCost) {
        return new Caller(stage, identity, authenticated, route, attributes, newCost);
    }

    public Admission admission() {
        return new Admission(stage, identity, authenticated, route, attributes, cost);
    }

    public Command admit() {
        return new Command.Ask(admission(), false, Command.NEVER, false);
    }

    public Command admitBefore(long deadlineMillis) {
        return new Command.Ask(admission(), false, deadlineMillis, false);
    }

    public Command admitExplained() {
        return new Command.Ask(admission(), false, Command.NEVER, true);
    }

    public Command peek() {
        return new Command.Ask(admission(), true, Command.NEVER, true);
    }

    private Caller as(Identity other) {
        return new Caller(stage, other, authenticated, route, attributes, cost);
    }
}
