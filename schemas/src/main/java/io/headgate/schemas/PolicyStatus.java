package io.headgate.schemas;

import java.nio.charset.StandardCharsets;

/**
 * Which versions a shard or a gateway goes by, in its own words. It decides nothing: it is there for people, and for the
 * command that waits until everybody has a version.
 *
 * @param reporter {@code shard/N} or {@code gateway/NAME}
 * @param process who runs it, for people
 * @param source offset on {@code policies} of the newest version taken over; −1 before the first
 * @param version in force for everybody; 0 if none is
 * @param rolledOut in force for some; 0 if none is
 * @param pending the newest version that waits for its time; 0 if none does
 * @param refusedSource offset of the newest record refused; −1 if none was
 * @param refusal why that was refused; empty if none was
 * @param atMillis when it was said, by the reporter's clock
 * @param everyMillis how often it is said
 */
public record PolicyStatus(
        String reporter,
        String process,
        long source,
        long version,
        long rolledOut,
        long pending,
        long refusedSource,
        String refusal,
        long atMillis,
        long everyMillis) {

    private static final WireFormat<io.headgate.schemas.wire.PolicyStatus> FORMAT =
            new WireFormat<>(io.headgate.schemas.wire.PolicyStatus.class);

    private static final String SHARD = "shard/";
    private static final String GATEWAY = "gateway/";

    /** How many times as long as it said somebody may be silent before it counts as gone. */
    private static final long PATIENCE = 3;

    public static String shard(int number) {
        return SHARD + number;
    }

    public static String gateway(String name) {
        return GATEWAY + name;
    }

    /** Whether the reporter is a shard; else it is a gateway. */
    public boolean ofShard() {
        return reporter.startsWith(SHARD);
    }

    /** Whether it has been silent for so long that it counts as gone. */
    public boolean isStale(long nowMillis) {
        return nowMillis - atMillis > PATIENCE * everyMillis;
    }

    /** The record's key, which the reporter's next word replaces. */
    public byte[] key() {
        return reporter.getBytes(StandardCharsets.UTF_8);
    }

    public byte[] toBytes() {
        return FORMAT.encode(new io.headgate.schemas.wire.PolicyStatus(
                reporter, process, source, version, rolledOut, pending, refusedSource, refusal, atMillis, everyMillis));
    }

    /**
     * Reads a record of {@code policy-status}.
     *
     * @throws UnreadableRecordException if there is none in the bytes
     */
    public static PolicyStatus fromBytes(byte[] bytes) {
        io.headgate.schemas.wire.PolicyStatus read = FORMAT.decode(bytes);
        return new PolicyStatus(
                read.getReporter(),
                read.getProcess(),
                read.getSource(),
                read.getVersion(),
                read.getRolledOut(),
                read.getPending(),
                read.getRefusedSource(),
                read.getRefusal(),
                read.getAtMillis(),
                read.getEveryMillis());
    }
}
