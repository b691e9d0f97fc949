package io.headgate.core.policy;

/** One part of what a composite counts by. */
public sealed interface Part {

    /** How a document writes it. */
    String label();

    /**
     * Reads what {@link #label} says.
     *
     * @throws IllegalArgumentException if it is no part
     */
    static Part labelled(String label) {
        return label.startsWith(Attribute.PREFIX)
                ? new Attribute(label.substring(Attribute.PREFIX.length()))
                : new Of(Scope.labelled(label));
    }

    /** Something that a scope alone can count by. */
    record Of(Scope scope) implements Part {

        public Of {
            if (scope == Scope.COMPOSITE) {
                throw new IllegalArgumentException("a part of a composite is 'composite'; composites do not nest");
            }
        }

        @Override
        public String label() {
            return scope.label();
        }
    }

    /** An attribute that the gateway vouches for. */
    record Attribute(String name) implements Part {

        /** What stands before an attribute's name in a document. */
        public static final String PREFIX = "attributes.";

        public Attribute {
            if (name.isEmpty() || name.length() > 64) {
                throw new IllegalArgumentException(
                        "the name of an attribute has " + name.length() + " characters; it must have 1 to 64");
            }
        }

        @Override
        public String label() {
            return PREFIX + name;
        }
    }
}
