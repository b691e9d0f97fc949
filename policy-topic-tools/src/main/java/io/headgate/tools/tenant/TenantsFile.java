package io.headgate.tools.tenant;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.policy.Policy;
import io.headgate.tools.CommandFailedException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Plans of tenants in a file. */
final class TenantsFile {

    private TenantsFile() {}

    /**
     * Reads a file.
     *
     * @throws CommandFailedException naming the file and every mistake
     */
    static List<TenantPlan> read(Path file, Optional<Policy> policy) throws CommandFailedException {
        throw new CommandFailedException(file + ": not yet " + policy.isPresent());
    }
}
