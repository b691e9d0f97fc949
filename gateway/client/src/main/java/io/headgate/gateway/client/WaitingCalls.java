package io.headgate.gateway.client;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Calls that are not in a batch yet, a queue for each partition key, and the keys take turns: who floods waits behind
 * himself. Not safe for use by several threads.
 */
final class WaitingCalls {

    /** By key, whose turn it is next first. */
    private final Map<String, Set<Call>> byKey = new LinkedHashMap<>();

    void add(Call call) {
        byKey.computeIfAbsent(keyOf(call), key -> new LinkedHashSet<>()).add(call);
    }

    void remove(Call call) {
        Set<Call> queue = byKey.get(keyOf(call));
        if (queue != null && queue.remove(call) && queue.isEmpty()) {
            byKey.remove(keyOf(call));
        }
    }

    /** The call whose turn it is, which stays; empty if there is none. */
    Optional<Call> first() {
        return byKey.isEmpty()
                ? Optional.empty()
                : Optional.of(byKey.values().iterator().next().iterator().next());
    }

    /** Takes the call whose turn it is; its key comes again after all others. */
    void removeFirst() {
        Iterator<Map.Entry<String, Set<Call>>> keys = byKey.entrySet().iterator();
        Map.Entry<String, Set<Call>> first = keys.next();
        String key = first.getKey();
        Set<Call> queue = first.getValue();
        keys.remove();
        Iterator<Call> calls = queue.iterator();
        calls.next();
        calls.remove();
        if (!queue.isEmpty()) {
            byKey.put(key, queue);
        }
    }

    private static String keyOf(Call call) {
        return call.admission().partitionKey();
    }
}
