package io.headgate.tools;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.policy.Policy;
import io.headgate.schemas.policy.TenantPlansDocument;
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
        return located(file, policy).document();
    }

    /** Reads a file, and where in it everything stands. */
    public static Located<List<TenantPlan>> located(Path file, Optional<Policy> policy) throws PolicyFileException {
        return DocumentFile.read(file, parser -> TenantPlansDocument.readAuthored(parser, policy));
    }
}
