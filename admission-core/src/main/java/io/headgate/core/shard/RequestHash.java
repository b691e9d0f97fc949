package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What a caller's key stands for: stage, route, attributes and costs, as the first 128 bits of their SHA-256, in
 * hexadecimal. Who asks is not part of it but of the key; the address is neither, since a caller that tries again may
 * come from another one.
 */
record RequestHash(String hex) {

    private static final int LENGTH = 16;

    static RequestHash of(Admission admission) {
        ByteWriter request = new ByteWriter()
                .putString(admission.stage().label())
                .putBoolean(admission.authenticated())
                .putString(admission.route())
                .putLong(admission.attributes().size());
        admission.attributes().forEach((name, value) -> request.putString(name).putString(value));
        admission.costs().forEach((meter, cost) -> request.putString(meter).putLong(cost));
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(request.toBytes());
            return new RequestHash(HexFormat.of().formatHex(hash, 0, LENGTH));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-256", missing);
        }
    }
}
