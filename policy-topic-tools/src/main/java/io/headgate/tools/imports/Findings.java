package io.headgate.tools.imports;

import io.headgate.tools.BadLine;
import io.headgate.tools.CommandFailedException;
import java.util.ArrayList;
import java.util.List;

/** What was found while files were read: mistakes, for which nothing is imported, and what does not carry over. */
final class Findings {

    /** So many mistakes are told; a file may have one in every line. */
    static final int MOST_MISTAKES = 100;

    private static final int LONGEST_SHOWN = 80;

    private final List<String> mistakes = new ArrayList<>();
    private final List<Remark> remarks = new ArrayList<>();
    private int moreMistakes;

    /**
     * Something that does not carry over, or not as it was.
     *
     * @param place where it stands
     * @param what what becomes of it
     */
    record Remark(Place place, String what) {

        @Override
        public String toString() {
            return place + " " + what;
        }
    }

    void mistake(Place place, String what) {
        if (mistakes.size() < MOST_MISTAKES) {
            mistakes.add(place + " " + what);
        } else {
            moreMistakes++;
        }
    }

    void remark(Place place, String what) {
        remarks.add(new Remark(place, what));
    }

    List<Remark> remarks() {
        return List.copyOf(remarks);
    }

    void throwIfMistaken() throws CommandFailedException {
        if (!mistakes.isEmpty()) {
            List<String> lines = new ArrayList<>(mistakes);
            if (moreMistakes > 0) {
                lines.add("and " + moreMistakes + " mistakes more");
            }
            throw new CommandFailedException(lines);
        }
    }

    /** A text out of a file, on one line, cut and in quotes. */
    static String shown(String text) {
        return "'" + BadLine.shown(text, LONGEST_SHOWN) + "'";
    }
}
