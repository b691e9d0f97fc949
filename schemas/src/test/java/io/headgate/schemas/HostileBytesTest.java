package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes of a stranger are read, or refused with the one exception that says so; and a few of them never cost much. */
@Timeout(60)
class HostileBytesTest {

    /** The most that reading a small record may allocate: a string may claim 8 MiB before its end is missed. */
    private static final long MAX_ALLOCATED_BYTES = 24L * 1024 * 1024;

    private static final int HEADER = 10;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final Map<String, Reader> READERS = Map.of(
            "RequestRecords", RequestRecords::decode,
            "ReplyRecords", ReplyRecords::decode,
            "PolicyRecord", PolicyRecord::fromBytes,
            "DeadLetterRecord", DeadLetterRecord::fromBytes,
            "ControlRecords", bytes -> ControlRecords.decode(bytes, Samples.SHARD, Samples::anyName),
            "ShardLog", bytes -> ShardLog.decode(Samples.SHARD, 0, 0, new RecordHeaders(), bytes, Samples::anyName),
            "ShardLog in JSON",
                    bytes -> ShardLog.decode(Samples.SHARD, 0, 0, Samples.jsonHeaders(), bytes, Samples::anyName));

    @FunctionalInterface
    private interface Reader {
        Object read(byte[] bytes);
    }

    /** Every reader reads the bytes or refuses them. */
    private static void assertHarmless(byte[] bytes) {
        READERS.forEach((name, reader) -> {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            try {
                reader.read(bytes);
            } catch (UnreadableRecordException refused) {
                assertThat(refused.getMessage()).isNotBlank();
            } catch (RuntimeException | Error escaped) {
                fail(name + " threw something else for " + HexFormat.of().formatHex(bytes), escaped);
            }
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            if (allocated > MAX_ALLOCATED_BYTES) {
                fail(name + " allocated " + allocated + " bytes for "
                        + HexFormat.of().formatHex(bytes));
            }
        });
    }

    /** In Avro and in JSON. */
    private static List<byte[]> goodRecords() {
        List<byte[]> records = new ArrayList<>(Samples.encoded().values());
        records.add(Samples.requestsInJson());
        return records;
    }

    @Test
    void random_bytes() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(120)];
            random.nextBytes(bytes);
            assertHarmless(bytes);
        }
    }

    @Test
    void random_bytes_behind_a_good_header() {
        Random random = new Random(2);
        for (byte[] good : Samples.encoded().values()) {
            for (int i = 0; i < 3_000; i++) {
                byte[] bytes = new byte[HEADER + random.nextInt(120)];
                random.nextBytes(bytes);
                System.arraycopy(good, 0, bytes, 0, HEADER);
                assertHarmless(bytes);
            }
        }
    }

    /** JSON's own characters, in any order. */
    @Test
    void random_json() {
        Random random = new Random(4);
        List<String> pieces = List.of(
                "{",
                "}",
                "[",
                "]",
                ":",
                ",",
                "\"",
                "\\",
                "\\ud83d",
                "\\u",
                "\"commands\":[",
                "\"attempt\":{",
                "\"tenant\":",
                "\"cost\":",
                "\"t\"",
                "1",
                "-",
                "0",
                "e",
                ".",
                "true",
                "null",
                "NaN",
                "é",
                "😀",
                "\0",
                "\ufeff",
                "\n",
                " ");
        for (int i = 0; i < 10_000; i++) {
            StringBuilder json = new StringBuilder(random.nextBoolean() ? "{\"commands\":[{" : "");
            for (int piece = random.nextInt(30); piece >= 0; piece--) {
                json.append(pieces.get(random.nextInt(pieces.size())));
            }
            assertHarmless(json.toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void every_beginning_of_a_good_record() {
        for (byte[] good : goodRecords()) {
            for (int length = 0; length < good.length; length++) {
                assertHarmless(Arrays.copyOf(good, length));
            }
        }
    }

    @Test
    void every_flipped_bit() {
        for (byte[] good : goodRecords()) {
            for (int bit = 0; bit < good.length * Byte.SIZE; bit++) {
                byte[] bytes = good.clone();
                bytes[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                assertHarmless(bytes);
            }
        }
    }

    @Test
    void several_changed_bytes() {
        Random random = new Random(3);
        for (byte[] good : goodRecords()) {
            for (int i = 0; i < 5_000; i++) {
                byte[] bytes = good.clone();
                for (int change = random.nextInt(4); change >= 0; change--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
                }
                assertHarmless(bytes);
            }
        }
    }

    /** At every place of every record a length or a count that nothing follows: near the bounds, and absurd ones. */
    @Test
    void claimed_lengths_anywhere() {
        List<Long> claims = List.of(
                8L * 1024 * 1024,
                8L * 1024 * 1024 + 1,
                99_999L,
                100_000L,
                100_001L,
                (long) Integer.MAX_VALUE,
                1L << 31,
                1L << 40,
                Long.MAX_VALUE,
                -1L,
                -100_000L,
                (long) Integer.MIN_VALUE,
                Long.MIN_VALUE);
        for (byte[] good : Samples.encoded().values()) {
            for (int at = HEADER; at < good.length; at++) {
                for (long claim : claims) {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    bytes.write(good, 0, at);
                    writeZigZag(bytes, claim);
                    bytes.write(good, at, good.length - at);
                    assertHarmless(bytes.toByteArray());
                }
            }
        }
    }

    private static void writeZigZag(ByteArrayOutputStream out, long value) {
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7fL) != 0) {
            out.write((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    @Test
    void a_reason_tells_what_is_wrong() {
        assertThatThrownBy(() -> RequestRecords.decode(new byte[9]))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageStartingWith("value has 9 bytes; a record has 10 at least");
        assertThatThrownBy(() -> RequestRecords.decode(Samples.policy().toBytes()))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("cannot be read");
    }
}
