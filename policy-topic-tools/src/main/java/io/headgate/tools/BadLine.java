package io.headgate.tools;

/**
 * A line of input that could not be read. It is counted and named; the lines around it stand.
 *
 * @param lineNumber from 1
 * @param text the line, cut to {@value #LONGEST_TEXT} characters
 * @param why what is wrong with it
 */
public record BadLine(long lineNumber, String text, String why) {

    public static final int LONGEST_TEXT = 120;

    public BadLine {
        text = shown(text, LONGEST_TEXT);
    }

    @Override
    public String toString() {
        return "line " + lineNumber + " " + why + ": " + text;
    }

    /** Text from a stranger, on one line and cut. */
    public static String shown(String text, int longest) {
        String cut = text.length() <= longest ? text : text.substring(0, longest - 1) + "…";
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
