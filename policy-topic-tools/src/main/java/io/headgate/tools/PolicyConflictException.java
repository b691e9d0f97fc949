package io.headgate.tools;

/** A version cannot be published over what is on the topic already. */
public final class PolicyConflictException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PolicyConflictException(String message) {
        super(message);
    }
}
