package io.headgate.core.shard;

import java.util.List;
import java.util.Optional;

/**
 * A record of a shard log, decoded.
 *
 * @param offset its offset; the fold expects each offset once and in order
 * @param timestampMillis its log-append time
 * @param payload what it says
 */
public record LogRecord(long offset, long timestampMillis, Payload payload) {

    /** What a record says. */
    public sealed interface Payload {}

    /**
     * Commands of a gateway, answered together.
     *
     * @param attempt names the batch, so that sent again it is not decided again; empty for clients without sessions
     * @param commands at most {@value #MAX_COMMANDS}
     */
    public record Requests(Optional<Attempt> attempt, List<Command> commands) implements Payload {

        /** The most commands of one batch. */
        public static final int MAX_COMMANDS = 500;

        public Requests {
            commands = List.copyOf(commands);
            if (commands.isEmpty() || commands.size() > MAX_COMMANDS) {
                throw new IllegalArgumentException(
                        "batch has " + commands.size() + " commands; it must have 1 to " + MAX_COMMANDS);
            }
        }
    }

    /** A control record that the shell found to be genuine. */
    public record Controlled(Control control) implements Payload {}

    /** Something that cannot be read, or is not genuine. It becomes a dead letter. */
    public record Unreadable(String reason) implements Payload {}

    /**
     * Names a batch for ever.
     *
     * @param gateway names the gateway, 1 to {@value #MAX_GATEWAY_LENGTH} characters
     * @param epoch names one life of it
     * @param sequence rises by at least one with every new batch of the session to this shard; not negative
     */
    public record Attempt(String gateway, long epoch, long sequence) {

        public static final int MAX_GATEWAY_LENGTH = 128;

        public Attempt {
            if (gateway.isEmpty() || gateway.length() > MAX_GATEWAY_LENGTH) {
                throw new IllegalArgumentException(
                        "gateway has " + gateway.length() + " characters; it must have 1 to " + MAX_GATEWAY_LENGTH);
            }
            if (sequence < 0) {
                throw new IllegalArgumentException("sequence is " + sequence + "; it must not be negative");
            }
        }
    }
}
