package io.headgate.core.policy;

import io.headgate.core.limit.Limit;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * One limit on one kind of key.
 *
 * @param id names the rule and its state: a rule that keeps its id keeps what was spent. Letters, digits, dot, hyphen
 *     and underscore, at most 64
 * @param stage where it is evaluated; the counter's key always contains the stage's partition key
 * @param scope what it counts by, within the stage's partition key
 * @param match the requests that it speaks of; a request that lacks what the scope needs is not one of them
 * @param limit what one key may spend
 * @param cost what a request is charged
 * @param enforcement whether a denial counts
 * @param resetBudgets whether publishing this version forgets what was spent
 * @param reason why the rule is as it is; needed where nothing is ever earned back
 */
public record Rule(
        String id,
        Stage stage,
        Scope scope,
        Match match,
        Limit limit,
        Cost cost,
        Enforcement enforcement,
        boolean resetBudgets,
        String reason) {

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    public Rule {
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException(
                    "id is '" + id + "'; it must be 1 to 64 letters, digits, dots, hyphens and underscores");
        }
        Objects.requireNonNull(match);
        Objects.requireNonNull(limit);
        Objects.requireNonNull(cost);
        Objects.requireNonNull(enforcement);
        Objects.requireNonNull(reason);
        if (!scopesOf(stage).contains(scope)) {
            throw new IllegalArgumentException("scope is '" + scope.label() + "'; in stage '" + stage.label()
                    + "' it must be one of "
                    + scopesOf(stage).stream().map(Scope::label).toList());
        }
    }

    /** The scopes whose keys a stage's partition key determines. */
    public static Set<Scope> scopesOf(Stage stage) {
        return switch (stage) {
            case IP -> EnumSet.of(Scope.IP, Scope.ROUTE);
            case TARGET -> EnumSet.of(Scope.TARGET, Scope.ROUTE);
            case TENANT -> EnumSet.of(Scope.TENANT, Scope.API_KEY, Scope.USER, Scope.ROUTE, Scope.IP);
        };
    }

    public boolean shadow() {
        return enforcement == Enforcement.SHADOW;
    }
}
