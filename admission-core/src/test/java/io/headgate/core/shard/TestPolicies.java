package io.headgate.core.shard;

import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.PolicyReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Policies by a name that stands for their document. */
public final class TestPolicies implements PolicyReader {

    private final Map<String, Policy> known = new TreeMap<>();

    /** Returns the document. */
    public byte[] add(Policy policy) {
        String name = "document " + known.size();
        known.put(name, policy);
        return name.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Policy read(byte[] document) {
        Policy policy = known.get(new String(document, StandardCharsets.UTF_8));
        if (policy == null) {
            throw new InvalidPolicyException(List.of(new InvalidPolicyException.Problem("document", "is none")));
        }
        return policy;
    }
}
