package io.headgate.gateway.client.feedback;

import static io.headgate.gateway.client.feedback.Told.ANONYMOUS;
import static io.headgate.gateway.client.feedback.Told.KNOWN;
import static io.headgate.gateway.client.feedback.Told.VERSION;
import static io.headgate.gateway.client.feedback.Told.allowed;
import static io.headgate.gateway.client.feedback.Told.denied;
import static io.headgate.gateway.client.feedback.Told.knowing;
import static io.headgate.gateway.client.feedback.Told.policy;
import static io.headgate.gateway.client.feedback.Told.responses;
import static io.headgate.gateway.client.feedback.Told.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Responses;
import io.headgate.core.policy.Responses.Audience;
import io.headgate.core.policy.Responses.Header;
import io.headgate.core.policy.Scope;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FeedbackTest {

    private static final TokenBucketLimit TWENTY = new TokenBucketLimit(20, 2, 1_000);
    private static final Jitter NONE = most -> 0;
    private static final Answer DENIED = denied("P-EXPORT.rate", 20, 3, OptionalLong.of(8_500), OptionalLong.of(3_500));
    private static final Answer ALLOWED = allowed(20, 12, OptionalLong.of(3_600));
    private static final int CALLERS = 10_000;

    private static Policy under(Responses responses) {
        return policy(VERSION, responses, rule("P-EXPORT.rate", TWENTY));
    }

    private static HttpAnswer told(Responses responses, Ask ask, Answer answer) {
        return new Feedback(knowing(under(responses)), 1_000, NONE).toCaller(ask, answer);
    }

    private static String fields(HttpAnswer answer) {
        return answer.fields().stream()
                .map(field -> field.name() + ": " + field.value())
                .collect(Collectors.joining("\n"));
    }

    // ---- profiles

    @Test
    void a_denial_after_the_tenth_draft_names_the_rule_its_limit_its_window_and_when_there_is_more() {
        HttpAnswer answer = told(responses(0, Header.RETRY_AFTER, Header.RATELIMIT_DRAFT10), KNOWN, DENIED);

        assertThat(answer.status()).isEqualTo(429);
        assertThat(fields(answer)).isEqualTo("""
                        Retry-After: 4
                        RateLimit-Policy: "P-EXPORT.rate";q=20;w=10
                        RateLimit: "P-EXPORT.rate";r=3;t=4""");
    }

    @Test
    void an_admission_after_the_tenth_draft_tells_when_all_is_there_again() {
        HttpAnswer answer = told(responses(0, Header.RETRY_AFTER, Header.RATELIMIT_DRAFT10), KNOWN, ALLOWED);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.problem()).isEmpty();
        assertThat(fields(answer)).isEqualTo("""
                        RateLimit-Policy: "P-EXPORT.rate";q=20;w=10
                        RateLimit: "P-EXPORT.rate";r=12;t=4""");
    }

    @Test
    void x_ratelimit_counts_the_seconds_from_now() {
        Responses responses = responses(0, Header.X_RATELIMIT);

        assertThat(fields(told(responses, KNOWN, DENIED)))
                .isEqualTo("X-RateLimit-Limit: 20\nX-RateLimit-Remaining: 3\nX-RateLimit-Reset: 4");
        assertThat(fields(told(responses, KNOWN, ALLOWED)))
                .isEqualTo("X-RateLimit-Limit: 20\nX-RateLimit-Remaining: 12\nX-RateLimit-Reset: 4");
    }

    @Test
    void a_policy_without_a_word_about_it_gets_retry_after_alone() {
        assertThat(fields(told(Responses.DEFAULT, KNOWN, DENIED))).isEqualTo("Retry-After: 4");
        assertThat(fields(told(Responses.DEFAULT, KNOWN, ALLOWED))).isEmpty();
    }

    @Test
    void a_policy_that_wants_no_field_gets_none() {
        assertThat(fields(told(responses(0), KNOWN, DENIED))).isEmpty();
    }

    @Test
    void what_never_comes_back_has_no_window_no_time_and_no_advice() {
        Responses responses = responses(50, Header.values());
        Policy forEver = policy(VERSION, responses, rule("P-TRIAL", new TokenBucketLimit(3, 0, 1_000)));
        Answer denial = denied("P-TRIAL", 3, 0, OptionalLong.empty(), OptionalLong.empty());

        HttpAnswer answer = new Feedback(knowing(forEver), 1_000, NONE).toCaller(KNOWN, denial);

        assertThat(fields(answer)).isEqualTo("""
                        RateLimit-Policy: "P-TRIAL";q=3
                        RateLimit: "P-TRIAL";r=0
                        X-RateLimit-Limit: 3
                        X-RateLimit-Remaining: 0""");
    }

    @Test
    void the_limit_of_the_tenants_plan_is_told_with_its_own_window_and_one_of_its_own_without() {
        Responses responses = responses(0, Header.RATELIMIT_DRAFT10);
        Policy byPlan = policy(
                VERSION,
                responses,
                rule("P", Scope.TENANT, TWENTY, Map.of("gold", new TokenBucketLimit(600, 10, 1_000))));
        Feedback feedback = new Feedback(knowing(byPlan), 1_000, NONE);

        assertThat(fields(feedback.toCaller(KNOWN, allowed(600, 599, OptionalLong.of(100)))))
                .isEqualTo("RateLimit-Policy: \"P\";q=600;w=60\nRateLimit: \"P\";r=599;t=1");
        assertThat(fields(feedback.toCaller(KNOWN, allowed(50, 49, OptionalLong.of(100)))))
                .isEqualTo("RateLimit-Policy: \"P\";q=50\nRateLimit: \"P\";r=49;t=1");
    }

    @Test
    void the_tightest_rule_of_an_admission_is_found_by_its_limit_and_left_unnamed_where_two_have_it() {
        Responses responses = responses(0, Header.RATELIMIT_DRAFT10, Header.X_RATELIMIT);
        Policy three = policy(
                VERSION,
                responses,
                rule("P-20", TWENTY),
                rule("P-5a", new TokenBucketLimit(5, 1, 1_000)),
                rule("P-5b", Scope.USER, new TokenBucketLimit(5, 1, 1_000), Map.of()));
        Feedback feedback = new Feedback(knowing(three), 1_000, NONE);
        Ask ofUser = Ask.of(KNOWN.caller().withUser("erika"), true, "");

        assertThat(feedback.toCaller(ofUser, ALLOWED).field("RateLimit")).hasValue("\"P-20\";r=12;t=4");
        assertThat(fields(feedback.toCaller(ofUser, allowed(5, 4, OptionalLong.of(1_000)))))
                .isEqualTo("X-RateLimit-Limit: 5\nX-RateLimit-Remaining: 4\nX-RateLimit-Reset: 1");
        assertThat(feedback.toCaller(KNOWN, allowed(5, 4, OptionalLong.of(1_000)))
                        .field("ratelimit"))
                .as("P-5b counts users, and there is none")
                .hasValue("\"P-5a\";r=4;t=1");
    }

    // ---- who is told

    @Test
    void an_anonymous_caller_learns_when_to_come_back_and_nothing_else() {
        HttpAnswer answer = told(responses(0, Header.values()), ANONYMOUS, DENIED);

        assertThat(fields(answer)).isEqualTo("Retry-After: 4");
        assertThat(answer.problem())
                .hasValue(
                        new HttpProblem("about:blank", "Too Many Requests", "There were too many requests.", Map.of()));
        assertThat(fields(told(responses(0, Header.values()), ANONYMOUS, ALLOWED)))
                .isEmpty();
    }

    @Test
    void an_anonymous_caller_does_not_learn_of_a_ban() {
        HttpAnswer answer = told(responses(0, Header.values()), ANONYMOUS, Told.banned(60_000));

        assertThat(answer.toString()).doesNotContain("banned", "operator");
        assertThat(answer.field("retry-after")).hasValue("60");
    }

    @Test
    void a_policy_may_tell_everybody_or_nobody() {
        for (Ask ask : List.of(KNOWN, ANONYMOUS)) {
            assertThat(told(to(Audience.EVERYBODY), ask, DENIED).field("RateLimit"))
                    .isPresent();
            assertThat(fields(told(to(Audience.NOBODY), ask, DENIED))).isEqualTo("Retry-After: 4");
        }
    }

    private static Responses to(Audience audience) {
        return new Responses(EnumSet.of(Header.RETRY_AFTER, Header.RATELIMIT_DRAFT10), audience, 0, 0);
    }

    @Test
    void a_program_that_asks_for_others_is_told_why_whoever_they_are() {
        Feedback feedback = new Feedback(knowing(under(responses(0, Header.values()))), 1_000, NONE);

        HttpAnswer answer = feedback.toAsker(ANONYMOUS, DENIED);

        assertThat(fields(answer)).isEqualTo("Retry-After: 4");
        assertThat(answer.problem().orElseThrow().detail())
                .isEqualTo("Rule P-EXPORT.rate has no room for this request.");
    }

    // ---- problems

    @Test
    void a_denial_is_a_problem_with_the_rule_and_where_the_decision_stands() {
        HttpProblem problem = told(Responses.DEFAULT, KNOWN, DENIED).problem().orElseThrow();

        assertThat(problem.type()).isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
        assertThat(new ArrayList<>(problem.members().entrySet()))
                .containsExactly(
                        Map.entry("violated-policies", List.of("P-EXPORT.rate")),
                        Map.entry("degraded", false),
                        Map.entry("scope", "tenant"),
                        Map.entry("decisionId", "0-7-0"),
                        Map.entry("policyVersion", VERSION));
    }

    @Test
    void an_operators_denial_names_no_quota() {
        HttpAnswer answer = told(responses(0, Header.values()), KNOWN, Told.banned(60_000));

        assertThat(answer.status()).isEqualTo(429);
        assertThat(answer.problem().orElseThrow().type()).isEqualTo("urn:headgate:problems:denied-by-operator");
        assertThat(fields(answer)).isEqualTo("Retry-After: 60");
    }

    @ParameterizedTest
    @EnumSource(Cause.class)
    void what_nobody_decided_is_503_and_a_callers_conflict_409(Cause cause) {
        Answer answer = Unavailable.because(cause, "inside");

        HttpAnswer told = told(responses(0, Header.values()), KNOWN, answer);

        assertThat(told.status()).isEqualTo(cause == Cause.CONFLICT ? 409 : 503);
        assertThat(fields(told)).isEqualTo(cause == Cause.CONFLICT ? "" : "Retry-After: 1");
        assertThat(told.toString()).doesNotContain("inside");
    }

    @Test
    void what_the_policy_advises_of_a_503_goes_before_the_setting() {
        Answer answer = new Unavailable(Cause.BREAKER, Optional.empty(), "", OptionalLong.of(30_000), List.of());

        assertThat(told(Responses.DEFAULT, KNOWN, answer).field("Retry-After")).hasValue("30");
    }

    @Test
    void whoever_asks_for_others_learns_the_cause_of_a_503() {
        HttpProblem problem = new Feedback(knowing(), 2_000, NONE)
                .toAsker(KNOWN, Unavailable.because(Cause.DEADLINE, "no answer came in time"))
                .problem()
                .orElseThrow();

        assertThat(problem.detail()).isEqualTo("The request was not decided: no answer came in time.");
        assertThat(problem.members()).isEqualTo(Map.of("cause", "DEADLINE"));
    }

    @Test
    void a_bound_that_the_gateway_keeps_is_429_and_says_that_it_is_one() {
        HttpAnswer answer = told(responses(0, Header.values()), KNOWN, fallback(false));

        assertThat(answer.status()).isEqualTo(429);
        assertThat(fields(answer)).isEqualTo("Retry-After: 3");
        assertThat(answer.problem().orElseThrow().members())
                .containsEntry("degraded", true)
                .containsEntry("violated-policies", List.of("P-EXPORT.rate"));
        assertThat(told(responses(0, Header.values()), KNOWN, fallback(true)).status())
                .isEqualTo(200);
    }

    private static Fallback fallback(boolean admitted) {
        return new Fallback(
                Fallback.Mode.LOCAL_BOUNDED,
                admitted,
                "f-1",
                VERSION,
                admitted ? Optional.empty() : Optional.of("P-EXPORT.rate"),
                admitted ? OptionalLong.empty() : OptionalLong.of(2_001),
                Optional.of(Unavailable.because(Cause.BREAKER, "")),
                List.of());
    }

    // ---- the policy

    @Test
    void a_version_that_is_forgotten_is_stood_in_for_by_the_newest_and_no_policy_by_the_default() {
        Policy newer = policy(VERSION + 1, responses(0, Header.X_RATELIMIT), rule("P-NEW", TWENTY));

        assertThat(new Feedback(knowing(newer), 1_000, NONE)
                        .toCaller(KNOWN, DENIED)
                        .field("X-RateLimit-Limit"))
                .hasValue("20");
        assertThat(fields(new Feedback(knowing(), 1_000, NONE).toCaller(KNOWN, DENIED)))
                .isEqualTo("Retry-After: 4");
    }

    // ---- jitter

    /** The hint is 10 s and the jitter as much again: each of the ten seconds after it gets about a tenth of them. */
    @Test
    void ten_thousand_callers_that_were_told_to_wait_come_back_all_over_the_window() {
        Random random = new Random(20_261_201);
        Feedback feedback = new Feedback(
                knowing(under(responses(100, Header.RETRY_AFTER))), 1_000, most -> random.nextLong(most + 1));
        Answer denial = denied("P-EXPORT.rate", 20, 0, OptionalLong.of(10_000), OptionalLong.of(10_000));
        int[] bySecond = new int[21];
        for (int i = 0; i < CALLERS; i++) {
            bySecond[
                    Integer.parseInt(feedback.toCaller(KNOWN, denial)
                            .field("Retry-After")
                            .orElseThrow())]++;
        }

        int later = 0;
        long chiSquareTimesExpected = 0;
        int expected = CALLERS / 10;
        for (int second = 11; second <= 20; second++) {
            later += bySecond[second];
            chiSquareTimesExpected += (long) (bySecond[second] - expected) * (bySecond[second] - expected);
            assertThat(bySecond[second]).as("callers told %s s", second).isBetween(850, 1_150);
        }
        assertThat(later + bySecond[10]).as("nobody is told less than 10 s").isEqualTo(CALLERS);
        assertThat(bySecond[10]).as("those who got no jitter at all").isLessThan(20);
        // 27.9 is the 99.9th percentile with 9 degrees of freedom.
        assertThat(chiSquareTimesExpected).isLessThan(279L * expected / 10);
    }

    @Test
    void nobody_is_told_to_come_back_before_the_hint_nor_later_than_the_jitter_allows() {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            for (int i = 0; i < 500; i++) {
                long hint = 1 + (random.nextLong() >>> (1 + random.nextInt(8) + 24));
                int percent = random.nextInt(101);
                Jitter jitter = extremes(random);
                Feedback feedback = new Feedback(knowing(under(responses(percent, Header.RETRY_AFTER))), 1_000, jitter);
                Answer denial = denied("P-EXPORT.rate", 20, 0, OptionalLong.empty(), OptionalLong.of(hint));

                long seconds = Long.parseLong(
                        feedback.toCaller(KNOWN, denial).field("Retry-After").orElseThrow());

                assertThat(seconds * 1_000)
                        .as("seed %s, hint %s ms, jitter %s %%", seed, hint, percent)
                        .isGreaterThanOrEqualTo(hint)
                        .isLessThan(hint + hint / 100 * percent + 100 + 1_000);
            }
        }
    }

    private static Jitter extremes(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> most -> 0;
            case 1 -> most -> most;
            default -> most -> random.nextLong(most + 1);
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 99, 1_000, 4_611_686_018_427_387_904L})
    void chance_is_within_its_bounds(long most) {
        for (int i = 0; i < 1_000; i++) {
            assertThat(Jitter.random().upTo(most)).isBetween(0L, most);
        }
    }

    // ---- injection

    @ParameterizedTest
    @ValueSource(strings = {"P\r\nX-Evil: 1", "P\nX", "P\0", "P\u0085X", "Prüf", "\u2028", "\u007f"})
    void a_rule_with_a_character_that_no_field_may_have_is_left_out_of_the_fields(String id) {
        Answer denial = denied(id, 20, 0, OptionalLong.of(1_000), OptionalLong.of(1_000));

        HttpAnswer answer = told(responses(0, Header.values()), KNOWN, denial);

        assertThat(fields(answer))
                .isEqualTo("Retry-After: 1\nX-RateLimit-Limit: 20\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1");
    }

    @Test
    void quotes_and_backslashes_in_a_rule_do_not_end_the_string() {
        Answer denial = denied("a\";r=9, \"b\\", 20, 0, OptionalLong.of(1_000), OptionalLong.of(1_000));

        assertThat(told(responses(0, Header.RATELIMIT_DRAFT10), KNOWN, denial).field("RateLimit"))
                .hasValue("\"a\\\";r=9, \\\"b\\\\\";r=0;t=1");
    }

    @Test
    void a_field_that_is_more_than_one_cannot_be_made() {
        for (String value : List.of("a\r\nb: c", "a\nb", "a\rb", "\0", "é")) {
            assertThatThrownBy(() -> new HeaderField("RateLimit", value))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("RateLimit");
        }
        for (String name : List.of("", "a b", "a:", "a\r\nb", "é")) {
            assertThatThrownBy(() -> new HeaderField(name, "")).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void numbers_that_no_field_may_have_are_left_out() {
        Answer huge = allowed(1_000_000_000_000_000L, 1, OptionalLong.of(1));

        assertThat(fields(told(responses(0, Header.RATELIMIT_DRAFT10), KNOWN, huge)))
                .isEmpty();
    }
}
