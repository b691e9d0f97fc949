package io.headgate.gateway.server;

/** A request body has a mistake in it. */
final class BadRequestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String field;

    /**
     * Makes one.
     *
     * @param field where the mistake is; empty for the body as a whole
     * @param message what is wrong, in words that may be shown: no identifier but a tenant or a route
     */
    BadRequestException(String field, String message) {
        super(message);
        this.field = field;
    }

    String field() {
        return field;
    }
}
