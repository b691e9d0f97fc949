package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class WorkingSetTest {

    private static final StateKey KNOWN = Keys.tally("known");
    private static final StateKey NEW = Keys.tally("new");

    private final MemoryStore store = new MemoryStore();
    private final WorkingSet state = new WorkingSet(store, new EntryCache(1_000));

    @Test
    void what_a_failed_command_changed_is_forgotten_and_what_the_one_before_it_changed_is_written() {
        state.put(KNOWN, new Tally(5));
        state.keep();
        state.put(KNOWN, new Tally(6));
        state.put(NEW, new Tally(1));

        state.forget();

        assertThat(tally(KNOWN)).contains(new Tally(5));
        assertThat(tally(NEW)).isEmpty();
        state.keep();
        state.flush();
        assertThat(store.get(KNOWN.bytes())).isEqualTo(new Tally(5).toBytes());
        assertThat(store.get(NEW.bytes())).isNull();
    }

    @Test
    void a_key_is_changed_again_after_its_change_was_forgotten() {
        state.put(NEW, new Tally(1));
        state.forget();

        state.put(NEW, new Tally(2));
        state.keep();
        state.flush();

        assertThat(store.get(NEW.bytes())).isEqualTo(new Tally(2).toBytes());
    }

    private Optional<Tally> tally(StateKey key) {
        return state.get(key, Tally::fromBytes);
    }
}
