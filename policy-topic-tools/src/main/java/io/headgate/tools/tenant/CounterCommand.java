package io.headgate.tools.tenant;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Surroundings;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What the commands have in common that act on one counter of a rule. */
abstract class CounterCommand extends ActionCommand {

    private final String kind;

    @Mixin
    private Holder holder;

    @Mixin
    private Member member;

    @Mixin
    private Counted counted;

    @Option(names = "--rule", paramLabel = "RULE", required = true, description = "the id of the rule")
    private String ruleId;

    @Mixin
    private Force force;

    private Subject subject;
    private Action.Effect effect;

    CounterCommand(String kind, Surroundings surroundings) {
        super(surroundings);
        this.kind = kind;
    }

    /**
     * What is done to the rule's counter.
     *
     * @throws IllegalArgumentException naming what is out of range
     */
    abstract Action.Effect effect(String rule);

    @Override
    final void checkUsage(long nowMillis) {
        try {
            subject =
                    new Subject(holder.stage(), member.of(holder, surroundings), counted.route(), counted.attributes());
            effect = effect(ruleId);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    @Override
    final void act(Cluster cluster, long nowMillis) throws CommandFailedException {
        Action action = action(kind, subject, effect, nowMillis);
        force.check(PolicyInForce.read(cluster), checks -> checks.problems(action));
        write(new ActionTopic(cluster), action);
    }
}
