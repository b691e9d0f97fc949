package io.headgate.cluster.bench;

import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Limiter;
import java.util.concurrent.CompletableFuture;

/** Asks for decisions as a gateway does. */
final class Decisions implements Target {

    private final Limiter limiter;
    private final Population population;
    private final String route;

    Decisions(Limiter limiter, Population population, String route) {
        this.limiter = limiter;
        this.population = population;
        this.route = route;
    }

    @Override
    public CompletableFuture<Outcome> ask() {
        return limiter.admit(Ask.of(Population.callerOf(population.next()), true, route))
                .thenApply(Decisions::outcome);
    }

    private static Outcome outcome(Answer answer) {
        if (answer instanceof Decided decided) {
            return decided.allowed() ? Outcome.ALLOW : Outcome.DENY;
        }
        if (answer instanceof Fallback fallback) {
            return Outcome.unanswered("FALLBACK_" + fallback.mode());
        }
        Unavailable none = (Unavailable) answer;
        return Outcome.unanswered(none.decision()
                .map(decision -> decision.verdict().name())
                .orElseGet(() -> none.cause().name()));
    }
}
