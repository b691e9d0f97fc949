package io.headgate.tools.tenant;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Scope;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Surroundings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** {@code headgate tenant ban}. */
@Command(
        name = "ban",
        description = {
            "Denies everything to a tenant, a user, key or address of it, or to an address or a login name.",
            "Decisions name headgate.banned as the rule, and the action's id."
        },
        exitCodeListHeading = TenantCommand.EXIT_CODES,
        exitCodeList = {TenantCommand.WRITTEN, TenantCommand.NOT_WRITTEN, TenantCommand.WRONG_USAGE},
        footerHeading = "%nExamples:%n",
        footer = {
            "  headgate tenant ban atlas --for 2h --author ann --reason 'unpaid' --bootstrap-servers kafka:9092",
            "  headgate tenant ban atlas --user U-17 --pseudonym-secret-file gateway.secret --for 15m …",
            "  headgate tenant ban --ip 203.0.113.7 --pseudonym-secret-file gateway.secret --for 1d …"
        })
final class BanCommand extends ActionCommand {

    @Mixin
    private Holder holder;

    @Mixin
    private Member member;

    @Mixin
    private Term term;

    private Subject subject;
    private Action.Ban ban;

    BanCommand(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    void checkUsage(long nowMillis) {
        Identity who = member.of(holder, surroundings);
        subject = new Subject(holder.stage(), who, "", Map.of());
        List<Scope> parts = new ArrayList<>();
        if (!who.user().isEmpty()) {
            parts.add(Scope.USER);
        }
        if (!who.apiKey().isEmpty()) {
            parts.add(Scope.API_KEY);
        }
        if (holder.namesAddressOfTenant()) {
            parts.add(Scope.IP);
        }
        if (parts.size() > 1) {
            throw new ParameterException(
                    spec.commandLine(), "a ban is of one user, one API key or one address; ban each by itself");
        }
        ban = new Action.Ban(parts.isEmpty() ? subject.stage().ownScope() : parts.get(0), term.untilMillis(nowMillis));
    }

    @Override
    void act(Cluster cluster, long nowMillis) throws CommandFailedException {
        write(new ActionTopic(cluster), action("ban", subject, ban, nowMillis));
    }
}
