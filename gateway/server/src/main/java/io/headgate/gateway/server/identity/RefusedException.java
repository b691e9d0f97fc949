package io.headgate.gateway.server.identity;

import java.util.Locale;

/** A request whose sender is not believed, or is told so unclearly that nobody can say who it is. Never 429, never 503. */
public final class RefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Why, as meters name it. */
    public enum Reason {
        /** Says what only a configured proxy may say. */
        STRANGER(403),
        /** A header that makes no sense, or that is there twice. */
        MALFORMED(400),
        /** A token that is no token, or not signed by a key that counts. */
        TOKEN_FORGED(401),
        /** A genuine token whose time is over. */
        TOKEN_EXPIRED(401),
        /** A genuine token for somebody else, or for another time. */
        TOKEN_UNACCEPTABLE(401),
        /** A genuine token that does not say what the gateway must know. */
        TOKEN_INCOMPLETE(403),
        /** No word of who asks, where there must be one. */
        ANONYMOUS(401);

        private final int status;

        Reason(int status) {
            this.status = status;
        }

        /** The word for it in meters. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Reason reason;

    /**
     * Makes one.
     *
     * @param detail what is wrong, for whoever sent it; repeats nothing of what was sent
     */
    RefusedException(Reason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    /** Says what only a configured proxy may say: 403. */
    public static RefusedException stranger(String detail) {
        return new RefusedException(Reason.STRANGER, detail);
    }

    /** Makes no sense: 400. */
    public static RefusedException malformed(String detail) {
        return new RefusedException(Reason.MALFORMED, detail);
    }

    public Reason reason() {
        return reason;
    }

    /** 400, 401 or 403. */
    public int status() {
        return reason.status;
    }
}
