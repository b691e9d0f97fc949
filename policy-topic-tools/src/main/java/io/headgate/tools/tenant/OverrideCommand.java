package io.headgate.tools.tenant;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Rule;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Surroundings;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code headgate tenant override}. */
@Command(
        name = "override",
        description = {
            "Gives a tenant, an address or a login name another limit of a rule for a while.",
            "It holds for all counters of the rule there: of each user, if the rule counts by user. What was spent stays"
                    + " spent. The algorithm stays the rule's."
        },
        exitCodeListHeading = TenantCommand.EXIT_CODES,
        exitCodeList = {TenantCommand.WRITTEN, TenantCommand.NOT_WRITTEN, TenantCommand.WRONG_USAGE},
        footerHeading = "%nExamples:%n",
        footer = {
            "  headgate tenant override atlas --rule P-READ --limit '{capacity: 50, refill: {tokens: 5, per: 1s}}' \\",
            "    --for 2h --author ann --reason 'spring sale' --bootstrap-servers kafka:9092",
            "  headgate tenant override atlas --rule P-TENANT --limit unlimited --until 2026-12-01T08:00:00Z …"
        })
final class OverrideCommand extends ActionCommand {

    @Mixin
    private Holder holder;

    @Option(names = "--rule", paramLabel = "RULE", required = true, description = "the id of the rule")
    private String ruleId;

    @Option(
            names = "--limit",
            paramLabel = "LIMIT",
            required = true,
            description = "the limit as the rule would have it in the policy, or unlimited")
    private String limit;

    @Mixin
    private Term term;

    @Mixin
    private Force force;

    private Subject subject;
    private long untilMillis;

    OverrideCommand(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    void checkUsage(long nowMillis) {
        if (holder.namesAddressOfTenant()) {
            throw new ParameterException(
                    spec.commandLine(), "an override is for all of a tenant; leave out --ip, or TENANT");
        }
        subject = new Subject(holder.stage(), holder.identity(surroundings), "", Map.of());
        untilMillis = term.untilMillis(nowMillis);
    }

    @Override
    void act(Cluster cluster, long nowMillis) throws CommandFailedException {
        PolicyInForce policy = PolicyInForce.read(cluster);
        Action action = action("override", subject, effect(policy), nowMillis);
        force.check(policy, checks -> checks.problems(action));
        write(new ActionTopic(cluster), action);
    }

    private Action.Effect effect(PolicyInForce policy) throws CommandFailedException {
        Optional<Rule> rule = policy.rule(ruleId);
        Limit own = rule.isPresent()
                ? LimitText.read("--limit", limit, rule.get().limit().algorithm())
                : withoutRule(policy);
        try {
            return new Action.LimitOverride(ruleId, own, untilMillis);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "Invalid value for --rule: " + e.getMessage());
        }
    }

    /** Nobody can say what the limit means without the rule's algorithm, unless the text itself does. */
    private Limit withoutRule(PolicyInForce policy) throws CommandFailedException {
        if (policy.policy().isPresent()) {
            throw new CommandFailedException(
                    new PolicyChecks(policy.policy().get()).noSuchRule(ruleId, subject.stage()));
        }
        throw new CommandFailedException(
                policy.whyNone() + ", so the algorithm of rule '" + ruleId + "' is not known; publish a policy first");
    }
}
