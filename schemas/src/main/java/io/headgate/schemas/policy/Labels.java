package io.headgate.schemas.policy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What may stand in a field, by the text that stands for it, in the order in which a message lists it. */
final class Labels {

    private Labels() {}

    static <T> Map<String, T> of(T[] values, Function<T, String> label) {
        Map<String, T> byLabel = new LinkedHashMap<>();
        for (T value : values) {
            byLabel.put(label.apply(value), value);
        }
        return byLabel;
    }

    /** Texts that stand for themselves. */
    static Map<String, String> of(List<String> texts) {
        return of(texts.toArray(String[]::new), text -> text);
    }
}
