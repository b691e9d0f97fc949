package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Trace;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Scope;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.ShardView;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlRecords;
import io.headgate.schemas.DeadLetterRecord;
import io.headgate.schemas.ZoneTables;
import io.headgate.schemas.policy.PolicyDocument;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans, actions and zones through the real topology. */
class AccountControlsTest {

    private static final String TENANT = SampleLog.tenantOf(0, 0);
    private static final String OTHER = SampleLog.tenantOf(0, 1);
    private static final String ELSEWHERE = SampleLog.tenantOf(5, 0);

    @TempDir
    private Path folder;

    private DrivenShard shard;

    @BeforeEach
    void start() {
        shard = new DrivenShard(folder);
        shard.appendAll(SampleLog.beginning(0, SampleLog.budget(1, 2)));
    }

    @AfterEach
    void stop() {
        shard.close();
    }

    private List<Verdict> ask(String tenant, int times) {
        shard.append(SampleLog.batch(
                Collections.nCopies(times, SampleLog.ask(tenant)).toArray(Command[]::new)));
        return shard.replies.verdicts();
    }

    private static Limit budget(long tokens) {
        return new TokenBucketLimit(tokens, 0, 1_000, Refill.GREEDY);
    }

    private Action ban(String id, long forMillis) {
        return SampleLog.act(id, TENANT, new Action.Ban(Scope.TENANT, shard.nowMillis() + forMillis));
    }

    @Test
    void plans_decide_from_their_record_on() {
        shard.append(SampleLog.plans(
                0,
                7,
                -1,
                SampleLog.overriding(TENANT, Optional.empty(), Map.of("budget", budget(3))),
                SampleLog.suspended(OTHER)));

        assertThat(ask(TENANT, 4)).containsExactly(Verdict.ALLOW, Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY);
        assertThat(ask(OTHER, 1)).containsExactly(Verdict.DENY);
        assertThat(shard.replies.last().decisions().get(0).denyingRule()).contains("headgate.suspended");
        assertThat(shard.owned().view().planSource()).isEqualTo(7);
        assertThat(shard.count("ratelimit.plans.applied")).isEqualTo(2);
        assertThat(shard.deadLetters()).isEmpty();
    }

    @Test
    void actions_are_carried_out_from_their_record_on() {
        ask(TENANT, 2);
        shard.append(SampleLog.action(0, 0, -1, SampleLog.act("c", TENANT, new Action.Credit("budget", 1))));
        assertThat(ask(TENANT, 2)).containsExactly(Verdict.ALLOW, Verdict.DENY);
        shard.append(SampleLog.action(0, 1, 0, SampleLog.act("r", TENANT, new Action.Reset("budget"))));
        assertThat(ask(TENANT, 3)).containsExactly(Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY);
        shard.append(SampleLog.action(
                0,
                2,
                1,
                SampleLog.act("o", TENANT, new Action.LimitOverride("budget", budget(3), shard.nowMillis() + 1_000))));
        assertThat(ask(TENANT, 2)).containsExactly(Verdict.ALLOW, Verdict.DENY);
        shard.append(SampleLog.action(0, 3, 2, ban("b", 1_000)));
        assertThat(ask(OTHER, 1)).containsExactly(Verdict.ALLOW);
        assertThat(ask(TENANT, 1)).containsExactly(Verdict.DENY);
        assertThat(shard.replies.last().decisions().get(0).actions()).contains("b");
        shard.append(SampleLog.action(0, 4, 3, SampleLog.act("l", TENANT, new Action.Lift("b"))));

        assertThat(ask(TENANT, 1)).containsExactly(Verdict.DENY);
        assertThat(shard.replies.last().decisions().get(0).denyingRule()).contains("budget");
        assertThat(shard.count("ratelimit.actions.applied")).isEqualTo(5);
        assertThat(shard.deadLetters()).isEmpty();
    }

    @Test
    void a_window_of_a_calendar_is_decided_by_the_table_in_the_log() {
        long midnight = Instant.parse("2027-01-15T15:00:00Z").toEpochMilli();
        Limit daily = new FixedWindowLimit(1, new Window.Calendar(CalendarUnit.DAY, Window.Calendar.OF_TENANT));
        PolicyDocument fixedWindow = SampleLog.document(
                2,
                "northstar",
                "{\"id\":\"daily\",\"stage\":\"tenant\",\"algorithm\":\"fixed-window\","
                        + "\"limit\":{\"requests\":100,\"per\":\"1s\"}}");
        shard.append(SampleLog.policy(0, 1, 0, fixedWindow));
        shard.append(SampleLog.plans(
                0, 0, -1, SampleLog.overriding(TENANT, Optional.of("Asia/Tokyo"), Map.of("daily", daily))));
        assertThat(ask(TENANT, 1)).as("without a table").containsExactly(Verdict.NOT_READY);
        shard.append(SampleLog.zone(0, ZoneTables.of("Asia/Tokyo", 0, midnight + 1)));

        shard.passMillis(midnight - 1 - shard.nowMillis());
        assertThat(ask(TENANT, 2)).containsExactly(Verdict.ALLOW, Verdict.DENY);
        assertThat(shard.replies.last().decisions().get(0).resetAfterMillis()).hasValue(1);
        shard.passMillis(1);
        assertThat(ask(TENANT, 2)).containsExactly(Verdict.ALLOW, Verdict.DENY);
        assertThat(shard.owned().view().zones()).containsEntry("Asia/Tokyo", midnight + 1);
    }

    @Test
    void controls_that_come_twice_or_behind_a_gap_change_nothing() {
        shard.append(SampleLog.plans(0, 5, -1, SampleLog.suspended(TENANT)));
        shard.append(SampleLog.action(0, 5, -1, ban("b", 1_000)));
        Map<String, String> before = shard.stateWithoutHeader();

        shard.append(SampleLog.plans(0, 5, -1, SampleLog.suspended(OTHER)));
        shard.append(SampleLog.plans(0, 4, 2, SampleLog.suspended(OTHER)));
        shard.append(SampleLog.plans(0, 9, 6, SampleLog.suspended(OTHER)));
        shard.append(SampleLog.action(0, 5, -1, ban("again", 1_000)));
        shard.append(SampleLog.action(0, 9, 6, ban("early", 1_000)));

        assertThat(shard.stateWithoutHeader()).isEqualTo(before);
        assertThat(shard.owned().view().planSource()).isEqualTo(5);
        assertThat(shard.owned().view().actionSource()).isEqualTo(5);
        assertThat(shard.count("ratelimit.plans.applied")).isEqualTo(1);
        assertThat(shard.count("ratelimit.actions.applied")).isEqualTo(1);
        assertThat(shard.deadLetters()).isEmpty();
    }

    @Test
    void what_is_for_another_shard_is_a_dead_letter_and_its_neighbours_stand() {
        shard.append(SampleLog.plans(0, 1, -1, SampleLog.suspended(ELSEWHERE), SampleLog.suspended(TENANT)));
        shard.append(SampleLog.action(0, 0, -1, SampleLog.act("b", ELSEWHERE, new Action.Reset("budget"))));
        shard.append(SampleLog.action(0, 1, 0, SampleLog.act("u", TENANT, new Action.Reset("no-such-rule"))));

        assertThat(shard.deadLetters())
                .extracting(DeadLetterRecord::reason)
                .satisfiesExactly(
                        plan -> assertThat(plan).contains("plan of tenant '" + ELSEWHERE + "' is refused", "shard 5 of 8"),
                        action -> assertThat(action).contains("action b is refused", "shard 5 of 8"),
                        rule -> assertThat(rule).contains("action u is refused", "no-such-rule"));
        assertThat(ask(TENANT, 1)).containsExactly(Verdict.DENY);
        assertThat(shard.owned().view().planSource()).isEqualTo(1);
        assertThat(shard.owned().view().actionSource()).isEqualTo(1);
        assertThat(shard.count("ratelimit.plans.applied")).isEqualTo(1);
        assertThat(shard.count("ratelimit.actions.applied")).isZero();
    }

    @Test
    void controls_of_every_kind_that_are_not_genuine_or_not_for_this_shard_change_nothing() {
        List<Control> kinds = List.of(
                new Control.ApplyPlans(0, -1, List.of(SampleLog.suspended(TENANT))),
                new Control.ApplyAction(0, -1, ban("b", 1_000)),
                new Control.ApplyZone(ZoneTables.of("Asia/Tokyo", 0, shard.nowMillis())));
        ControlKey forger = SampleLog.key(SampleLog.KEY.id(), 99);
        for (Control control : kinds) {
            Map<String, byte[]> bad = new LinkedHashMap<>();
            bad.put("its code does not fit", ControlRecords.encode(0, control, forger));
            bad.put("is for shard 1, not for shard 0", ControlRecords.encode(1, control, SampleLog.KEY));
            bad.put("names key 'b-second'", ControlRecords.encode(0, control, SampleLog.OTHER_KEY));
            byte[] cut = ControlRecords.encode(0, control, SampleLog.KEY);
            bad.put("cannot be read", Arrays.copyOf(cut, cut.length - 40));
            bad.forEach((told, value) -> assertBuried(told, value));
        }

        assertThat(ask(TENANT, 3)).containsExactly(Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY);
    }

    private void assertBuried(String told, byte[] value) {
        Map<String, String> before = shard.stateWithoutHeader();
        ShardView view = shard.owned().view();

        shard.append(value);

        assertThat(shard.deadLetters())
                .singleElement()
                .satisfies(letter -> assertThat(letter.reason()).contains(told));
        assertThat(shard.stateWithoutHeader()).isEqualTo(before);
        assertThat(shard.owned().view().planSource()).isEqualTo(view.planSource());
        assertThat(shard.owned().view().actionSource()).isEqualTo(view.actionSource());
        assertThat(shard.owned().view().zones()).isEqualTo(view.zones());
    }

    @Test
    void decisions_are_traced_as_the_tracer_wants_and_as_requests_ask() {
        Command.Ask plain = SampleLog.ask(TENANT);
        Command.Ask asking = new Command.Ask(plain.admission(), false, Command.NEVER, false, "", true);
        shard.append(SampleLog.batch(asking, asking, plain));

        List<Trace> traces = shard.traces;
        assertThat(traces)
                .extracting(Trace::verdict)
                .containsExactly(Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY);
        assertThat(traces.get(2).denyingRule()).contains("budget");
        assertThat(traces.get(2).lines()).singleElement().satisfies(line -> assertThat(line.beforeTokens())
                .hasValue(0));
    }

    @Test
    void a_removed_tenant_is_one_that_nobody_knows() {
        shard.append(SampleLog.plans(0, 0, -1, SampleLog.suspended(TENANT)));
        shard.append(SampleLog.plans(
                0,
                1,
                0,
                new TenantPlan(
                        TENANT,
                        TenantPlan.Status.REMOVED,
                        TenantPlan.DEFAULT,
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        new TreeMap<>())));

        assertThat(ask(TENANT, 3)).containsExactly(Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY);
    }
}
