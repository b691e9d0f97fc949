package io.headgate.schemas.policy;

import static io.headgate.schemas.policy.Documents.parser;
import static io.headgate.schemas.policy.Documents.problems;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LimitFormatTest {

    private static final List<Limit> LIMITS = List.of(
            new TokenBucketLimit(20, 2, 1_000),
            new TokenBucketLimit(0, 0, 31_622_400_000L, Refill.INTERVAL),
            new GcraLimit(5, 1, 1),
            new FixedWindowLimit(1_000_000_000_000L, 90_000),
            new FixedWindowLimit(7, new Window.Calendar(CalendarUnit.WEEK, "Europe/Zurich")),
            new FixedWindowLimit(7, new Window.Calendar(CalendarUnit.DAY, Window.Calendar.OF_TENANT)),
            new SlidingWindowLimit(10, 300_000),
            new SlidingLogLimit(1_000, 3_600_001));

    @Test
    void reads_what_it_writes() throws IOException {
        for (Limit limit : LIMITS) {
            String written = LimitFormat.written(limit).toString();

            assertThat(LimitFormat.read(parser(written), limit.algorithm())).isEqualTo(limit);
            assertThat(LimitFormat.readOverride(
                            parser(LimitFormat.writtenOverride(limit).toString()), Optional.empty()))
                    .isEqualTo(limit);
        }
        assertThat(LimitFormat.readOverride(
                        parser(LimitFormat.writtenOverride(new Unlimited()).toString()), Optional.of("gcra")))
                .isEqualTo(new Unlimited());
    }

    @Test
    void writes_as_people_do() {
        assertThat(LimitFormat.written(LIMITS.get(0)))
                .hasToString("{\"capacity\":20,\"refill\":{\"tokens\":2,\"per\":\"1s\"}}");
        assertThat(LimitFormat.writtenOverride(LIMITS.get(4)))
                .hasToString("{\"algorithm\":\"fixed-window\",\"limit\":{\"requests\":7,\"per\":\"week\","
                        + "\"align\":\"calendar\",\"zone\":\"Europe/Zurich\"}}");
        assertThat(catchThrowable(() -> LimitFormat.written(new Unlimited())))
                .hasMessage("limits by unlimited are no objects");
    }

    @Test
    void takes_the_algorithm_of_the_rule_where_an_override_names_none() throws IOException {
        String limit = "{'limit':{'capacity':5,'refill':{'tokens':1,'per':'1s'}}}";

        assertThat(LimitFormat.readOverride(parser(limit), Optional.of("gcra"))).isEqualTo(new GcraLimit(5, 1, 1_000));
        assertThat(problems(() -> LimitFormat.readOverride(parser(limit), Optional.empty())))
                .containsExactly("algorithm is missing, and there is no rule to take it from; it must be one of"
                        + " [token-bucket, fixed-window, sliding-window-counter, sliding-log, gcra, unlimited]");
    }

    @Test
    void names_every_mistake_by_its_place_in_the_object() {
        assertThat(problems(
                        () -> LimitFormat.read(parser("{'capacity':-5,'refill':{'per':'1y'},'x':1}"), "token-bucket")))
                .containsExactly(
                        "capacity is -5; it must be an integer of 0 to 1000000000000",
                        "refill.tokens is missing; it must be an integer of 0 to 1000000000000",
                        "refill.per is '1y'; it must be a duration: a positive integer with ms, s, m, h or d, such as 10s",
                        "x is not a field of the format; what may stand here is [capacity, refill]");
        assertThat(problems(() -> LimitFormat.read(parser("7"), "gcra")))
                .containsExactly("document is 7; it must be an object");
        assertThat(problems(() -> LimitFormat.read(
                        parser("{'capacity':1000000000000,'refill':{'tokens':1,'per':'366d'}}"), "gcra")))
                .singleElement()
                .asString()
                .startsWith("capacity × refill.per is ");
    }

    @Test
    void takes_no_number_from_a_plan() {
        assertThat(problems(() -> LimitFormat.read(parser("{'fromPlan':'a','per':'1s'}"), "fixed-window")))
                .containsExactly(
                        "requests is missing; it must be an integer of 0 to 1000000000000",
                        "fromPlan is not a field of the format; what may stand here is [align, per, requests, zone]");
        assertThat(problems(() -> LimitFormat.read(parser("{'requests':{'fromPlan':'a'},'per':'1s'}"), "sliding-log")))
                .containsExactly(
                        "requests is an object; only a rule's limits can be by plan, here it must be an integer of"
                                + " 0 to 1000");
    }

    @Test
    void refuses_overrides_that_say_nothing() {
        assertThat(problems(() -> LimitFormat.readOverride(parser("{'unlimited':false}"), Optional.of("gcra"))))
                .containsExactly("unlimited is false; it must be true, or a limit stand here");
        assertThat(problems(
                        () -> LimitFormat.readOverride(parser("{'unlimited':true,'limit':{}}"), Optional.of("gcra"))))
                .containsExactly("limit is not a field of the format; what may stand here is [unlimited]");
        assertThat(problems(() -> LimitFormat.readOverride(parser("{}"), Optional.of("gcra"))))
                .containsExactly("limit is missing; it must be an object");
        assertThat(problems(() -> LimitFormat.readOverride(
                        parser("{'algorithm':'concurrency','limit':{'inFlight':1}}"), Optional.empty())))
                .containsExactly("algorithm is not supported by this version: concurrency limits");
    }

    @Test
    void knows_no_other_algorithms() {
        assertThat(catchThrowable(() -> LimitFormat.read(parser("{}"), "leaky")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "algorithm is 'leaky'; it must be one of [token-bucket, fixed-window, sliding-window-counter,"
                                + " sliding-log, gcra]");
    }
}
