package io.headgate.schemas.policy;

import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Rollout;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Supplier;

/** {@code effectiveAt} and {@code rollout}: when a version takes effect, and for whom. */
final class ActivationFormat {

    private static final int DECIMALS = 2;
    private static final String TENANTS = "tenants";
    private static final String PERCENT = "percent";
    private static final String ROUTES = "routes";

    /** Shards remember the names of every rollout for about a round of the sweep, and refuse one that is too many. */
    static final int MOST_TENANTS = 1_000;

    private ActivationFormat() {}

    /** Reads both of a document's {@code spec}. */
    static Activation read(Section spec) {
        Optional<Long> effectiveAt = spec.instantMillis("effectiveAt");
        Rollout rollout =
                spec.section("rollout").flatMap(ActivationFormat::readRollout).orElse(Rollout.EVERYBODY);
        return new Activation(effectiveAt.map(OptionalLong::of).orElseGet(OptionalLong::empty), rollout);
    }

    private static Optional<Rollout> readRollout(Section section) {
        Optional<List<String>> tenants = section.texts(
                TENANTS,
                "a tenant's id, text of 1 to " + Identity.MAX_LENGTH + " characters",
                id -> !id.isEmpty() && Section.isText(id, Identity.MAX_LENGTH));
        if (tenants.map(List::size).orElse(0) > MOST_TENANTS) {
            section.problems()
                    .add(
                            section.place(TENANTS),
                            "names " + tenants.get().size() + " tenants; at most " + MOST_TENANTS
                                    + " are allowed, and percent reaches more");
        }
        Optional<Integer> percent = section.percent(PERCENT, DECIMALS, 0, Rollout.WHOLE - 1);
        Optional<List<String>> routes = section.names(ROUTES);
        boolean byTenants = section.has(TENANTS) || section.has(PERCENT);
        section.close();
        if (section.has(ROUTES)) {
            if (byTenants) {
                section.problems()
                        .add(
                                section.place(ROUTES),
                                "stands beside tenants or percent; a rollout is by tenants or by routes, not both");
                return Optional.empty();
            }
            return routes.flatMap(
                    groups -> made(section, groups.isEmpty(), () -> new Rollout.Routes(new TreeSet<>(groups))));
        }
        boolean unread = (section.has(TENANTS) && tenants.isEmpty()) || (section.has(PERCENT) && percent.isEmpty());
        if (unread) {
            return Optional.empty();
        }
        List<String> named = tenants.orElse(List.of());
        int share = percent.orElse(0);
        return made(section, named.isEmpty() && share == 0, () -> new Rollout.Tenants(new TreeSet<>(named), share));
    }

    private static Optional<Rollout> made(Section section, boolean forNobody, Supplier<Rollout> rollout) {
        if (forNobody) {
            section.problems()
                    .add(
                            section.place(),
                            "is for nobody; it must name tenants, a percent above 0% or routes, or be left out for"
                                    + " everybody");
            return Optional.empty();
        }
        return Optional.of(rollout.get());
    }
}
