package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class EntryCacheTest {

    private static final Function<byte[], Tally> DECODER = Tally::fromBytes;

    private final MemoryStore store = new MemoryStore();
    private final List<Tally> decoded = new ArrayList<>();

    @Test
    void an_entry_is_read_from_the_store_once() {
        store.put(key(1).bytes(), new Tally(5).toBytes());
        EntryCache cache = new EntryCache(1_000);

        assertThat(get(cache, 1)).contains(new Tally(5));
        assertThat(get(cache, 1)).contains(new Tally(5));

        assertThat(decoded).hasSize(1);
    }

    @Test
    void what_the_store_does_not_have_is_remembered_too() {
        EntryCache cache = new EntryCache(1_000);
        assertThat(get(cache, 1)).isEmpty();

        store.put(key(1).bytes(), new Tally(5).toBytes());

        assertThat(get(cache, 1)).as("nobody but the shard writes its state").isEmpty();
    }

    @Test
    void what_is_put_stands_in_the_store_and_what_is_deleted_does_not() {
        EntryCache cache = new EntryCache(1_000);

        cache.put(key(1), Optional.of(new Tally(5)), store);
        assertThat(store.get(key(1).bytes())).isEqualTo(new Tally(5).toBytes());

        cache.put(key(1), Optional.empty(), store);
        assertThat(store.get(key(1).bytes())).isNull();
        assertThat(get(cache, 1)).isEmpty();
    }

    @Test
    void at_its_bound_it_forgets_what_was_used_longest_ago() {
        int size = key(1).bytes().length + new Tally(1).toBytes().length;
        EntryCache cache = new EntryCache(2 * size);
        cache.put(key(1), Optional.of(new Tally(1)), store);
        cache.put(key(2), Optional.of(new Tally(2)), store);
        get(cache, 1);

        cache.put(key(3), Optional.of(new Tally(3)), store);

        assertThat(get(cache, 1)).contains(new Tally(1));
        assertThat(get(cache, 3)).contains(new Tally(3));
        assertThat(decoded).isEmpty();
        assertThat(get(cache, 2)).contains(new Tally(2));
        assertThat(decoded).containsExactly(new Tally(2));
    }

    @Test
    void an_entry_that_is_put_again_and_again_takes_its_place_once() {
        int size = key(1).bytes().length + new Tally(1).toBytes().length;
        EntryCache cache = new EntryCache(2 * size);
        cache.put(key(1), Optional.of(new Tally(1)), store);

        for (int keys = 1; keys <= 10; keys++) {
            cache.put(key(2), Optional.of(new Tally(keys)), store);
        }

        assertThat(get(cache, 1)).contains(new Tally(1));
        assertThat(get(cache, 2)).contains(new Tally(10));
        assertThat(decoded).isEmpty();
    }

    @Test
    void an_entry_that_has_grown_large_is_read_from_the_store_again() {
        EntryCache cache = new EntryCache(10_000);
        StateKey policy = new StateKey(Keys.POLICY);
        cache.put(policy, Optional.of(new PolicyEntry(new byte[10])), store);

        cache.put(policy, Optional.of(new PolicyEntry(new byte[2_000])), store);

        Optional<StateEntry> found = cache.get(policy, store, PolicyEntry::new);
        assertThat(found).get().extracting(StateEntry::toBytes).isEqualTo(new byte[2_000]);
    }

    private Optional<StateEntry> get(EntryCache cache, int number) {
        return cache.get(key(number), store, bytes -> {
            decoded.add(DECODER.apply(bytes));
            return DECODER.apply(bytes);
        });
    }

    private static StateKey key(int number) {
        return Keys.tally("rule-" + number);
    }
}
