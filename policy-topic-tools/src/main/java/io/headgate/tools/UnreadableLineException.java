package io.headgate.tools;

/** Says why a line cannot be read; the message continues a sentence that begins with the line. */
public final class UnreadableLineException extends Exception {

    private static final long serialVersionUID = 1L;

    public UnreadableLineException(String why) {
        super(why);
    }
}
