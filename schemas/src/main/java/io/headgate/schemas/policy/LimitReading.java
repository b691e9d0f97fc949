package io.headgate.schemas.policy;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Bounds;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Window;
import io.headgate.core.limit.Zone;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One object of a limit being read. A number in it may be taken from the plan: then there is a limit for each plan, of
 * which every one has to be within the algorithm's bounds.
 */
final class LimitReading {

    static final String CALENDAR = "calendar";

    private static final String FROM_PLAN = "fromPlan";
    private static final String EPOCH = "epoch";

    private static final Map<String, Refill> REFILLS = Labels.of(Refill.values(), Refill::label);
    private static final Map<String, Refill> CONTINUOUS = Labels.of(new Refill[] {Refill.GREEDY}, Refill::label);
    private static final Map<String, CalendarUnit> UNITS = Labels.of(CalendarUnit.values(), CalendarUnit::label);
    private static final Map<String, String> ALIGNMENTS = Labels.of(List.of(EPOCH, CALENDAR));
    private static final Map<String, String> EPOCH_ONLY = Labels.of(List.of(EPOCH));

    private final Section fields;
    private final Optional<PlanTable> plans;
    private boolean planned;

    /**
     * Begins to read.
     *
     * @param fields the object
     * @param plans where quantities are found; empty where a limit must say its numbers itself
     */
    LimitReading(Section fields, Optional<PlanTable> plans) {
        this.fields = fields;
        this.plans = plans;
    }

    /**
     * What was read.
     *
     * @param limit of whoever is on no plan
     * @param byPlan of those plans for which it is another
     * @param planned whether a number is taken from the plan
     */
    record Limits(Limit limit, SortedMap<String, Limit> byPlan, boolean planned) {}

    /** A number, which may be another in each plan. */
    @FunctionalInterface
    private interface Amount {
        long in(String plan);
    }

    /** A limit that holds such numbers. */
    @FunctionalInterface
    private interface Draft {
        Limit in(String plan);
    }

    /** Reads the object of an algorithm that has one. */
    Optional<Limits> read(String algorithm) {
        Optional<Draft> draft = draft(algorithm);
        fields.close();
        return draft.flatMap(this::limits);
    }

    private Optional<Draft> draft(String algorithm) {
        return switch (algorithm) {
            case TokenBucketLimit.ALGORITHM -> tokenBucket();
            case GcraLimit.ALGORITHM -> gcra();
            case FixedWindowLimit.ALGORITHM -> fixedWindow();
            case SlidingWindowLimit.ALGORITHM -> {
                Optional<Amount> requests = requests(Bounds.MAX_TOKENS);
                yield sliding()
                        .flatMap(per -> requests.map(limit -> plan -> new SlidingWindowLimit(limit.in(plan), per)));
            }
            case SlidingLogLimit.ALGORITHM -> {
                Optional<Amount> requests = requests(SlidingLogLimit.MAX_ENTRIES);
                yield sliding().flatMap(per -> requests.map(limit -> plan -> new SlidingLogLimit(limit.in(plan), per)));
            }
            default ->
                throw new IllegalArgumentException(
                        "algorithm is '" + algorithm + "'; it must be one of " + LimitFormat.WITH_OBJECT);
        };
    }

    private Optional<Draft> tokenBucket() {
        Optional<Amount> capacity = amount(fields, "capacity", 0, Bounds.MAX_TOKENS);
        Optional<Section> refill = fields.requiredSection("refill");
        Optional<Amount> tokens = refill.flatMap(one -> amount(one, "tokens", 0, Bounds.MAX_TOKENS));
        Optional<Long> per = refill.flatMap(one -> one.requiredDurationMillis("per", Bounds.MAX_PERIOD_MILLIS));
        Refill mode =
                refill.flatMap(one -> one.choice("mode", REFILLS, Map.of())).orElse(Refill.GREEDY);
        refill.ifPresent(Section::close);
        if (capacity.isEmpty() || tokens.isEmpty() || per.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(plan ->
                new TokenBucketLimit(capacity.get().in(plan), tokens.get().in(plan), per.get(), mode));
    }

    private Optional<Draft> gcra() {
        Optional<Amount> capacity = amount(fields, "capacity", 0, Bounds.MAX_TOKENS);
        Optional<Section> refill = fields.requiredSection("refill");
        Optional<Amount> tokens = refill.flatMap(one -> amount(one, "tokens", 1, Bounds.MAX_TOKENS));
        Optional<Long> per = refill.flatMap(one -> one.requiredDurationMillis("per", Bounds.MAX_PERIOD_MILLIS));
        refill.ifPresent(one -> one.choice("mode", CONTINUOUS, Map.of()));
        refill.ifPresent(Section::close);
        if (capacity.isEmpty() || tokens.isEmpty() || per.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                plan -> new GcraLimit(capacity.get().in(plan), tokens.get().in(plan), per.get()));
    }

    private Optional<Draft> fixedWindow() {
        Optional<Amount> requests = requests(Bounds.MAX_TOKENS);
        boolean calendar = fields.choice("align", ALIGNMENTS, Map.of())
                .map(CALENDAR::equals)
                .orElse(false);
        Optional<Window> window = calendar ? calendarWindow() : everyWindow();
        return window.flatMap(cut -> requests.map(limit -> plan -> new FixedWindowLimit(limit.in(plan), cut)));
    }

    private Optional<Window> everyWindow() {
        if (fields.has("zone")) {
            fields.problems()
                    .add(fields.place("zone"), "is there; only windows with align: calendar are those of a zone");
        }
        if (fields.isOneOf("per", UNITS.keySet())) {
            fields.problems().add(fields.place("per"), "is a span of the calendar; that needs align: calendar");
            return Optional.empty();
        }
        return fields.requiredDurationMillis("per", Bounds.MAX_PERIOD_MILLIS).map(Window.Every::new);
    }

    private Optional<Window> calendarWindow() {
        Optional<CalendarUnit> unit = fields.requiredChoice("per", UNITS, Map.of());
        Optional<String> zone = fields.shapedText("zone", ZoneNames.SHAPE + ", or tenant", ZoneNames::isName);
        return unit.map(span -> new Window.Calendar(span, zone.orElse(Zone.UTC.id())));
    }

    private Optional<Long> sliding() {
        fields.choice("align", EPOCH_ONLY, Map.of());
        return fields.requiredDurationMillis("per", Bounds.MAX_PERIOD_MILLIS);
    }

    /** The number of requests, or the short way to say that it is the plan's. */
    private Optional<Amount> requests(long most) {
        if (plans.isEmpty() || !fields.has(FROM_PLAN)) {
            return amount(fields, "requests", 0, most);
        }
        if (fields.has("requests")) {
            fields.problems().add(fields.place(FROM_PLAN), "stands beside requests; one of them must go");
            return Optional.empty();
        }
        return fromPlan(fields, plans.get());
    }

    private Optional<Amount> amount(Section owner, String field, long least, long most) {
        if (!owner.isObject(field)) {
            return owner.requiredInteger(field, least, most).map(tokens -> plan -> tokens);
        }
        if (plans.isEmpty()) {
            owner.problems()
                    .add(
                            owner.place(field),
                            "is an object; only a rule's limits can be by plan, here it must be an" + " integer of "
                                    + least + " to " + most);
            return Optional.empty();
        }
        Section reference = owner.section(field).orElseThrow();
        Optional<Amount> amount = fromPlan(reference, plans.get());
        reference.close();
        return amount;
    }

    private Optional<Amount> fromPlan(Section owner, PlanTable table) {
        planned = true;
        Optional<String> quantity = owner.requiredName(FROM_PLAN).filter(name -> !table.misread(name));
        if (quantity.isPresent() && !table.has(quantity.get())) {
            owner.problems()
                    .add(
                            owner.place(FROM_PLAN),
                            "is \"" + quantity.get() + "\", which spec.plans.default does not name; it has to, for"
                                    + " tenants that are on no plan");
            return Optional.empty();
        }
        return quantity.map(name -> plan -> table.tokens(plan, name));
    }

    private Optional<Limits> limits(Draft draft) {
        Optional<Limit> limit = made(draft, TenantPlan.DEFAULT);
        SortedMap<String, Limit> byPlan = new TreeMap<>();
        if (planned) {
            for (String plan : plans.orElseThrow().plans()) {
                made(draft, plan)
                        .filter(own -> !limit.equals(Optional.of(own)))
                        .ifPresent(own -> byPlan.put(plan, own));
            }
        }
        return limit.map(own -> new Limits(own, byPlan, planned));
    }

    private Optional<Limit> made(Draft draft, String plan) {
        try {
            return Optional.of(draft.in(plan));
        } catch (IllegalArgumentException outOfRange) {
            fields.problems().addRefused(fields.place(), outOfRange, planned ? " (in plan " + plan + ")" : "");
            return Optional.empty();
        }
    }
}
