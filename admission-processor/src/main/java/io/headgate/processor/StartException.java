package io.headgate.processor;

/** A processor cannot start as things are; the message says what would have to change. */
public final class StartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
