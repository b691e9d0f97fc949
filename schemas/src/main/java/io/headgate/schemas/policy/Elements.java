package io.headgate.schemas.policy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The elements of one list of a document. What is wrong with one is noted at its own place.
 *
 * @param place of the list
 * @param list the list
 */
record Elements(String place, JsonNode list, Problems problems) {

    /** All of them as objects; one that is none is empty. */
    List<Optional<Section>> sections() {
        List<Optional<Section>> sections = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i).isObject()) {
                sections.add(Optional.of(new Section(place(i), list.get(i), problems)));
            } else {
                refuse(i, "an object");
                sections.add(Optional.empty());
            }
        }
        return sections;
    }

    /** Those that are texts of a certain shape. */
    List<String> texts(String shape, Predicate<String> fits) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i).isTextual() && fits.test(list.get(i).textValue())) {
                texts.add(list.get(i).textValue());
            } else {
                refuse(i, shape);
            }
        }
        return texts;
    }

    private String place(int index) {
        return place + "[" + index + "]";
    }

    private void refuse(int index, String shape) {
        problems.add(place(index), "is " + Wording.shown(list.get(index)) + "; it must be " + shape);
    }
}
