package io.headgate.tools;

/** Somebody else has taken the name that one alone may write under. */
public final class SupersededException extends Exception {

    private static final long serialVersionUID = 1L;

    public SupersededException() {
        super("somebody else has taken the right to write");
    }
}
