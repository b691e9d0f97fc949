package io.headgate.tools.backtest;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * A request that is decided otherwise than before.
 *
 * @param place where it was recorded
 * @param timeMillis when
 * @param who what its stage is partitioned by
 * @param route as it was asked
 * @param rule that denies it, now or before
 * @param limit of that rule; −1 if it has none
 * @param remaining of that limit; −1 as well
 * @param retryAfterMillis the hint that the denial gives; −1 if it gives none
 */
record Example(
        String place,
        long timeMillis,
        String who,
        String route,
        String rule,
        long limit,
        long remaining,
        long retryAfterMillis) {

    void writeTo(DataOutput out) throws IOException {
        out.writeUTF(place);
        out.writeLong(timeMillis);
        out.writeUTF(who);
        out.writeUTF(route);
        out.writeUTF(rule);
        out.writeLong(limit);
        out.writeLong(remaining);
        out.writeLong(retryAfterMillis);
    }

    static Example readFrom(DataInput in) throws IOException {
        return new Example(
                in.readUTF(),
                in.readLong(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readLong(),
                in.readLong(),
                in.readLong());
    }
}
