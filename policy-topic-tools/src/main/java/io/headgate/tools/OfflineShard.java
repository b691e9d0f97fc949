package io.headgate.tools;

import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Policy;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.HeapStore;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import io.headgate.core.shard.StateStore;
import io.headgate.schemas.ZoneTables;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * A shard without Kafka: the fold that decides in production, over a log that is made here, record by record. Log time is
 * the latest time that was told. It ticks, and tells the shard the tables of time zones, as a shard's owner does. Not safe
 * for use by several threads.
 */
public final class OfflineShard {

    private static final long TICK_MILLIS = 1_000;

    /**
     * How many entries the sweep may look at for each request, on average. Requests that are far apart would otherwise
     * pay for a whole tick each; with 64, the state stays within a few per cent of what is alive.
     */
    private static final int SWEPT_ENTRIES_PER_REQUEST = 64;

    private static final byte[] FIRST_KEY = {};
    private static final byte[] END_OF_KEYS = {(byte) 0xff};
    private static final int PAGE = 1_000;
    private static final int LONGEST_ENTRY = 64 * 1024 * 1024;

    private final HeapStore store;
    private final Shard shard;
    private final int sweepEntriesPerTick;
    private final NavigableSet<String> zones = new TreeSet<>();
    private long zonesUntilMillis = Long.MIN_VALUE;
    private long nextOffset;
    private long logTimeMillis;
    private long tickedMillis;
    private long requestsSinceTick;

    /**
     * A new shard, which has its settings and its policy and is not caught up.
     *
     * @param number from 0
     * @param policy decides everything, as {@link #atOnce} gives it
     * @param document what the policy was read from
     */
    public OfflineShard(int number, ShardSettings settings, Policy policy, byte[] document) {
        this(number, settings, policy, new HeapStore());
        control(new Control.ApplySettings(0, -1, settings));
        control(new Control.ApplyPolicy(0, -1, document));
    }

    private OfflineShard(int number, ShardSettings settings, Policy policy, HeapStore store) {
        this.store = store;
        this.shard = new Shard(number, store, document -> policy);
        this.sweepEntriesPerTick = settings.sweepEntriesPerTick();
    }

    /** A policy as if it took effect at once, for everybody and all routes. */
    public static Policy atOnce(Policy policy) {
        return policy.activation().equals(Activation.AT_ONCE)
                ? policy
                : new Policy(
                        policy.name(),
                        policy.version(),
                        policy.routes(),
                        policy.rules(),
                        policy.plans(),
                        policy.idempotency(),
                        policy.bucketsPerRuleAndShard());
    }

    /** Tells the shard the tables of these zones, from the next request on. */
    public void know(Set<String> names) {
        if (zones.addAll(names)) {
            zonesUntilMillis = Long.MIN_VALUE;
        }
    }

    /** Goes on to a time, if it is later, for so many requests; ticks if it is time to. */
    public void advance(long timeMillis, int requests) {
        logTimeMillis = Math.max(logTimeMillis, timeMillis);
        tellZonesIfDue();
        requestsSinceTick += requests;
        int work = Math.min(store.size(), sweepEntriesPerTick);
        if (logTimeMillis - tickedMillis >= TICK_MILLIS && work <= SWEPT_ENTRIES_PER_REQUEST * requestsSinceTick) {
            control(new Control.Tick(logTimeMillis));
            tickedMillis = logTimeMillis;
            requestsSinceTick = 0;
        }
    }

    /** Folds a control record that the shard cannot refuse. */
    public void control(Control control) {
        Folded folded = fold(new LogRecord.Controlled(control));
        if (!folded.problems().isEmpty()) {
            throw new IllegalStateException("the shard refuses its own control record: " + folded.problems());
        }
    }

    /** Folds the next record of the log. */
    public Folded fold(LogRecord.Payload payload) {
        return shard.fold(new LogRecord(nextOffset++, logTimeMillis, payload));
    }

    /** How many entries the shard keeps. */
    public int stateSize() {
        return store.size();
    }

    /** As in production: the tables reach far beyond log time, and are told anew before they end. */
    private void tellZonesIfDue() {
        if (zones.isEmpty() || !ZoneTables.endsSoon(zonesUntilMillis, logTimeMillis)) {
            return;
        }
        zonesUntilMillis = Long.MAX_VALUE;
        for (String name : zones) {
            Zone table = ZoneTables.around(name, logTimeMillis);
            control(new Control.ApplyZone(table));
            zonesUntilMillis = Math.min(zonesUntilMillis, table.untilMillis());
        }
    }

    /** Writes all that it takes to go on. */
    public void writeTo(DataOutput out) throws IOException {
        out.writeLong(zonesUntilMillis);
        out.writeLong(nextOffset);
        out.writeLong(logTimeMillis);
        out.writeLong(tickedMillis);
        out.writeLong(requestsSinceTick);
        out.writeInt(zones.size());
        for (String zone : zones) {
            out.writeUTF(zone);
        }
        out.writeInt(store.size());
        byte[] from = FIRST_KEY;
        List<StateStore.Entry> page = store.scan(from, END_OF_KEYS, PAGE);
        while (!page.isEmpty()) {
            for (StateStore.Entry entry : page) {
                write(out, entry.key());
                write(out, entry.value());
            }
            byte[] last = page.get(page.size() - 1).key();
            from = Arrays.copyOf(last, last.length + 1);
            page = store.scan(from, END_OF_KEYS, PAGE);
        }
    }

    /** Goes on where {@link #writeTo} stopped, under the same number, settings and policy. */
    public static OfflineShard readFrom(DataInput in, int number, ShardSettings settings, Policy policy)
            throws IOException {
        long zonesUntilMillis = in.readLong();
        long nextOffset = in.readLong();
        long logTimeMillis = in.readLong();
        long tickedMillis = in.readLong();
        long requestsSinceTick = in.readLong();
        NavigableSet<String> zones = new TreeSet<>();
        for (int left = in.readInt(); left > 0; left--) {
            zones.add(in.readUTF());
        }
        HeapStore store = new HeapStore();
        for (int left = in.readInt(); left > 0; left--) {
            byte[] key = read(in);
            store.put(key, read(in));
        }
        OfflineShard shard = new OfflineShard(number, settings, policy, store);
        shard.zones.addAll(zones);
        shard.zonesUntilMillis = zonesUntilMillis;
        shard.nextOffset = nextOffset;
        shard.logTimeMillis = logTimeMillis;
        shard.tickedMillis = tickedMillis;
        shard.requestsSinceTick = requestsSinceTick;
        return shard;
    }

    private static void write(DataOutput out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] read(DataInput in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > LONGEST_ENTRY) {
            throw new IOException("an entry of the state has " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }
}
