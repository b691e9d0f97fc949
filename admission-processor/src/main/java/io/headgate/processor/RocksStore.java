package io.headgate.processor;

import io.headgate.core.shard.StateStore;
import io.headgate.core.shard.StateStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** A shard's state in the store of its task. */
final class RocksStore implements StateStore {

    private final KeyValueStore<Bytes, byte[]> store;

    RocksStore(KeyValueStore<Bytes, byte[]> store) {
        this.store = store;
    }

    @Override
    public byte[] get(byte[] key) {
        return guarded(() -> store.get(Bytes.wrap(key)));
    }

    @Override
    public void put(byte[] key, byte[] value) {
        guarded(() -> {
            store.put(Bytes.wrap(key), value);
            return null;
        });
    }

    @Override
    public void delete(byte[] key) {
        guarded(() -> store.delete(Bytes.wrap(key)));
    }

    @Override
    public List<Entry> scan(byte[] from, byte[] to, int most) {
        return guarded(() -> {
            List<Entry> found = new ArrayList<>();
            try (KeyValueIterator<Bytes, byte[]> entries = store.range(Bytes.wrap(from), Bytes.wrap(to))) {
                while (found.size() < most && entries.hasNext()) {
                    KeyValue<Bytes, byte[]> entry = entries.next();
                    // Kafka's range includes its end, ours does not.
                    if (!Arrays.equals(entry.key.get(), to)) {
                        found.add(new Entry(entry.key.get(), entry.value));
                    }
                }
            }
            return found;
        });
    }

    private static <T> T guarded(Supplier<T> access) {
        try {
            return access.get();
        } catch (RuntimeException failure) {
            throw new StateStoreException(failure);
        }
    }
}
