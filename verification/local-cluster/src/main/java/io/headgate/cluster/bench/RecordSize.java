package io.headgate.cluster.bench;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.schemas.RequestRecords;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;

/**
 * How large the records are that a client sends, in bytes.
 *
 * @param empty of a batch without its commands
 * @param each of a command
 */
record RecordSize(int empty, int each) {

    private static final int SAMPLE = 100;

    /** A pseudonym's length. */
    private static final String PSEUDONYM = "0".repeat(32);

    private static final Attempt ATTEMPT = new Attempt("bench", Long.MAX_VALUE, 100_000);

    /** Of requests for a route, as {@link Decisions} makes them. */
    static RecordSize of(String route) {
        int one = encoded(route, 1);
        int each = (encoded(route, SAMPLE) - one) / (SAMPLE - 1);
        return new RecordSize(one - each, each);
    }

    int ofBatch(int commands) {
        return empty + commands * each;
    }

    private static int encoded(String route, int commands) {
        Admission admission =
                new Admission(Stage.TENANT, new Identity("bench-500", PSEUDONYM, "", "", ""), true, route, Map.of(), 1);
        Command ask = new Command.Ask(admission, false, System.currentTimeMillis(), false);
        return RequestRecords.encode(new Requests(Optional.of(ATTEMPT), Collections.nCopies(commands, ask))).length;
    }
}
