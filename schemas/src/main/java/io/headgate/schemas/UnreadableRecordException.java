package io.headgate.schemas;

/** Bytes that are not the record that should stand there, or one that is not genuine. */
public final class UnreadableRecordException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnreadableRecordException(String message) {
        super(message);
    }
}
