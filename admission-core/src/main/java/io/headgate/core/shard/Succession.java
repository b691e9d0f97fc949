package io.headgate.core.shard;

import io.headgate.core.policy.InForce;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.PolicyReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The versions of the policy that a shard knows: those in force, and those whose time has not come. The versions that wait
 * go up, and so do their times: a version drops all that would take effect with it or later.
 */
final class Succession {

    /** The most versions that wait for their time. */
    static final int MAX_PENDING = 16;

    private final PolicyReader reader;
    private final List<Version> pending = new ArrayList<>();
    private Optional<InForce> inForce;

    private Succession(PolicyReader reader, StateStore store) {
        this.reader = reader;
        Optional<Policy> rolledOut =
                Optional.ofNullable(store.get(Keys.ROLLED_OUT)).map(reader::read);
        this.inForce =
                Optional.ofNullable(store.get(Keys.POLICY)).map(base -> new InForce(reader.read(base), rolledOut));
        for (StateStore.Entry entry : store.scan(Keys.PENDING.from(), Keys.PENDING.to(), MAX_PENDING)) {
            pending.add(read(entry.value()));
        }
    }

    static Succession of(StateStore store, PolicyReader reader) {
        return new Succession(reader, store);
    }

    /** A version and the document that it was read from. */
    record Version(Policy policy, byte[] document) {

        boolean isDue(long nowMillis) {
            return policy.activation().isDue(nowMillis);
        }

        private OptionalLong effectiveAtMillis() {
            return policy.activation().effectiveAtMillis();
        }
    }

    Optional<InForce> inForce() {
        return inForce;
    }

    /** The version for everybody; 0 before the first. */
    long baseVersion() {
        return inForce.map(versions -> versions.base().version()).orElse(0L);
    }

    /** The version that is for some; 0 if there is none. */
    long rolledOutVersion() {
        return inForce.flatMap(InForce::rolledOut).map(Policy::version).orElse(0L);
    }

    /** The newest version that waits for its time; 0 if there is none. */
    long pendingVersion() {
        return pending.isEmpty() ? 0 : pending.get(pending.size() - 1).policy().version();
    }

    Version read(byte[] document) {
        return new Version(reader.read(document), document);
    }

    /** Why a version can come no more, if there is one above it. */
    Optional<String> isLate(Version next) {
        long newest = inForce.map(versions -> versions.newest().version()).orElse(0L);
        long version = next.policy().version();
        if (version <= pendingVersion()) {
            return Optional.of("policy version " + version + " is not above version " + pendingVersion()
                    + ", which waits for its time");
        }
        return version <= newest
                ? Optional.of("policy version " + version + " is not above version " + newest + ", which is in force")
                : Optional.empty();
    }

    /** Keeps a version until its time has come. */
    void postpone(Version next, WorkingSet state) {
        long left = pending.stream().filter(other -> stays(other, next)).count();
        if (left >= MAX_PENDING) {
            throw new IllegalStateException(left + " versions wait for their time, as many as may be;"
                    + " publish it when one of them has taken effect");
        }
        drop(next, state);
        pending.add(next);
        state.put(Keys.pending(next.policy().version()), new PolicyEntry(next.document()));
    }

    boolean isDue(long nowMillis) {
        return !pending.isEmpty() && pending.get(0).isDue(nowMillis);
    }

    /** Takes the first version that waits from among those that do. */
    Version takeDue(WorkingSet state) {
        Version due = pending.remove(0);
        state.delete(Keys.pending(due.policy().version()));
        return due;
    }

    /**
     * What would be in force with {@code next}.
     *
     * @throws InvalidPolicyException if it cannot follow what is in force
     */
    InForce with(Version next) {
        List<InvalidPolicyException.Problem> problems = inForce.map(
                        versions -> versions.problemsOfRollout(next.policy()))
                .orElseGet(() -> InForce.problemsOfFirst(next.policy()));
        if (!problems.isEmpty()) {
            throw new InvalidPolicyException(problems);
        }
        return inForce.map(versions -> versions.followedBy(next.policy())).orElseGet(() -> InForce.only(next.policy()));
    }

    /** Puts a version in force, as {@link #with} said. */
    void enter(Version next, InForce after, WorkingSet state) {
        boolean whole = after.rolledOut().isEmpty();
        state.put(new StateKey(whole ? Keys.POLICY : Keys.ROLLED_OUT), new PolicyEntry(next.document()));
        if (whole && rolledOutVersion() > 0) {
            state.delete(new StateKey(Keys.ROLLED_OUT));
        }
        inForce = Optional.of(after);
        drop(next, state);
    }

    /** Drops the earlier versions that would take effect with {@code next} or after it. */
    private void drop(Version next, WorkingSet state) {
        for (Version other : List.copyOf(pending)) {
            if (!stays(other, next)) {
                pending.remove(other);
                state.delete(Keys.pending(other.policy().version()));
            }
        }
    }

    /** Whether a version that waits is not overtaken by {@code next}. */
    private static boolean stays(Version waiting, Version next) {
        return waiting.policy().version() > next.policy().version()
                || (next.effectiveAtMillis().isPresent()
                        && waiting.effectiveAtMillis().getAsLong()
                                < next.effectiveAtMillis().getAsLong());
    }
}
