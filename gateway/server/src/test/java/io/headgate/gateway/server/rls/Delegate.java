package io.headgate.gateway.server.rls;

import io.headgate.core.policy.Policy;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Limiter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A limiter that can be exchanged under a server, so that tests share one server. */
record Delegate(Supplier<Limiter> now) implements Limiter {

    @Override
    public CompletableFuture<Answer> admit(Ask ask) {
        return now.get().admit(ask);
    }

    @Override
    public CompletableFuture<Answer> peek(Ask ask) {
        return now.get().peek(ask);
    }

    @Override
    public boolean ready() {
        return now.get().ready();
    }

    @Override
    public Optional<Policy> policy(long version) {
        return now.get().policy(version);
    }

    @Override
    public Optional<Policy> newestPolicy() {
        return now.get().newestPolicy();
    }

    @Override
    public List<Policy> candidates() {
        return now.get().candidates();
    }

    @Override
    public String pseudonym(String attribute, String value) {
        return now.get().pseudonym(attribute, value);
    }
}
