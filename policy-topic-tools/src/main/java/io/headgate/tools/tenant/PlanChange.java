package io.headgate.tools.tenant;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.schemas.ZoneTables;
import io.headgate.tools.CommandFailedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What is to be another in a plan; the rest stays. */
final class PlanChange {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--plan", paramLabel = "PLAN", description = "one of the policy's plans")
    private String plan;

    @ArgGroup
    private Unlimited unlimited;

    @ArgGroup
    private Zone zone;

    @ArgGroup
    private Region region;

    @Option(
            names = "--override",
            paramLabel = "RULE=LIMIT",
            description = {
                "a limit of its own, for good: RULE='{limit: {…}}' as the rule would have it in the policy, or"
                        + " RULE=unlimited; may be repeated"
            })
    private Map<String, String> overrides = new LinkedHashMap<>();

    @Option(names = "--no-override", paramLabel = "RULE", description = "the rule's limit holds again; may be repeated")
    private List<String> droppedOverrides = new ArrayList<>();

    @ArgGroup
    private Service service;

    /** Whether rules hold. */
    static final class Unlimited {

        @Option(names = "--unlimited", required = true, description = "no rule limits it")
        private boolean yes;

        @Option(names = "--limited", required = true, description = "rules limit it")
        private boolean no;

        boolean unlimited() {
            return yes && !no;
        }
    }

    /** Where its days begin. */
    static final class Zone {

        @Option(
                names = "--zone",
                paramLabel = "ZONE",
                required = true,
                description = "the time zone of its calendar windows, such as Europe/Zurich")
        private String name;

        @Option(names = "--no-zone", required = true, description = "UTC again")
        private boolean none;
    }

    /** Where its budget is kept. */
    static final class Region {

        @Option(
                names = "--home-region",
                paramLabel = "REGION",
                required = true,
                description = "where its budget is kept")
        private String name;

        @Option(names = "--no-home-region", required = true, description = "no region of its own again")
        private boolean none;
    }

    /** Whether it is served. */
    static final class Service {

        @Option(
                names = "--suspend",
                required = true,
                description = "deny every request; the rule in decisions is headgate.suspended")
        private boolean suspend;

        @Option(names = "--activate", required = true, description = "serve it again")
        private boolean activate;

        TenantPlan.Status status() {
            return suspend && !activate ? TenantPlan.Status.SUSPENDED : TenantPlan.Status.ACTIVE;
        }
    }

    boolean isEmpty() {
        return plan == null
                && unlimited == null
                && zone == null
                && region == null
                && overrides.isEmpty()
                && droppedOverrides.isEmpty()
                && service == null;
    }

    void checkUsage() {
        if (zone != null && !zone.none && !ZoneTables.knows(zone.name)) {
            throw wrong("Invalid value for --zone: '" + zone.name
                    + "' is no time zone that this Java platform knows; it must be one such as Europe/Zurich");
        }
        droppedOverrides.stream().filter(overrides::containsKey).findFirst().ifPresent(rule -> {
            throw wrong("--override and --no-override both name rule '" + rule + "'");
        });
    }

    /**
     * The plan after the change.
     *
     * @throws CommandFailedException naming what is wrong with an override
     */
    TenantPlan applied(TenantPlan before, PolicyInForce policy) throws CommandFailedException {
        SortedMap<String, Limit> own = new TreeMap<>(before.overrides());
        for (Map.Entry<String, String> override : overrides.entrySet()) {
            String rule = override.getKey();
            own.put(
                    rule,
                    LimitText.readOverride(
                            "--override " + rule,
                            override.getValue(),
                            policy.rule(rule).map(found -> found.limit().algorithm())));
        }
        for (String rule : droppedOverrides) {
            if (own.remove(rule) == null) {
                throw new CommandFailedException("--no-override is '" + rule + "', and " + before.tenant()
                        + " has no override of that rule; there are " + own.keySet());
            }
        }
        try {
            return new TenantPlan(
                    before.tenant(),
                    service == null ? before.status() : service.status(),
                    plan == null ? before.plan() : plan,
                    unlimited == null ? before.unlimited() : unlimited.unlimited(),
                    zone == null ? before.zone() : zone.none ? Optional.empty() : Optional.of(zone.name),
                    region == null ? before.homeRegion() : region.none ? Optional.empty() : Optional.of(region.name),
                    own);
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
