package io.headgate.processor;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** The shards that this process owns now. */
final class OwnedShards {

    private final ConcurrentSkipListMap<Integer, OwnedShard> byNumber = new ConcurrentSkipListMap<>();

    void add(OwnedShard shard) {
        byNumber.put(shard.number(), shard);
    }

    /** Removes the shard, unless another task of this process has taken it over meanwhile. */
    void remove(OwnedShard shard) {
        byNumber.remove(shard.number(), shard);
    }

    Optional<OwnedShard> find(int number) {
        return Optional.ofNullable(byNumber.get(number));
    }

    /** In order of their numbers. */
    List<OwnedShard> all() {
        return List.copyOf(byNumber.values());
    }
}
