package io.headgate.processor;

import io.headgate.core.shard.Control;
import io.headgate.core.shard.ShardView;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.trust.RecordSignature;
import io.headgate.schemas.trust.SignedRecord;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;

/** A source whose records count only if somebody has signed them who may. */
final class SignedSource<T> implements Source<T> {

    private final Source<T> unsigned;
    private final Trust<T> trust;

    /** Says of what is signed why it is not believed. */
    @FunctionalInterface
    interface Trust<T> {
        Optional<String> refusal(RecordSignature signature, SignedRecord record, T said, long appendedAtMillis);
    }

    SignedSource(Source<T> unsigned, Trust<T> trust) {
        this.unsigned = unsigned;
        this.trust = trust;
    }

    @Override
    public T read(ConsumerRecord<byte[], byte[]> record) {
        T said = unsigned.read(record);
        if (record.timestampType() != TimestampType.LOG_APPEND_TIME) {
            throw new UnreadableRecordException("its time is the writer's; the topic must have"
                    + " message.timestamp.type=LogAppendTime, which what was signed and when is compared with");
        }
        RecordSignature signature = signature(record)
                .orElseThrow(() -> new UnreadableRecordException(
                        "nobody has signed it; it has no header " + RecordSignature.HEADER));
        SignedRecord signed = new SignedRecord(
                record.topic(), signature.issuedAtMillis(), record.key(), Optional.ofNullable(record.value()));
        trust.refusal(signature, signed, said, record.timestamp()).ifPresent(why -> {
            throw new UnreadableRecordException(why);
        });
        return said;
    }

    @Override
    public OptionalLong issuedAtMillis(ConsumerRecord<byte[], byte[]> record) {
        return signature(record)
                .map(signature -> OptionalLong.of(signature.issuedAtMillis()))
                .orElse(OptionalLong.empty());
    }

    private static Optional<RecordSignature> signature(ConsumerRecord<byte[], byte[]> record) {
        return RecordSignature.of(record.headers());
    }

    @Override
    public boolean isSigned() {
        return true;
    }

    @Override
    public String topic() {
        return unsigned.topic();
    }

    @Override
    public long appliedBy(ShardView view) {
        return unsigned.appliedBy(view);
    }

    @Override
    public Set<String> zonesOf(T said) {
        return unsigned.zonesOf(said);
    }

    @Override
    public Control control(long source, long previous, List<T> said) {
        return unsigned.control(source, previous, said);
    }

    @Override
    public int mostInOne() {
        return unsigned.mostInOne();
    }

    @Override
    public int mostUnderWay() {
        return unsigned.mostUnderWay();
    }

    @Override
    public void refused() {
        unsigned.refused();
    }
}
