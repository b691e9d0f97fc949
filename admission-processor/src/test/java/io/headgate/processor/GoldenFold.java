package io.headgate.processor;

import io.headgate.core.shard.Folded;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Unreadable;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import io.headgate.core.shard.StateStore;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyRecords;
import io.headgate.schemas.ShardLog;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.PolicyDocument;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * Folds a golden log and prints what came of it: after each thousand records, and at the end, the SHA-256 of all replies
 * so far and of the whole state. Arguments: the log's file, {@code memory} or a folder for RocksDB, the number of
 * restarts, and the pause between records in microseconds.
 */
final class GoldenFold {

    /** One line of what is printed. */
    static final int RECORDS_PER_LINE = 1_000;

    private final MessageDigest replies = sha256();
    private final Home home;
    private StateStore store;
    private Shard shard;

    /** Where state survives a restart. */
    private interface Home {

        StateStore open();

        /** Opens again what was there when it was left. */
        StateStore reopen(StateStore left);
    }

    private GoldenFold(Home home) {
        this.home = home;
        store = home.open();
        shard = new Shard(GoldenLog.SHARD, store, PolicyDocument.READER);
    }

    public static void main(String[] args) throws IOException {
        Home home = args[1].equals("memory") ? new Memory() : new Rocks(Path.of(args[1]));
        new GoldenFold(home)
                .fold(
                        GoldenLog.read(Path.of(args[0])),
                        Integer.parseInt(args[2]),
                        TimeUnit.MICROSECONDS.toNanos(Long.parseLong(args[3])))
                .forEach(System.out::println);
    }

    private List<String> fold(List<GoldenLog.Entry> log, int restarts, long pauseNanos) {
        int[] restartsAt =
                new Random(restarts).ints(restarts, 0, log.size()).sorted().toArray();
        List<String> lines = new ArrayList<>();
        for (int offset = 0; offset < log.size(); offset++) {
            if (Arrays.binarySearch(restartsAt, offset) >= 0) {
                store = home.reopen(store);
                shard = new Shard(GoldenLog.SHARD, store, PolicyDocument.READER);
            }
            fold(offset, log.get(offset));
            if (pauseNanos > 0) {
                LockSupport.parkNanos(pauseNanos);
            }
            if ((offset + 1) % RECORDS_PER_LINE == 0) {
                lines.add("records " + (offset + 1) + " replies " + repliesSoFar() + " state " + state());
            }
        }
        return lines;
    }

    private void fold(long offset, GoldenLog.Entry entry) {
        LogRecord record = ShardLog.decode(
                GoldenLog.SHARD, offset, entry.timestampMillis(), new RecordHeaders(), entry.value(), this::controlKey);
        Folded folded = shard.fold(record);
        String problem = record.payload() instanceof Unreadable unreadable ? unreadable.reason() : "";
        add(ReplyRecords.encode(new Reply(GoldenLog.SHARD, shard.view().logTimeMillis(), problem, folded.decisions())));
        folded.problems().forEach(letter -> add(letter.getBytes(StandardCharsets.UTF_8)));
    }

    private void add(byte[] bytes) {
        replies.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
        replies.update(bytes);
    }

    private ControlKey controlKey(String named) {
        Optional<String> pinned = shard.view().settings().map(ShardSettings::controlKeyId);
        if (pinned.isPresent() && !pinned.get().equals(named)) {
            throw new UnreadableRecordException("not the pinned key");
        }
        return SampleLog.KEYS.find(named).orElseThrow(() -> new UnreadableRecordException("no such key"));
    }

    private String repliesSoFar() {
        try {
            return hex(((MessageDigest) replies.clone()).digest());
        } catch (CloneNotSupportedException impossible) {
            throw new IllegalStateException("the SHA-256 of every JDK can be cloned", impossible);
        }
    }

    private String state() {
        MessageDigest state = sha256();
        for (StateStore.Entry entry : all(store)) {
            for (byte[] part : List.of(entry.key(), entry.value())) {
                state.update(
                        ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
                state.update(part);
            }
        }
        return hex(state.digest());
    }

    /** No key begins with so high a byte. */
    private static List<StateStore.Entry> all(StateStore store) {
        return store.scan(new byte[0], new byte[] {(byte) 0xff}, Integer.MAX_VALUE);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-256", missing);
        }
    }

    static String hex(byte[] digest) {
        return HexFormat.of().formatHex(digest);
    }

    private static final class Memory implements Home {

        @Override
        public StateStore open() {
            return new MemoryStore();
        }

        /** Copies, so that nothing can hold on to what was in memory. */
        @Override
        public StateStore reopen(StateStore left) {
            MemoryStore copy = new MemoryStore();
            all(left)
                    .forEach(
                            entry -> copy.put(entry.key().clone(), entry.value().clone()));
            return copy;
        }
    }

    /** The store of Kafka Streams, without its task. */
    private static final class Rocks implements Home {

        private final MockProcessorContext<byte[], byte[]> context;
        private KeyValueStore<Bytes, byte[]> open;

        Rocks(Path folder) {
            Properties config = new Properties();
            config.put(StreamsConfig.APPLICATION_ID_CONFIG, "golden");
            config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1");
            context = new MockProcessorContext<>(config, new TaskId(0, GoldenLog.SHARD), folder.toFile());
        }

        @Override
        public StateStore open() {
            open = Stores.keyValueStoreBuilder(
                            Stores.persistentKeyValueStore(ShardProcessor.STORE), Serdes.Bytes(), Serdes.ByteArray())
                    .withLoggingDisabled()
                    .build();
            open.init(context.getStateStoreContext(), open);
            return new RocksStore(open);
        }

        @Override
        public StateStore reopen(StateStore left) {
            open.close();
            return open();
        }
    }
}
