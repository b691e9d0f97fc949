package io.headgate.gateway.client;

import io.headgate.core.decision.Decision;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.RouteTable;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Partitioning;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.ReplyRecords;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.TopicCatalogue;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Shards that fold what is sent to them, with the production core. */
final class FoldingShards {

    private final List<Shard> shards;
    private final LongSupplier logMillis;
    private long nextReplyOffset;

    /** What a tenant and an address may spend, for ever. */
    static Policy fixed(long capacity) {
        return new Policy(
                "test",
                7,
                new RouteTable(List.of(), Map.of()),
                List.of(
                        rule("P-TENANT", Stage.TENANT, Scope.TENANT, new TokenBucketLimit(capacity, 0, 1_000)),
                        rule("P-IP", Stage.IP, Scope.IP, new TokenBucketLimit(capacity, 0, 1_000))),
                1_000_000);
    }

    /**
     * Makes shards that are ready.
     *
     * @param count how many
     * @param policy what they decide by
     * @param logMillis the broker's clock
     * @param nextReplyOffset the end of the reply partition
     */
    FoldingShards(int count, Policy policy, LongSupplier logMillis, long nextReplyOffset) {
        this.logMillis = logMillis;
        this.nextReplyOffset = nextReplyOffset;
        this.shards = IntStream.range(0, count)
                .mapToObj(number -> new Shard(number, new MemoryStore(), document -> policy))
                .toList();
        shards.forEach(shard -> {
            fold(shard, new Control.ApplySettings(0, -1, ShardSettings.initial(count, "key")));
            fold(shard, new Control.ApplyPolicy(0, -1, new byte[0]));
            fold(shard, new Control.CaughtUp());
        });
    }

    /** Appends a request to its shard's log, folds it, and gives the reply as its reader finds it. */
    synchronized ConsumerRecord<byte[], byte[]> reply(ProducerRecord<byte[], byte[]> request) {
        Shard shard = shards.get(request.partition());
        Folded folded = shard.fold(new LogRecord(
                shard.view().nextOffset(), logMillis.getAsLong(), RequestRecords.decode(request.value())));
        ReplyAddress address = ReplyAddress.readFrom(request.headers()).orElseThrow();
        return reply(address, new Reply(request.partition(), shard.view().logTimeMillis(), "", folded.decisions()));
    }

    /** Folds a command of a client without sessions in the shard of its key. */
    synchronized Decision decide(Command.Ask command) {
        Shard shard = shards.get(Partitioning.shardOf(command.admission().partitionKey(), shards.size()));
        return shard.fold(new LogRecord(
                        shard.view().nextOffset(),
                        logMillis.getAsLong(),
                        new LogRecord.Requests(Optional.empty(), List.of(command))))
                .decisions()
                .get(0);
    }

    /** Tells every shard something. */
    void tell(Control control) {
        shards.forEach(shard -> fold(shard, control));
    }

    synchronized ConsumerRecord<byte[], byte[]> reply(ReplyAddress address, Reply reply) {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(
                TopicCatalogue.ADMISSION_REPLIES,
                address.partition().orElseThrow(),
                nextReplyOffset++,
                null,
                ReplyRecords.encode(reply));
        record.headers().add(ReplyAddress.CORRELATION_ID, address.correlationId());
        return record;
    }

    /** The same reply once more. */
    synchronized ConsumerRecord<byte[], byte[]> again(ConsumerRecord<byte[], byte[]> reply) {
        ConsumerRecord<byte[], byte[]> copy =
                new ConsumerRecord<>(reply.topic(), reply.partition(), nextReplyOffset++, reply.key(), reply.value());
        reply.headers().forEach(copy.headers()::add);
        return copy;
    }

    private void fold(Shard shard, Control control) {
        shard.fold(new LogRecord(shard.view().nextOffset(), logMillis.getAsLong(), new Controlled(control)));
    }

    static Rule rule(String id, Stage stage, Scope scope, Limit limit) {
        return new Rule(
                id,
                stage,
                scope,
                Match.EVERYTHING,
                limit,
                Cost.ONE,
                Enforcement.ENFORCE,
                false,
                "so that tests can count");
    }
}
