package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.shard.LogRecord.Attempt;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

class ShardTest {

    private static final Caller ATLAS = Caller.tenant("atlas");
    private static final Caller BIRCH = Caller.tenant("birch");
    private static final Rule DAILY = TestRules.rule("daily", Scope.TENANT, new FixedWindowLimit(100, 86_400_000));

    // ---- all or nothing

    @Test
    void a_denial_changes_no_bucket() {
        TestLog log = TestLog.under(
                TestRules.rule("tenant", Scope.TENANT, new TokenBucketLimit(10, 1, 1_000)),
                TestRules.rule("user", Scope.USER, new FixedWindowLimit(2, 10_000)));
        Caller user = ATLAS.user("U-1");
        log.at(5).admit(user.cost(2));
        SortedMap<String, String> before = log.buckets();

        Decision decision = log.at(700).admit(user);

        assertThat(decision.verdict()).isEqualTo(Verdict.DENY);
        assertThat(log.buckets()).isEqualTo(before);
    }

    @Test
    void a_request_of_cost_0_leaves_no_bucket_behind() {
        TestLog log = TestLog.under(DAILY);

        Decision decision = log.admit(ATLAS.cost(0));

        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.buckets()).isEmpty();
    }

    @Test
    void commands_of_one_batch_see_what_the_ones_before_them_spent() {
        TestLog log = TestLog.under(TestRules.rule("two", Scope.TENANT, new FixedWindowLimit(2, 10_000)));

        List<Decision> decisions = log.send(ATLAS.admit(), ATLAS.peek(), ATLAS.admit(), ATLAS.admit())
                .decisions();

        assertThat(decisions)
                .extracting(Decision::verdict)
                .containsExactly(Verdict.ALLOW, Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY);
        assertThat(decisions.get(1).remaining()).hasValue(1);
    }

    @Test
    void a_window_of_the_calendar_needs_no_table_of_UTC() {
        Rule utc = TestRules.rule(
                "utc", Scope.TENANT, new FixedWindowLimit(5, new Window.Calendar(CalendarUnit.DAY, "UTC")));
        Rule ofTenant = TestRules.rule(
                "own",
                Scope.TENANT,
                new FixedWindowLimit(3, new Window.Calendar(CalendarUnit.DAY, Window.Calendar.OF_TENANT)));
        TestLog log = TestLog.under(utc, ofTenant);

        Decision decision = log.admit(ATLAS);

        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(decision.remaining()).hasValue(2);
        assertThat(decision.resetAfterMillis()).hasValue(24 * 3_600_000);
    }

    // ---- what fails

    @Test
    void a_command_whose_bucket_cannot_be_read_is_an_ERROR_and_the_rest_of_its_batch_stands() {
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS);
        byte[] key = bucketKey(DAILY, ATLAS);
        byte[] corrupt = {1};
        log.store().put(key, corrupt);
        log.restart();

        Folded folded = log.send(BIRCH.admit(), ATLAS.admit(), BIRCH.admit());

        assertThat(folded.decisions())
                .extracting(Decision::verdict)
                .containsExactly(Verdict.ALLOW, Verdict.ERROR, Verdict.ALLOW);
        assertThat(folded.decisions().get(1).reason()).contains("nothing was debited");
        assertThat(folded.decisions().get(2).remaining()).hasValue(98);
        assertThat(folded.problems()).singleElement().asString().contains("command 1");
        assertThat(log.store().get(key)).isEqualTo(corrupt);
        assertThat(log.peek(BIRCH).remaining()).hasValue(98);
    }

    @Test
    void a_command_that_fails_on_its_second_rule_debits_nothing_of_its_first() {
        Rule user = TestRules.rule("user", Scope.USER, new FixedWindowLimit(5, 10_000));
        TestLog log = TestLog.under(DAILY, user);
        Caller asker = ATLAS.user("U-1");
        log.store().put(bucketKey(user, asker), new byte[] {1});

        Decision decision = log.admit(asker);

        assertThat(decision.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(log.buckets("daily")).isEmpty();
        assertThat(log.peek(ATLAS).remaining()).hasValue(100);
    }

    @Test
    void a_failure_of_the_store_is_no_answer() {
        FailingStore store = new FailingStore();
        TestPolicies policies = new TestPolicies();
        Shard shard = new Shard(0, store, policies);
        List<Control> controls = List.of(
                new Control.ApplySettings(0, -1, TestLog.ONE_SHARD),
                new Control.ApplyPolicy(0, -1, policies.add(TestRules.policy(1, DAILY))),
                new Control.CaughtUp());
        for (Control control : controls) {
            shard.fold(new LogRecord(shard.view().nextOffset(), 0, new LogRecord.Controlled(control)));
        }
        store.fails = true;

        assertThatThrownBy(() -> shard.fold(
                        new LogRecord(3, 0, new LogRecord.Requests(Optional.empty(), List.of(ATLAS.admit())))))
                .isInstanceOf(StateStoreException.class);
    }

    @Test
    void what_cannot_be_read_becomes_a_dead_letter_and_the_log_goes_on() {
        TestLog log = TestLog.under(DAILY);

        Folded folded = log.append(new LogRecord.Unreadable("random bytes"));

        assertThat(folded).isEqualTo(new Folded(List.of(), List.of("random bytes"), 0));
        assertThat(log.admit(ATLAS).verdict()).isEqualTo(Verdict.ALLOW);
    }

    // ---- the log

    @Test
    void a_gap_in_the_offsets_stops_the_shard() {
        TestLog log = TestLog.under(DAILY);

        assertThatThrownBy(() -> log.shard().fold(new LogRecord(4, 0, new LogRecord.Unreadable("x"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the next offset is 3, but the record has 4");
        assertThatThrownBy(() -> log.shard().fold(new LogRecord(2, 0, new LogRecord.Unreadable("x"))))
                .isInstanceOf(IllegalStateException.class);
        assertThat(log.admit(ATLAS).verdict()).isEqualTo(Verdict.ALLOW);
    }

    @Test
    void an_accepted_loss_moves_the_next_offset_and_is_remembered() {
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS);

        Loss loss = new Loss(4, 10, "ops@example.org", "disk of broker 2");
        log.shard().accept(loss);
        log.restart();

        assertThat(log.shard().view().losses()).containsExactly(loss);
        assertThat(log.shard().view().nextOffset()).isEqualTo(10);
        assertThat(log.admit(ATLAS).remaining()).hasValue(98);
    }

    @Test
    void a_loss_that_begins_elsewhere_is_refused() {
        TestLog log = TestLog.under(DAILY);

        assertThatThrownBy(() -> log.shard().accept(new Loss(5, 10, "ops", "why")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("offset 3")
                .hasMessageContaining("at 5");
        assertThatThrownBy(() -> new Loss(5, 10, " ", "why")).hasMessageContaining("author");
    }

    @Test
    void of_more_than_16_losses_the_oldest_is_forgotten() {
        TestLog log = TestLog.under(DAILY);

        for (long from = 3; from < 20; from++) {
            log.shard().accept(new Loss(from, from + 1, "ops", "why"));
        }

        assertThat(log.shard().view().losses())
                .hasSize(16)
                .extracting(Loss::fromOffset)
                .doesNotContain(3L);
    }

    @Test
    void log_time_never_goes_back() {
        TestLog log = TestLog.under(TestRules.rule("bucket", Scope.TENANT, new TokenBucketLimit(4, 2, 1_000)));
        log.at(100_000).admit(ATLAS.cost(4));

        Decision earlier = log.at(90_000).admit(ATLAS);
        Decision again = log.at(100_000).admit(ATLAS);

        assertThat(earlier.verdict()).isEqualTo(Verdict.DENY);
        assertThat(earlier.retryAfterMillis()).hasValue(500);
        assertThat(again.retryAfterMillis()).hasValue(500);
        assertThat(log.shard().view().logTimeMillis()).isEqualTo(100_000);
    }

    @Test
    void a_newer_way_of_deciding_stops_this_release_and_stops_it_again() {
        TestLog log = TestLog.under(DAILY);
        ShardSettings newer = new ShardSettings(2, 1, "test-key", 30_000, 1_024, 10_000, 3_600_000, 5_000);

        assertThatThrownBy(() -> log.settings(newer)).isInstanceOf(UnsupportedSemanticsException.class);
        log.restart();
        assertThatThrownBy(() -> log.control(new Control.ApplySettings(1, 0, newer)))
                .isInstanceOf(UnsupportedSemanticsException.class)
                .hasMessageContaining("version 2");
    }

    // ---- control records

    @Test
    void a_policy_that_comes_twice_is_applied_once() {
        TestLog log = TestLog.under(DAILY);
        byte[] second = log.document(TestRules.policy(2, TestRules.resetting(DAILY)));
        log.control(new Control.ApplyPolicy(5, 0, second));
        log.admit(ATLAS);

        Folded again = log.control(new Control.ApplyPolicy(5, 0, second));

        assertThat(again).isEqualTo(Folded.nothing());
        assertThat(log.peek(ATLAS).remaining()).hasValue(99);
        assertThat(log.shard().view().policySource()).isEqualTo(5);
    }

    @Test
    void a_policy_that_comes_before_the_one_before_it_waits_for_its_turn() {
        TestLog log = TestLog.under(DAILY);
        Control second = new Control.ApplyPolicy(1, 0, log.document(policyOf(2, 200)));
        Control third = new Control.ApplyPolicy(2, 1, log.document(policyOf(3, 300)));

        log.control(third);
        long afterThird = log.shard().view().policyVersion();
        log.control(second);
        log.control(third);

        assertThat(afterThird).isEqualTo(1);
        assertThat(log.shard().view().policyVersion()).isEqualTo(3);
    }

    @Test
    void two_owners_at_once_come_to_the_same_policy() {
        TestLog log = TestLog.under(DAILY);
        Control second = new Control.ApplyPolicy(1, 0, log.document(policyOf(2, 200)));
        Control third = new Control.ApplyPolicy(4, 1, log.document(policyOf(3, 300)));
        Control both = new Control.ApplyPolicy(4, 0, log.document(policyOf(3, 300)));

        List.of(second, both, third, second, both).forEach(log::control);

        assertThat(log.shard().view().policyVersion()).isEqualTo(3);
        assertThat(log.shard().view().policySource()).isEqualTo(4);
    }

    @Test
    void settings_follow_the_same_chain() {
        TestLog log = TestLog.under(DAILY);
        ShardSettings other = new ShardSettings(1, 1, "other-key", 30_000, 1_024, 10_000, 3_600_000, 5_000);

        log.control(new Control.ApplySettings(0, -1, other));
        Optional<ShardSettings> afterRepeat = log.shard().view().settings();
        log.control(new Control.ApplySettings(3, 2, other));
        Optional<ShardSettings> afterGap = log.shard().view().settings();
        log.control(new Control.ApplySettings(3, 0, other));

        assertThat(afterRepeat).hasValue(TestLog.ONE_SHARD);
        assertThat(afterGap).hasValue(TestLog.ONE_SHARD);
        assertThat(log.shard().view().settings()).hasValue(other);
    }

    @Test
    void the_number_of_shards_is_for_ever() {
        TestLog log = TestLog.under(DAILY);

        Folded folded = log.settings(ShardSettings.initial(2, "test-key"));

        assertThat(folded.problems()).singleElement().asString().contains("2 shards; there are 1");
        assertThat(log.shard().view().settings()).hasValue(TestLog.ONE_SHARD);
    }

    @Test
    void a_policy_that_cannot_be_read_leaves_the_last_one_in_force() {
        TestLog log = TestLog.under(DAILY);

        Folded folded = log.control(new Control.ApplyPolicy(1, 0, new byte[] {'?'}));

        assertThat(folded.problems()).singleElement().asString().contains("policy at offset 1 is refused");
        assertThat(log.admit(ATLAS).remaining()).hasValue(99);
        assertThat(log.policy(policyOf(2, 200)).problems()).isEmpty();
    }

    @Test
    void a_limit_may_change_a_thousand_times_in_one_round_of_the_sweep_and_no_more() {
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS.cost(7));
        List<String> problems = new ArrayList<>();
        for (int version = 2; version <= 1_000; version++) {
            problems.addAll(log.policy(policyOf(version, 1_000 + version)).problems());
        }

        Folded tooMuch = log.policy(policyOf(1_001, 5));
        log.at(1).tick();
        log.tick();
        Folded afterSweep = log.policy(policyOf(1_002, 50));

        assertThat(problems).isEmpty();
        assertThat(tooMuch.problems()).singleElement().asString().contains("changed more than 1000 times");
        assertThat(afterSweep.problems()).isEmpty();
        assertThat(log.peek(ATLAS).remaining()).hasValue(43);
    }

    @Test
    void a_rule_that_comes_back_finds_what_was_spent() {
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS.cost(30));
        log.policy(TestRules.policy(2));
        log.tick();

        log.policy(TestRules.policy(3, DAILY));

        assertThat(log.peek(ATLAS).remaining()).hasValue(70);
    }

    @Test
    void another_algorithm_or_another_scope_begins_afresh() {
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS.cost(30));

        log.policy(TestRules.policy(2, TestRules.rule("daily", Scope.TENANT, new SlidingLogLimit(100, 86_400_000))));
        Decision asLog = log.admit(ATLAS.cost(5).user("U-1"));
        log.policy(TestRules.policy(3, TestRules.rule("daily", Scope.USER, new SlidingLogLimit(100, 86_400_000))));
        Decision byUser = log.admit(ATLAS.user("U-1"));

        assertThat(asLog.remaining()).hasValue(95);
        assertThat(byUser.remaining()).hasValue(99);
        log.tick();
        assertThat(log.buckets("daily")).hasSize(1);
    }

    @Test
    void a_sliding_log_made_shorter_never_tells_a_wait_that_is_over() {
        TestLog log = TestLog.under(TestRules.rule("log", Scope.TENANT, new SlidingLogLimit(3, 10_000)));
        log.admit(ATLAS.cost(3));
        log.at(8_000);

        log.policy(TestRules.policy(2, TestRules.rule("log", Scope.TENANT, new SlidingLogLimit(3, 5_000))));

        assertThat(log.admit(ATLAS.cost(3)).verdict()).isEqualTo(Verdict.ALLOW);
    }

    // ---- sessions

    private static ShardSettings sessions(int attempts, int sessions, long idleMillis) {
        return new ShardSettings(1, 1, "test-key", 10_000, attempts, sessions, idleMillis, 100);
    }

    @Test
    void of_a_session_the_last_16_batches_are_repeated_and_the_one_before_them_is_an_ERROR() {
        TestLog log = TestLog.under(sessions(16, 10, 60_000), TestRules.policy(1, DAILY));
        for (int sequence = 0; sequence <= 16; sequence++) {
            log.send(new Attempt("g", 1, sequence), ATLAS.admit());
        }

        Decision overwritten = first(log.send(new Attempt("g", 1, 0), ATLAS.admit()));
        Decision oldest = first(log.send(new Attempt("g", 1, 1), ATLAS.admit()));
        Decision newest = first(log.send(new Attempt("g", 1, 16), ATLAS.admit()));

        assertThat(overwritten.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(oldest.replayed()).isTrue();
        assertThat(oldest.remaining()).hasValue(98);
        assertThat(newest.replayed()).isTrue();
        assertThat(log.peek(ATLAS).remaining()).hasValue(83);
    }

    @Test
    void a_sequence_that_was_passed_over_is_never_decided() {
        TestLog log = TestLog.under(DAILY);
        log.send(new Attempt("g", 1, 5), ATLAS.admit());

        Decision late = first(log.send(new Attempt("g", 1, 4), ATLAS.admit()));

        assertThat(late.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(late.reason()).contains("batch 4");
        assertThat(log.peek(ATLAS).remaining()).hasValue(99);
    }

    @Test
    void one_session_more_than_the_cap_is_an_ERROR_and_known_ones_go_on() {
        TestLog log = TestLog.under(sessions(16, 2, 60_000), TestRules.policy(1, DAILY));
        log.send(new Attempt("g", 1, 0), ATLAS.admit());
        log.send(new Attempt("g", 2, 0), ATLAS.admit());

        Decision third = first(log.send(new Attempt("g", 3, 0), ATLAS.admit()));
        Decision known = first(log.send(new Attempt("g", 2, 1), ATLAS.admit()));

        assertThat(third.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(third.reason()).contains("2 sessions");
        assertThat(known.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(known.remaining()).hasValue(97);
    }

    @Test
    void an_idle_session_makes_room_for_another() {
        TestLog log = TestLog.under(sessions(16, 1, 60_000), TestRules.policy(1, DAILY));
        log.send(new Attempt("g", 1, 0), ATLAS.admit());

        log.at(59_999).tick();
        Decision early = first(log.send(new Attempt("g", 2, 0), ATLAS.admit()));
        log.at(60_000).tick();
        Decision after = first(log.send(new Attempt("g", 2, 0), ATLAS.admit()));

        assertThat(early.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(after.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.entries(Keys.SESSION)).hasSize(1);
        assertThat(log.entries(Keys.ATTEMPT)).hasSize(1);
    }

    @Test
    void an_answer_repeated_lacks_only_what_each_rule_said() {
        TestLog log = TestLog.under(
                DAILY, TestRules.shadow(TestRules.rule("planned", Scope.TENANT, new FixedWindowLimit(0, 1_000))));
        Attempt attempt = new Attempt("g", 1, 0);
        Command[] commands = {
            ATLAS.admitExplained(), ATLAS.cost(200).admitExplained(), new Command.Malformed("no"), ATLAS.admitBefore(-1)
        };
        List<Decision> first = log.send(attempt, commands).decisions();
        log.restart();

        List<Decision> again = log.send(attempt, commands).decisions();

        assertThat(again)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("rules", "replayed")
                .isEqualTo(first);
        assertThat(again)
                .allMatch(Decision::replayed)
                .allMatch(decision -> decision.rules().isEmpty());
        assertThat(first.get(0).rules()).hasSize(2);
    }

    @Test
    void a_batch_without_an_attempt_is_decided_each_time_it_comes() {
        TestLog log = TestLog.under(DAILY);

        log.send(ATLAS.admit());
        Decision again = first(log.send(ATLAS.admit()));

        assertThat(again.replayed()).isFalse();
        assertThat(again.remaining()).hasValue(98);
        assertThat(log.entries(Keys.SESSION, Keys.ATTEMPT)).isEmpty();
    }

    @Test
    void a_batch_has_1_to_500_commands() {
        assertThat(new LogRecord.Requests(Optional.empty(), Collections.nCopies(500, ATLAS.admit())).commands())
                .hasSize(500);
        assertThatThrownBy(() -> new LogRecord.Requests(Optional.empty(), Collections.nCopies(501, ATLAS.admit())))
                .hasMessageContaining("501 commands");
        assertThatThrownBy(() -> new LogRecord.Requests(Optional.empty(), List.of()))
                .hasMessageContaining("0 commands");
    }

    // ---- sweep and cap

    @Test
    void a_bucket_that_is_full_again_is_dropped_and_one_that_is_not_stays() {
        TestLog log = TestLog.under(TestRules.rule("bucket", Scope.TENANT, new TokenBucketLimit(10, 1, 1_000)));
        log.admit(ATLAS.cost(2));
        log.admit(BIRCH.cost(9));

        log.at(2_000).tick();

        assertThat(log.entries(Keys.BUCKET)).hasSize(1);
        assertThat(log.peek(ATLAS).remaining()).hasValue(10);
        assertThat(log.peek(BIRCH).remaining()).hasValue(3);
    }

    @Test
    void a_counter_that_the_sweep_brings_under_a_new_limit_keeps_what_it_earned_under_the_old_one() {
        TestLog log = TestLog.under(TestRules.rule("bucket", Scope.TENANT, new TokenBucketLimit(10, 1, 1_000)));
        log.admit(ATLAS.cost(8));
        Rule slower = TestRules.rule("bucket", Scope.TENANT, new TokenBucketLimit(10, 1, 100_000));
        log.at(5_000).policy(TestRules.policy(2, slower));

        long before = log.peek(ATLAS).remaining().orElseThrow();
        log.tick();
        long after = log.peek(ATLAS).remaining().orElseThrow();

        assertThat(before).isEqualTo(7);
        assertThat(after).isEqualTo(7);
    }

    @Test
    void a_counter_that_cannot_be_swept_because_its_tally_is_unreadable_stays() {
        Rule rule = TestRules.rule("bucket", Scope.TENANT, new TokenBucketLimit(10, 1, 1_000));
        TestLog log = TestLog.under(rule);
        log.admit(ATLAS);
        log.store().put(Keys.tally("bucket").bytes(), new byte[0]);
        log.restart();

        Folded swept = log.at(1_000).tick();

        assertThat(swept.problems()).singleElement().asString().contains("cannot be swept");
        assertThat(log.entries(Keys.BUCKET)).hasSize(1);
    }

    @Test
    void a_rule_that_is_gone_is_forgotten_with_its_last_bucket() {
        TestLog log = TestLog.under(TestRules.rule("bucket", Scope.TENANT, new TokenBucketLimit(10, 1, 1_000)), DAILY);
        log.admit(ATLAS);
        log.policy(TestRules.policy(2, DAILY));

        log.at(500).tick();
        boolean stillThere =
                RuleBook.fromBytes(log.store().get(Keys.RULE_BOOK)).histories().containsKey("bucket");
        log.at(1_000).tick();
        log.tick();

        assertThat(stillThere).isTrue();
        RuleBook book = RuleBook.fromBytes(log.store().get(Keys.RULE_BOOK));
        assertThat(book.histories()).containsOnlyKeys("daily");
        assertThat(log.entries(Keys.TALLY)).hasSize(1);
    }

    @Test
    void a_sweep_of_one_entry_a_tick_comes_round() {
        ShardSettings oneEntryATick = new ShardSettings(1, 1, "test-key", 10_000, 16, 10, 60_000, 1);
        TestLog log = TestLog.under(oneEntryATick, TestRules.policy(1, DAILY));
        log.send(ATLAS.admit(), BIRCH.admit(), Caller.tenant("cedar").admit());

        for (int tick = 0; tick < 4; tick++) {
            log.at(1_000).tick();
        }
        int notYetDue = log.entries(Keys.BUCKET).size();
        log.at(86_400_000).admit(ATLAS);
        for (int tick = 0; tick < 3; tick++) {
            log.tick();
        }

        assertThat(notYetDue).isEqualTo(3);
        assertThat(log.entries(Keys.BUCKET)).hasSize(1);
    }

    @Test
    void a_change_in_the_millisecond_in_which_a_round_began_loses_no_counter_behind_the_cursor() {
        ShardSettings oneEntryATick = new ShardSettings(1, 1, "test-key", 10_000, 16, 10, 60_000, 1);
        TestLog log = TestLog.under(oneEntryATick, TestRules.policy(1, DAILY));
        log.admit(BIRCH);
        log.tick();
        log.admit(ATLAS.cost(30));

        log.policy(policyOf(2, 200));
        log.tick();

        assertThat(log.peek(ATLAS).remaining()).hasValue(170);
    }

    @Test
    void one_key_more_than_the_cap_shares_the_overflow_bucket() {
        Rule rule = TestRules.rule("bucket", Scope.TENANT, new TokenBucketLimit(2, 1, 10_000));
        TestLog log = TestLog.under(TestLog.ONE_SHARD, TestRules.capped(2, 1, rule));
        log.admit(ATLAS);
        log.admit(BIRCH);

        Folded third = log.send(Caller.tenant("cedar").admit());
        Decision fourth = log.admit(Caller.tenant("dune"));
        Decision fifth = log.admit(Caller.tenant("elm"));
        Decision known = log.admit(ATLAS);

        assertThat(third.overflowed()).isEqualTo(1);
        assertThat(first(third).remaining()).hasValue(1);
        assertThat(fourth.remaining()).hasValue(0);
        assertThat(fifth.verdict()).isEqualTo(Verdict.DENY);
        assertThat(known.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.buckets("bucket")).hasSize(3);
    }

    @Test
    void a_shadow_rule_does_not_keep_the_sweep_from_the_others() {
        Rule capped = TestRules.rule("a", Scope.TENANT, new TokenBucketLimit(1, 1, 1_000));
        Rule shadow = TestRules.shadow(TestRules.rule("A", Scope.TENANT, new FixedWindowLimit(100, 86_400_000)));
        ShardSettings twoEntriesATick = new ShardSettings(1, 1, "test-key", 10_000, 16, 10, 60_000, 2);
        TestLog without = TestLog.under(twoEntriesATick, TestRules.capped(2, 1, capped));
        TestLog with = TestLog.under(twoEntriesATick, TestRules.capped(2, 1, capped, shadow));
        for (TestLog log : List.of(without, with)) {
            log.at(0).send(ATLAS.admit(), BIRCH.admit(), Caller.tenant("cedar").admit());
            log.at(2_000).tick();
        }

        with.admit(Caller.tenant("dune"));
        without.admit(Caller.tenant("dune"));

        assertThat(with.buckets("a")).isEqualTo(without.buckets("a"));
        assertThat(with.buckets("A")).isNotEmpty();
    }

    @Test
    void a_rule_that_becomes_a_shadow_rule_in_mid_round_loses_no_counter() {
        ShardSettings oneEntryATick = new ShardSettings(1, 1, "test-key", 10_000, 16, 10, 60_000, 1);
        Rule daily = TestRules.rule("daily", Scope.TENANT, new FixedWindowLimit(100, 86_400_000));
        Rule smaller = TestRules.rule("daily", Scope.TENANT, new FixedWindowLimit(90, 86_400_000));
        TestLog log = TestLog.under(oneEntryATick, TestRules.policy(1, daily));
        log.admit(ATLAS.cost(30));
        log.admit(BIRCH.cost(30));
        log.at(1_000).tick();
        log.at(1_001).policy(TestRules.policy(2, TestRules.shadow(smaller)));
        log.at(2_000).tick();
        log.at(2_001).policy(TestRules.policy(3, smaller));

        for (int tick = 3; tick < 8; tick++) {
            log.at(tick * 1_000L).tick();
        }

        assertThat(log.peek(ATLAS).remaining()).hasValue(60);
        assertThat(log.peek(BIRCH).remaining()).hasValue(60);
    }

    @Test
    void a_session_that_cannot_be_read_costs_its_own_batches_and_no_others() {
        TestLog log = TestLog.under(DAILY);
        Attempt broken = new Attempt("gateway", 1, 1);
        log.store().put(Keys.session(broken).bytes(), new byte[0]);

        Folded answer = log.send(broken, ATLAS.admit());
        Folded other = log.send(new Attempt("gateway", 2, 1), ATLAS.admit());
        Folded swept = log.tick();

        assertThat(first(answer).verdict()).isEqualTo(Verdict.ERROR);
        assertThat(answer.problems()).singleElement().asString().contains("could not be folded");
        assertThat(first(other).remaining()).hasValue(99);
        assertThat(swept.problems()).singleElement().asString().contains("cannot be swept");
    }

    @Test
    void a_policy_that_its_reader_chokes_on_is_refused_and_the_one_in_force_stays() {
        Shard shard = new Shard(0, new MemoryStore(), document -> {
            throw new ArrayIndexOutOfBoundsException("7");
        });

        Folded refused = shard.fold(
                new LogRecord(0, 0, new LogRecord.Controlled(new Control.ApplyPolicy(0, -1, new byte[] {1}))));

        assertThat(refused.problems()).containsExactly("policy at offset 0 is refused: ArrayIndexOutOfBoundsException");
        assertThat(shard.view().nextOffset()).isEqualTo(1);
    }

    @Test
    void a_limit_of_0_denies_even_what_costs_nothing() {
        TestLog log = TestLog.under(TestRules.rule("none", Scope.TENANT, new FixedWindowLimit(0, 1_000)));

        Decision decision = log.admit(ATLAS.cost(0));

        assertThat(decision.verdict()).isEqualTo(Verdict.DENY);
        assertThat(decision.retryAfterMillis()).isEmpty();
    }

    @Test
    void a_loss_never_lies_behind_the_state() {
        assertThatThrownBy(() -> new Loss(5, 5, "ops", "why")).hasMessageContaining("folded already");
        assertThatThrownBy(() -> new Loss(5, 3, "ops", "why")).hasMessageContaining("folded already");
    }

    private static Policy policyOf(long version, long limit) {
        return TestRules.policy(
                version, TestRules.rule("daily", Scope.TENANT, new FixedWindowLimit(limit, 86_400_000)));
    }

    private static byte[] bucketKey(Rule rule, Caller caller) {
        return Keys.bucket(rule, caller.admission(), Optional.empty())
                .orElseThrow()
                .bytes();
    }

    private static Decision first(Folded folded) {
        return folded.decisions().get(0);
    }

    /** A store that can be told to fail. */
    private static final class FailingStore implements StateStore {

        private final MemoryStore good = new MemoryStore();
        private boolean fails;

        @Override
        public byte[] get(byte[] key) {
            if (fails) {
                throw new StateStoreException(new IllegalStateException("the disk is gone"));
            }
            return good.get(key);
        }

        @Override
        public void put(byte[] key, byte[] value) {
            good.put(key, value);
        }

        @Override
        public void delete(byte[] key) {
            good.delete(key);
        }

        @Override
        public List<Entry> scan(byte[] from, byte[] to, int most) {
            return good.scan(from, to, most);
        }
    }
}
