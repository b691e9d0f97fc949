package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AccountTest {

    private static final Limit TWO = new SlidingWindowLimit(2, 1_000);
    private static final Limit FIVE = new SlidingWindowLimit(5, 1_000);

    private final TestLog log = TestLog.under(TestRules.rule("rate", Scope.TENANT, TWO));

    private static Action action(String id, Action.Effect effect) {
        Subject atlas = new Subject(Stage.TENANT, new Identity("atlas", "", "", "", ""), "", Map.of());
        return new Action(id, "ada", "a test", atlas, effect);
    }

    @Test
    void of_somebody_about_whom_nothing_was_said_the_defaults_hold() {
        Account account = log.shard().account("atlas");

        assertThat(account.known()).isFalse();
        assertThat(account)
                .isEqualTo(new Account(
                        "atlas",
                        Optional.empty(),
                        TenantPlan.DEFAULT,
                        false,
                        Optional.empty(),
                        new TreeMap<>(),
                        List.of()));
    }

    @Test
    void tells_of_the_plan_and_of_what_is_in_force_besides() {
        TenantPlan plan = TenantPlan.on("atlas", "gold");
        Action raised = action("raise", new Action.LimitOverride("rate", FIVE, 500));
        Action banned = action("ban", new Action.Ban(Scope.TENANT, 900));
        log.control(new Control.ApplyPlans(0, -1, List.of(plan)));
        log.control(new Control.ApplyAction(0, -1, raised));
        log.control(new Control.ApplyAction(1, 0, banned));

        Account account = log.shard().account("atlas");

        assertThat(account.known()).isTrue();
        assertThat(account.tenantPlan()).contains(plan);
        assertThat(account.plan()).isEqualTo("gold");
        assertThat(account.overrides()).isEqualTo(Map.of("rate", FIVE));
        assertThat(account.actions()).containsExactly(raised, banned);
    }

    @Test
    void what_has_ended_by_log_time_is_not_in_force_and_looking_changes_nothing() {
        log.control(new Control.ApplyAction(0, -1, action("raise", new Action.LimitOverride("rate", FIVE, 500))));
        log.at(500).tick();
        Map<String, String> before = log.entries();

        Account account = log.shard().account("atlas");

        assertThat(account.actions()).isEmpty();
        assertThat(account.overrides()).isEmpty();
        assertThat(account.known()).isFalse();
        assertThat(log.entries()).isEqualTo(before);
    }

    @Test
    void calendar_windows_of_utc_need_no_table() {
        Limit daily = new FixedWindowLimit(1, new Window.Calendar(CalendarUnit.DAY, "UTC"));
        Limit ofTenant = new FixedWindowLimit(1, new Window.Calendar(CalendarUnit.MONTH, Window.Calendar.OF_TENANT));
        TestLog utc = TestLog.under(
                TestRules.rule("daily", Scope.TENANT, daily), TestRules.rule("monthly", Scope.TENANT, ofTenant));

        assertThat(utc.admit(Caller.tenant("atlas")).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(utc.admit(Caller.tenant("atlas")).verdict()).isEqualTo(Verdict.DENY);
    }
}
