package io.headgate.tools;

import com.fasterxml.jackson.core.JsonParser;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.core.policy.Policy;
import io.headgate.schemas.policy.TenantPlansDocument;
import io.headgate.schemas.policy.ZoneNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Plans of tenants in a file, YAML or JSON. The time zones that they name have to be ones that this platform knows. */
public final class TenantsFile {

    private TenantsFile() {}

    /**
     * Reads a file.
     *
     * @param policy tells the algorithm of a rule where an override names none
     * @return the plans in the order of the file
     */
    public static List<TenantPlan> read(Path file, Optional<Policy> policy) throws PolicyFileException {
        List<TenantPlan> plans = DocumentFile.read(file, new Reader(policy));
        List<Problem> unknownZones =
                plans.stream().flatMap(plan -> ZoneNames.unknown(plan).stream()).toList();
        if (!unknownZones.isEmpty()) {
            throw new PolicyFileException(file.toString(), unknownZones);
        }
        return plans;
    }

    private record Reader(Optional<Policy> policy) implements DocumentFile.Reader<List<TenantPlan>> {

        @Override
        public List<TenantPlan> parse(byte[] json) {
            return TenantPlansDocument.parse(json, policy);
        }

        @Override
        public List<TenantPlan> read(JsonParser parser) throws IOException {
            return TenantPlansDocument.read(parser, policy);
        }
    }
}
