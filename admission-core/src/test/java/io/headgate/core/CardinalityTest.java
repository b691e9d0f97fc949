package io.headgate.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.shard.Caller;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.ShardSettings;
import io.headgate.core.shard.TestLog;
import io.headgate.core.shard.TestRules;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A million users in an hour, each once, against a cap of 10,000: what a shard remembers stays bounded. */
class CardinalityTest {

    private static final int CAP = 10_000;
    private static final int SECONDS = 3_600;
    private static final int NEW_USERS_A_SECOND = 278;

    /** A user who asked once is whole again after a minute: 16,680 of them would have to be remembered at a time. */
    private static final Rule PER_USER = TestRules.rule("per-user", Scope.USER, new TokenBucketLimit(3, 1, 60_000));

    /** A round of the sweep over 10,000 keys takes 10 s. */
    private static final ShardSettings SETTINGS =
            new ShardSettings(1, 1, "test-key", 30_000, 1_024, 10_000, 3_600_000, 1_000);

    private static final Caller ATLAS = Caller.tenant("atlas");

    @Test
    void a_million_users_in_an_hour_leave_a_bounded_state_and_known_users_their_own_buckets() {
        TestLog log = TestLog.under(SETTINGS, TestRules.capped(CAP, 1, PER_USER));
        List<Caller> regulars = List.of(ATLAS.user("regular 1"), ATLAS.user("regular 2"), ATLAS.user("regular 3"));
        int most = 0;
        long overflowed = 0;
        long deniedOfOverflowed = 0;
        long deniedRegulars = 0;
        for (int second = 0; second < SECONDS; second++) {
            log.at(second * 1_000L);
            // Each asks at the rate of its own bucket, so its bucket is never whole and always has a token.
            if (second % 60 == 0) {
                for (Caller regular : regulars) {
                    Decision decision = log.admit(second == 0 ? regular.cost(2) : regular);
                    deniedRegulars += decision.verdict() == Verdict.ALLOW ? 0 : 1;
                    assertThat(decision.remaining()).as("second %s", second).hasValue(1);
                }
            }
            Folded folded = log.send(newUsers(second));
            overflowed += folded.overflowed();
            deniedOfOverflowed += folded.decisions().stream()
                    .filter(decision -> decision.verdict() == Verdict.DENY)
                    .count();
            log.tick();
            most = Math.max(most, log.store().size());
        }

        assertThat(deniedRegulars).isZero();
        assertThat(overflowed).isPositive();
        assertThat(deniedOfOverflowed).isPositive();
        // The cap, the overflow bucket, and header, policy, rule book and tally.
        assertThat(most).isGreaterThan(CAP).isLessThanOrEqualTo(CAP + 5);
    }

    @Test
    void at_the_cap_newcomers_share_one_bucket_until_the_sweep_finds_room() {
        TestLog log = TestLog.under(SETTINGS, TestRules.capped(CAP, 1, PER_USER));
        for (int second = 0; second < 36; second++) {
            log.at(second * 1_000L).send(newUsers(second));
        }

        Decision known = log.admit(ATLAS.user(userOf(0, 0)));
        Decision newcomer = log.admit(ATLAS.user("newcomer"));
        for (int tick = 0; tick <= 10; tick++) {
            log.at(600_000).tick();
        }
        Decision later = log.admit(ATLAS.user("newcomer"));

        assertThat(known.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(newcomer.verdict()).isEqualTo(Verdict.DENY);
        assertThat(later.remaining()).hasValue(2);
        assertThat(log.store().size()).isLessThan(10);
    }

    private static Command[] newUsers(int second) {
        Command[] commands = new Command[NEW_USERS_A_SECOND];
        for (int i = 0; i < commands.length; i++) {
            commands[i] = ATLAS.user(userOf(second, i)).admit();
        }
        return commands;
    }

    private static String userOf(int second, int index) {
        return "U-" + second + "-" + index;
    }
}
