package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.Test;

/** A processor that was frozen for longer than its transaction may last goes on; {@code CrashIT} does it for real. */
class LostTransactionTest {

    @Test
    void a_transaction_that_the_broker_ended_is_no_failure_of_the_processor() {
        StreamsException dying = new StreamsException(
                "Error encountered trying to commit a transaction",
                new InvalidTxnStateException("The producer attempted a transactional operation in an invalid state."));

        assertThat(AdmissionProcessor.lostItsTransaction(dying)).isTrue();
    }

    @Test
    void anything_else_is() {
        assertThat(AdmissionProcessor.lostItsTransaction(new StreamsException("a store failed")))
                .isFalse();
        assertThat(AdmissionProcessor.lostItsTransaction(
                        new StreamsException("fold", new IllegalStateException("state entry ends too early"))))
                .isFalse();
    }
}
