package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.TestZones;
import io.headgate.core.limit.Window;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows that are days, weeks and months of somebody's calendar. */
class CalendarTest {

    private static final String ZURICH = "Europe/Zurich";
    private static final String LOS_ANGELES = "America/Los_Angeles";
    private static final long HOUR = 3_600_000L;
    private static final Caller ATLAS = Caller.tenant("atlas");
    private static final Caller BIRCH = Caller.tenant("birch");

    private static Limit per(CalendarUnit unit, String zone) {
        return new FixedWindowLimit(10, new Window.Calendar(unit, zone));
    }

    private static Rule rule(CalendarUnit unit, String zone) {
        return TestRules.rule("quota", Scope.TENANT, per(unit, zone));
    }

    private static TestLog under(Rule rule, String... zones) {
        TestLog log = TestLog.under(rule);
        for (String zone : zones) {
            log.zone(TestZones.table(zone));
        }
        return log;
    }

    private static long at(String local, String zone) {
        return LocalDateTime.parse(local).atZone(ZoneId.of(zone)).toInstant().toEpochMilli();
    }

    private static TenantPlan in(String tenant, String zone) {
        return new TenantPlan(
                tenant, TenantPlan.Status.ACTIVE, "pro", false, Optional.of(zone), Optional.empty(), new TreeMap<>());
    }

    @ParameterizedTest
    @ValueSource(strings = {ZURICH, LOS_ANGELES, "America/Sao_Paulo", "Asia/Kolkata", "Pacific/Apia"})
    void at_midnight_after_the_last_day_the_new_month_begins(String zone) {
        for (String first : List.of("2011-12-01", "2018-03-01", "2018-11-01", "2024-03-01", "2026-11-01")) {
            TestLog log = under(rule(CalendarUnit.MONTH, zone), zone);
            long begins = LocalDate.parse(first)
                    .atStartOfDay(ZoneId.of(zone))
                    .toInstant()
                    .toEpochMilli();
            log.at(begins - 2).admit(ATLAS.cost(10));

            Decision last = log.at(begins - 1).admit(ATLAS);
            Decision after = log.at(begins).admit(ATLAS);
            Decision later = log.at(begins + 1).admit(ATLAS);

            assertThat(last.verdict()).as(first).isEqualTo(Verdict.DENY);
            assertThat(last.retryAfterMillis()).as(first).hasValue(1);
            assertThat(after.remaining()).as(first).hasValue(9);
            assertThat(later.remaining()).as(first).hasValue(8);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ZURICH, LOS_ANGELES})
    void on_the_10th_of_february_2028_at_midnight_the_month_has_20_more_days(String zone) {
        TestLog log = under(rule(CalendarUnit.MONTH, zone), zone);
        log.at(at("2028-02-10T00:00", zone)).admit(ATLAS.cost(10));

        Decision denied = log.admit(ATLAS);

        assertThat(denied.retryAfterMillis()).hasValue(20 * 24 * HOUR);
        assertThat(denied.resetAfterMillis()).hasValue(20 * 24 * HOUR);
    }

    @Test
    void a_week_begins_on_monday() {
        TestLog log = under(rule(CalendarUnit.WEEK, ZURICH), ZURICH);
        log.at(at("2026-11-29T23:59:59.999", ZURICH)).admit(ATLAS.cost(10));

        Decision sunday = log.admit(ATLAS);
        Decision monday = log.at(at("2026-11-30T00:00", ZURICH)).admit(ATLAS.cost(10));
        Decision nextSunday = log.at(at("2026-12-06T12:00", ZURICH)).admit(ATLAS);

        assertThat(sunday.retryAfterMillis()).hasValue(1);
        assertThat(monday.resetAfterMillis()).hasValue(7 * 24 * HOUR);
        assertThat(nextSunday.retryAfterMillis()).hasValue(12 * HOUR);
    }

    @Test
    void a_day_has_23_hours_when_the_clock_is_put_forward_and_25_when_it_is_put_back() {
        TestLog log = under(rule(CalendarUnit.DAY, ZURICH), ZURICH);

        Decision spring = log.at(at("2026-03-29T00:00", ZURICH)).admit(ATLAS);
        Decision ordinary = log.at(at("2026-07-01T00:00", ZURICH)).admit(ATLAS);
        Decision autumn = log.at(at("2026-10-25T00:00", ZURICH)).admit(ATLAS);

        assertThat(spring.resetAfterMillis()).hasValue(23 * HOUR);
        assertThat(ordinary.resetAfterMillis()).hasValue(24 * HOUR);
        assertThat(autumn.resetAfterMillis()).hasValue(25 * HOUR);
    }

    /** On 4 November 2018 there was no 00:00 to 00:59 in São Paulo: the day began at 01:00. */
    @Test
    void a_day_without_a_midnight_begins_when_the_clock_jumps() {
        TestLog log = under(rule(CalendarUnit.DAY, "America/Sao_Paulo"), "America/Sao_Paulo");
        log.at(Instant.parse("2018-11-04T02:59:59.999Z").toEpochMilli()).admit(ATLAS.cost(10));

        Decision before = log.admit(ATLAS);
        Decision after =
                log.at(Instant.parse("2018-11-04T03:00:00Z").toEpochMilli()).admit(ATLAS);

        assertThat(before.retryAfterMillis()).hasValue(1);
        assertThat(after.remaining()).hasValue(9);
        assertThat(after.resetAfterMillis()).hasValue(23 * HOUR);
    }

    /** Samoa crossed the date line: after 29 December 2011 came the 31st. */
    @Test
    void a_day_that_never_was_is_passed_over() {
        TestLog log = under(rule(CalendarUnit.DAY, "Pacific/Apia"), "Pacific/Apia");

        Decision on29 = log.at(at("2011-12-29T00:00", "Pacific/Apia")).admit(ATLAS);
        Decision on31 = log.at(at("2011-12-31T00:00", "Pacific/Apia")).admit(ATLAS);

        assertThat(on29.resetAfterMillis()).hasValue(24 * HOUR);
        assertThat(log.shard().view().logTimeMillis()).isEqualTo(at("2011-12-29T00:00", "Pacific/Apia") + 24 * HOUR);
        assertThat(on31.remaining()).hasValue(9);
        assertThat(on31.resetAfterMillis()).hasValue(24 * HOUR);
    }

    @Test
    void two_tenants_of_one_rule_have_each_its_own_midnight() {
        TestLog log = under(rule(CalendarUnit.DAY, Window.Calendar.OF_TENANT), ZURICH, "Asia/Kolkata");
        log.plans(in("atlas", ZURICH), in("birch", "Asia/Kolkata"));
        log.at(at("2026-11-30T00:00", ZURICH) - 1)
                .send(ATLAS.cost(10).admit(), BIRCH.cost(10).admit());

        Decision atlas = log.at(at("2026-11-30T00:00", ZURICH)).admit(ATLAS);
        Decision birch = log.admit(BIRCH);
        Decision birchLater = log.at(at("2026-12-01T00:00", "Asia/Kolkata")).admit(BIRCH);

        assertThat(atlas.remaining()).hasValue(9);
        assertThat(birch.retryAfterMillis()).hasValue(19 * HOUR + HOUR / 2);
        assertThat(birchLater.remaining()).hasValue(9);
    }

    @Test
    void a_tenant_without_a_zone_has_the_days_of_UTC_which_needs_no_table() {
        TestLog log = under(rule(CalendarUnit.DAY, Window.Calendar.OF_TENANT));

        Decision decision =
                log.at(Instant.parse("2026-11-30T18:00:00Z").toEpochMilli()).admit(ATLAS);

        assertThat(decision.resetAfterMillis()).hasValue(6 * HOUR);
        assertThat(log.shard().view().zones()).containsEntry("UTC", Long.MAX_VALUE);
    }

    @Test
    void another_zone_changes_when_the_window_ends_and_forgets_nothing_by_itself() {
        TestLog log = under(rule(CalendarUnit.DAY, Window.Calendar.OF_TENANT), ZURICH, LOS_ANGELES);
        log.plans(in("atlas", ZURICH));
        log.at(at("2026-11-30T12:00", ZURICH)).admit(ATLAS.cost(7));

        log.at(at("2026-11-30T13:00", ZURICH)).plans(in("atlas", LOS_ANGELES));
        Decision changed = log.admit(ATLAS);
        Decision afterMidnightInZurich = log.at(at("2026-12-01T01:00", ZURICH)).admit(ATLAS);
        Decision afterMidnightThere =
                log.at(at("2026-12-01T00:00", LOS_ANGELES)).admit(ATLAS);

        assertThat(changed.remaining()).hasValue(2);
        assertThat(changed.resetAfterMillis()).hasValue(20 * HOUR);
        assertThat(afterMidnightInZurich.remaining()).hasValue(1);
        assertThat(afterMidnightThere.remaining()).hasValue(9);
    }

    // ---- tables that are missing, and tables that come again

    @Test
    void without_a_table_nothing_is_decided_or_debited_until_it_comes() {
        Rule other = TestRules.rule("minute", Scope.TENANT, new FixedWindowLimit(5, 60_000));
        TestLog log = TestLog.under(other, rule(CalendarUnit.DAY, ZURICH));

        List<Decision> waiting =
                log.send(ATLAS.admit(), ATLAS.peek(), ATLAS.admitAs("once")).decisions();
        int stored = log.entries(Keys.BUCKET, Keys.TALLY, Keys.KEYED, Keys.KEYED_TALLY)
                .size();
        log.zone(TestZones.table(ZURICH));
        Decision healed = log.admit(ATLAS);

        assertThat(waiting).extracting(Decision::verdict).containsOnly(Verdict.NOT_READY);
        assertThat(waiting.get(0).reason()).contains(ZURICH);
        assertThat(stored).isZero();
        assertThat(healed.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(healed.remaining()).hasValue(4);
    }

    @Test
    void a_command_that_waits_for_a_table_leaves_the_rest_of_its_batch_alone() {
        TestLog log = under(rule(CalendarUnit.DAY, Window.Calendar.OF_TENANT), ZURICH);
        log.plans(in("atlas", "Nowhere/At_All"), in("birch", ZURICH));

        List<Decision> decisions =
                log.send(BIRCH.admit(), ATLAS.admit(), BIRCH.admit()).decisions();

        assertThat(decisions)
                .extracting(Decision::verdict)
                .containsExactly(Verdict.ALLOW, Verdict.NOT_READY, Verdict.ALLOW);
        assertThat(decisions.get(2).remaining()).hasValue(8);
        assertThat(log.entries(Keys.BUCKET)).hasSize(1);
    }

    @Test
    void a_shadow_rule_without_a_table_keeps_nobody_waiting() {
        Rule planned = TestRules.shadow(TestRules.rule("planned", Scope.TENANT, per(CalendarUnit.DAY, ZURICH)));
        TestLog log = TestLog.under(TestRules.rule("minute", Scope.TENANT, new FixedWindowLimit(5, 60_000)), planned);

        Decision decision = log.send(ATLAS.admitExplained()).decisions().get(0);

        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(decision.shadowDenials()).isEmpty();
        assertThat(decision.rules()).hasSize(2);
        assertThat(log.buckets("planned")).isEmpty();
    }

    @Test
    void what_was_spent_survives_a_policy_whose_zone_nobody_knows() {
        Rule hourly = TestRules.rule("quota", Scope.TENANT, new FixedWindowLimit(10, 24 * HOUR));
        TestLog log = TestLog.under(hourly);
        log.admit(ATLAS.cost(7));
        log.at(1_000).policy(TestRules.policy(2, rule(CalendarUnit.DAY, "Nowhere/At_All")));
        for (int second = 2; second < 8; second++) {
            log.at(second * 1_000L).tick();
        }
        Decision waiting = log.admit(ATLAS);

        log.at(9_000).policy(TestRules.policy(3, hourly));
        Decision after = log.admit(ATLAS);

        assertThat(waiting.verdict()).isEqualTo(Verdict.NOT_READY);
        assertThat(after.remaining()).hasValue(2);
    }

    @Test
    void what_was_spent_before_the_table_came_is_there_when_it_comes() {
        TestLog log = TestLog.under(TestRules.rule("quota", Scope.TENANT, new FixedWindowLimit(10, 24 * HOUR)));
        log.at(at("2026-11-30T12:00", ZURICH)).admit(ATLAS.cost(7));
        log.policy(TestRules.policy(2, rule(CalendarUnit.DAY, ZURICH)));
        for (int second = 1; second < 6; second++) {
            log.at(at("2026-11-30T12:00", ZURICH) + second * 1_000L).tick();
        }

        log.zone(TestZones.table(ZURICH));

        assertThat(log.peek(ATLAS).remaining()).hasValue(3);
        assertThat(log.at(at("2026-12-01T00:00", ZURICH)).peek(ATLAS).remaining())
                .hasValue(10);
    }

    @Test
    void of_two_tables_of_a_zone_the_one_that_reaches_further_holds_whichever_came_first() {
        Zone winter = new Zone("Moon/Base", List.of(new Zone.Offset(0, 0)), 1_000_000);
        Zone later = new Zone("Moon/Base", List.of(new Zone.Offset(0, HOUR)), 2_000_000);
        TestLog log = TestLog.under(rule(CalendarUnit.DAY, "Moon/Base"));

        log.zone(winter);
        Decision first = log.peek(ATLAS.cost(1));
        log.admit(ATLAS);
        Decision underFirst = log.at(12 * HOUR).peek(ATLAS);
        log.zone(later);
        Decision underLater = log.peek(ATLAS);
        log.zone(winter);
        log.restart();
        Decision stillLater = log.peek(ATLAS);

        assertThat(first.remaining()).hasValue(10);
        assertThat(underFirst.resetAfterMillis()).hasValue(12 * HOUR);
        assertThat(underLater.resetAfterMillis()).hasValue(11 * HOUR);
        assertThat(stillLater.resetAfterMillis()).hasValue(11 * HOUR);
        assertThat(log.shard().view().zones()).containsEntry("Moon/Base", 2_000_000L);
    }

    @Test
    void of_two_tables_that_reach_as_far_the_later_holds() {
        TestLog log = TestLog.under(rule(CalendarUnit.DAY, "Moon/Base"));
        log.zone(new Zone("Moon/Base", List.of(new Zone.Offset(0, 0)), 1_000_000));

        log.zone(new Zone("Moon/Base", List.of(new Zone.Offset(0, HOUR)), 1_000_000));
        log.admit(ATLAS);

        assertThat(log.at(12 * HOUR).peek(ATLAS).resetAfterMillis()).hasValue(11 * HOUR);
    }

    @Test
    void two_thousand_zones_are_known_and_no_more() {
        TestLog log = TestLog.under(rule(CalendarUnit.DAY, ZURICH));
        Folded last = Folded.nothing();
        for (int i = 1; i < ZoneBook.MAX_ZONES; i++) {
            last = log.zone(new Zone("Zone/" + i, List.of(new Zone.Offset(0, 0)), 1));
        }

        Folded oneMore = log.zone(TestZones.table(ZURICH));
        Folded known = log.zone(new Zone("Zone/1", List.of(new Zone.Offset(0, 0)), 2));

        assertThat(last.problems()).isEmpty();
        assertThat(oneMore.problems()).singleElement().asString().contains("2000 are known");
        assertThat(known.problems()).isEmpty();
        assertThat(log.shard().view().zones()).hasSize(2_000).containsEntry("Zone/1", 2L);
    }
}
