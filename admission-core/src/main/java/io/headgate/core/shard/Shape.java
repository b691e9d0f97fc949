package io.headgate.core.shard;

import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.List;

/**
 * What a rule counts, and by what: counters of another shape are not the same counters.
 *
 * @param stage the stage that it counts in
 * @param scope what it counts by
 * @param composite the parts of that, if it is a composite
 * @param meter what it counts
 */
record Shape(Stage stage, Scope scope, List<Part> composite, String meter) {

    Shape {
        composite = List.copyOf(composite);
    }

    static Shape of(Rule rule) {
        return new Shape(rule.stage(), rule.scope(), rule.composite(), rule.meter());
    }

    void writeTo(ByteWriter out) {
        out.putString(stage.label()).putString(scope.label()).putLong(composite.size());
        composite.forEach(part -> out.putString(part.label()));
        out.putString(meter);
    }

    static Shape readFrom(ByteReader in) {
        Stage stage = Stage.labelled(in.getString());
        Scope scope = Scope.labelled(in.getString());
        List<Part> composite = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            composite.add(Part.labelled(in.getString()));
        }
        return new Shape(stage, scope, composite, in.getString());
    }
}
