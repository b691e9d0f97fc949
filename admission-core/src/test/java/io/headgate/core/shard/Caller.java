package io.headgate.core.shard;

import io.headgate.core.account.Subject;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Meter;
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
        Map<String, Long> costs) {

    public static Caller tenant(String tenant) {
        return new Caller(Stage.TENANT, new Identity(tenant, "", "", "", ""), true, "GET /catalog", Map.of(), Map.of());
    }

    public static Caller address(String ip) {
        return new Caller(Stage.IP, new Identity("", "", "", ip, ""), false, "GET /catalog", Map.of(), Map.of());
    }

    public static Caller target(String target) {
        return new Caller(Stage.TARGET, new Identity("", "", "", "", target), false, "POST /login", Map.of(), Map.of());
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
        return new Caller(stage, identity, false, route, attributes, costs);
    }

    public Caller route(String newRoute) {
        return new Caller(stage, identity, authenticated, newRoute, attributes, costs);
    }

    public Caller attribute(String name, String value) {
        Map<String, String> more = new TreeMap<>(attributes);
        more.put(name, value);
        return new Caller(stage, identity, authenticated, route, more, costs);
    }

    public Caller cost(long newCost) {
        return cost(Meter.REQUESTS, newCost);
    }

    public Caller cost(String meter, long newCost) {
        Map<String, Long> more = new TreeMap<>(costs);
        more.put(meter, newCost);
        return new Caller(stage, identity, authenticated, route, attributes, more);
    }

    public Admission admission() {
        return new Admission(stage, identity, authenticated, route, attributes, costs);
    }

    public Command admit() {
        return new Command.Ask(admission(), false, Command.NEVER, false);
    }

    public Command admitBefore(long deadlineMillis) {
        return new Command.Ask(admission(), false, deadlineMillis, false);
    }

    /** Under the caller's own key. */
    public Command admitAs(String idempotencyKey) {
        return new Command.Ask(admission(), false, Command.NEVER, false, idempotencyKey, false);
    }

    public Command admitTraced() {
        return new Command.Ask(admission(), false, Command.NEVER, false, "", true);
    }

    public Command peekTraced() {
        return new Command.Ask(admission(), true, Command.NEVER, false, "", true);
    }

    /** The one that an operator's action is about. */
    public Subject subject() {
        return new Subject(stage, identity, route, attributes);
    }

    public Command admitExplained() {
        return new Command.Ask(admission(), false, Command.NEVER, true);
    }

    public Command peek() {
        return new Command.Ask(admission(), true, Command.NEVER, true);
    }

    private Caller as(Identity other) {
        return new Caller(stage, other, authenticated, route, attributes, costs);
    }
}
