package io.headgate.gateway.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Knows what is due when: a hashed timing wheel (Varghese and Lauck, 1987), a slot every {@link #TICK_NANOS}. Adding and
 * removing touch one slot and nothing else, so a call that is answered in time costs next to nothing. An entry comes out
 * up to one tick before its time and not after it, as long as {@link #advance} is called every tick.
 */
final class DeadlineWheel {

    static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final int SLOTS = 8_192;

    private final Slot[] slots = new Slot[SLOTS];
    private final long startNanos;
    private final Runnable onFirst;
    private final AtomicInteger size = new AtomicInteger();

    /** The last tick that was looked at. An entry may go into a slot while that slot's tick is above it. */
    private volatile long cursor;

    /**
     * Makes an empty wheel.
     *
     * @param nowNanos the time by the clock that all times here are by
     * @param onFirst run whenever the wheel has been empty and is not any more
     */
    DeadlineWheel(long nowNanos, Runnable onFirst) {
        this.startNanos = nowNanos;
        this.onFirst = onFirst;
        for (int i = 0; i < SLOTS; i++) {
            slots[i] = new Slot();
        }
    }

    /** Something that is due at some time. In one wheel at most, and there once at most. */
    abstract static class Entry {
        private volatile Slot slot;
        private Entry previous;
        private Entry next;
        private long dueTick;
    }

    /** The entries of some ticks, a whole turn of the wheel apart. Its lock guards its entries' links. */
    private static final class Slot {
        private Entry first;

        void link(Entry entry) {
            entry.slot = this;
            entry.previous = null;
            entry.next = first;
            if (first != null) {
                first.previous = entry;
            }
            first = entry;
        }

        void unlink(Entry entry) {
            if (entry.previous == null) {
                first = entry.next;
            } else {
                entry.previous.next = entry.next;
            }
            if (entry.next != null) {
                entry.next.previous = entry.previous;
            }
            entry.slot = null;
            entry.previous = null;
            entry.next = null;
        }
    }

    /** Adds an entry. One that is due already comes out at the next tick. */
    void add(Entry entry, long dueNanos) {
        long wanted = Math.floorDiv(dueNanos - startNanos, TICK_NANOS);
        boolean added = false;
        while (!added) {
            added = addAt(entry, Math.max(wanted, cursor + 1));
        }
        if (size.incrementAndGet() == 1) {
            onFirst.run();
        }
    }

    private boolean addAt(Entry entry, long tick) {
        Slot slot = slotOf(tick);
        synchronized (slot) {
            if (tick <= cursor) {
                return false;
            }
            entry.dueTick = tick;
            slot.link(entry);
            return true;
        }
    }

    /** Takes an entry out before its time; nothing happens if it is out already. */
    void remove(Entry entry) {
        Slot slot = entry.slot;
        if (slot == null) {
            return;
        }
        synchronized (slot) {
            if (entry.slot == slot) {
                slot.unlink(entry);
                size.decrementAndGet();
            }
        }
    }

    /** Takes out what is due within the tick that {@code nowNanos} is in, or before. For one thread only. */
    List<Entry> advance(long nowNanos) {
        long target = Math.floorDiv(nowNanos - startNanos, TICK_NANOS);
        List<Entry> due = new ArrayList<>();
        long first = Math.max(cursor + 1, target - SLOTS + 1);
        for (long tick = first; tick <= target; tick++) {
            cursor = tick;
            takeDue(slotOf(tick), target, due);
        }
        return due;
    }

    /** Takes out everything. */
    List<Entry> drain() {
        List<Entry> all = new ArrayList<>();
        for (Slot slot : slots) {
            takeDue(slot, Long.MAX_VALUE, all);
        }
        return all;
    }

    boolean isEmpty() {
        return size.get() == 0;
    }

    private void takeDue(Slot slot, long target, List<Entry> due) {
        synchronized (slot) {
            Entry entry = slot.first;
            while (entry != null) {
                Entry next = entry.next;
                if (entry.dueTick <= target) {
                    slot.unlink(entry);
                    size.decrementAndGet();
                    due.add(entry);
                }
                entry = next;
            }
        }
    }

    private Slot slotOf(long tick) {
        return slots[(int) Math.floorMod(tick, (long) SLOTS)];
    }
}
