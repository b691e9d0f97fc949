package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.shard.Account;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.schemas.policy.PolicyDocument;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class OwnedShardTest {

    private final Shard shard = new Shard(0, new MemoryStore(), PolicyDocument.READER);
    private final OwnedShard owned = new OwnedShard(0, shard.view());

    /** Asks, and answers on this thread, as the stream thread does, until the answer is there. */
    private CompletableFuture<Account> ask(String partitionKey, Function<String, Account> accounts) {
        AtomicBoolean answered = new AtomicBoolean();
        CompletableFuture<Account> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return owned.account(partitionKey, TimeUnit.SECONDS.toMillis(60));
            } catch (Exception failed) {
                throw new CompletionException(failed);
            } finally {
                answered.set(true);
            }
        });
        while (!answered.get()) {
            owned.answerInquiries(accounts);
            Thread.onSpinWait();
        }
        return answer;
    }

    @Test
    void what_goes_wrong_with_an_account_is_told_to_whoever_asked_and_the_stream_thread_goes_on() {
        CompletableFuture<Account> answer = ask("atlas", key -> {
            throw new IllegalStateException("entry of " + key + " is unreadable");
        });

        assertThatThrownBy(answer::join)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("entry of atlas is unreadable");
        assertThat(ask("atlas", shard::account).join().known()).isFalse();
    }
}
