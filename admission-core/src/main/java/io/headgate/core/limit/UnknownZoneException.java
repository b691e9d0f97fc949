package io.headgate.core.limit;

/** A time zone whose table has not come yet: nothing that depends on it can be decided. */
public final class UnknownZoneException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnknownZoneException(String zone) {
        super("the offsets of time zone " + zone + " are not known here yet");
    }
}
