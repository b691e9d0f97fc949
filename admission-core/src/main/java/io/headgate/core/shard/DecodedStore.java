package io.headgate.core.shard;

import java.util.Optional;
import java.util.function.Function;

/** A state store that keeps entries as they are, so that nothing has to be encoded to be kept, or decoded to be read. */
interface DecodedStore extends StateStore {

    /** An entry, or empty where there is none. A key is always read with the same decoder. */
    Optional<StateEntry> get(StateKey key, Function<byte[], ? extends StateEntry> decoder);

    /** Keeps an entry, or deletes it when it is empty. */
    void put(StateKey key, Optional<StateEntry> entry);
}
