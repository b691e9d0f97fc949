package io.headgate.tools;

import java.util.OptionalInt;

/**
 * Something about a file that its author should know.
 *
 * @param line where it stands, from 1 on; empty if it is about the file as a whole
 * @param place of the field in the document; empty if it is about the text
 * @param what what is wrong there, and what would be right
 */
public record Finding(OptionalInt line, String place, String what) {

    /** The file, the line, and what is to be said. */
    public String in(String file) {
        return file + (line.isPresent() ? ":" + line.getAsInt() : "") + ": " + (place.isEmpty() ? "" : place + " ")
                + what;
    }
}
