package io.headgate.tools;

import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.UnreadableRecordException;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The policy of the highest version among the records of a topic that have been seen; of several with it the first. */
public final class NewestPolicy {

    private Optional<PolicyRecord> newest = Optional.empty();

    /** What is not a policy counts for nobody, so it does not count here. */
    public void see(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            return;
        }
        try {
            PolicyRecord read = PolicyRecord.fromBytes(record.value());
            if (read.version() > newest.map(PolicyRecord::version).orElse(0L)) {
                newest = Optional.of(read);
            }
        } catch (UnreadableRecordException foreign) {
            // As above.
        }
    }

    public Optional<PolicyRecord> record() {
        return newest;
    }
}
