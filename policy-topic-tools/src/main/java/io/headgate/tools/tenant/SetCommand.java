package io.headgate.tools.tenant;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.schemas.PlanRecord;
import io.headgate.tools.Attribution;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.Headgate;
import io.headgate.tools.OutputOption;
import io.headgate.tools.PolicyFileException;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TenantsFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate tenant set}. */
@Command(
        name = "set",
        description = {
            "Sets what a tenant may do. What no option speaks of stays as it is; a tenant without a plan begins with the"
                    + " default. With --file, sets each tenant of the file to what stands there."
        },
        exitCodeListHeading = TenantCommand.EXIT_CODES,
        exitCodeList = {
            "0:written",
            "1:refused by a check or by the cluster, or written while somebody else changed the same tenant; stderr"
                    + " says which",
            TenantCommand.WRONG_USAGE
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  headgate tenant set atlas --plan enterprise --zone Europe/Zurich --author ann --reason 'contract 7' \\",
            "    --bootstrap-servers kafka:9092",
            "  headgate tenant set birch --override P-READ='{limit: {capacity: 50, refill: {tokens: 5, per: 1s}}}' …",
            "  headgate tenant set cedar --suspend …",
            "  headgate tenant set --file tenants.yaml …"
        })
final class SetCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "TENANT", arity = "0..1", description = "the tenant; left out with --file")
    private String tenant;

    @Mixin
    private PlanChange change;

    @Option(
            names = "--file",
            paramLabel = "FILE",
            description = "plans of several tenants, YAML or JSON, kind TenantPlans")
    private Path file;

    @Mixin
    private Attribution attribution;

    @Mixin
    private Connection connection;

    @Mixin
    private RecordSigning signing;

    @Mixin
    private Force force;

    @Mixin
    private OutputOption output;

    SetCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        checkUsage();
        try (Cluster cluster = connection.open(surroundings)) {
            if (file == null) {
                set(cluster);
            } else {
                setAll(cluster);
            }
        }
        return Headgate.OK;
    }

    private void checkUsage() {
        attribution.author();
        attribution.reason();
        signing.checkUsage();
        if (file != null) {
            if (tenant != null || !change.isEmpty()) {
                throw wrong("--file says all about its tenants; leave out TENANT and what is to be set");
            }
            return;
        }
        if (tenant == null) {
            throw wrong("Missing required parameter: 'TENANT', or --file");
        }
        if (tenant.isEmpty() || tenant.length() > Identity.MAX_LENGTH) {
            throw wrong("Invalid value for TENANT: it has " + tenant.length() + " characters; it must have 1 to "
                    + Identity.MAX_LENGTH);
        }
        if (change.isEmpty()) {
            throw wrong("nothing is to be set; say what, such as --plan");
        }
        change.checkUsage();
    }

    private void set(Cluster cluster) throws CommandFailedException {
        PolicyInForce policy = PolicyInForce.read(cluster);
        PlanTopic topic = new PlanTopic(cluster);
        PlanTopic.Standing standing = topic.standing(tenant);
        topic.rejects().print(spec.commandLine().getErr());
        Optional<TenantPlan> before = standing.plan()
                .filter(plan -> !plan.removed())
                .map(placed -> placed.record().plan());
        TenantPlan after = change.applied(before.orElseGet(() -> TenantPlan.on(tenant, TenantPlan.DEFAULT)), policy);
        force.check(policy, checks -> checks.problems(after));
        PlanRecord record = new PlanRecord(after, attribution.author(), attribution.reason());
        Place place = topic.write(List.of(record), signing.signer(cluster), surroundings.nowMillis())
                .get(0);
        if (before.isEmpty()) {
            spec.commandLine().getErr().println(tenant + " had no plan before");
        }
        receipt().print(record, place);
        Optional<Place> other = topic.between(tenant, standing, place);
        if (other.isPresent()) {
            throw new CommandFailedException("somebody else wrote the plan of " + tenant + " meanwhile, to "
                    + other.get() + ", and what they changed may be undone; look at headgate tenant show " + tenant);
        }
    }

    private void setAll(Cluster cluster) throws CommandFailedException {
        PolicyInForce policy = PolicyInForce.read(cluster);
        List<PlanRecord> records = new ArrayList<>();
        for (TenantPlan plan : read(policy)) {
            records.add(new PlanRecord(plan, attribution.author(), attribution.reason()));
        }
        force.check(
                policy,
                checks -> records.stream()
                        .flatMap(record -> checks.problems(record.plan()).stream()
                                .map(problem ->
                                        file + ": tenant " + record.plan().tenant() + ": " + problem))
                        .toList());
        List<Place> places = new PlanTopic(cluster).write(records, signing.signer(cluster), surroundings.nowMillis());
        for (int i = 0; i < places.size(); i++) {
            receipt().print(records.get(i), places.get(i));
        }
    }

    private List<TenantPlan> read(PolicyInForce policy) throws CommandFailedException {
        try {
            return TenantsFile.read(file, policy.policy());
        } catch (PolicyFileException e) {
            throw new CommandFailedException(e.getMessage().lines().toList());
        }
    }

    private PlanReceipt receipt() {
        return new PlanReceipt(spec.commandLine().getOut(), output.value());
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
