package io.headgate.cluster.spring;

import io.headgate.schemas.wire.Command;
import io.headgate.schemas.wire.ReplyBatch;
import io.headgate.schemas.wire.RequestBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.avro.util.ClassSecurityValidator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;

/** Asks in Avro through Spring Kafka, with classes generated from the schemas. */
final class AvroAsking {

    private AvroAsking() {}

    static {
        ClassSecurityValidator.setGlobal(ClassSecurityValidator.composite(
                ClassSecurityValidator.getGlobal(),
                type -> type.getPackageName().equals("io.headgate.schemas.wire")));
    }

    static ReplyingKafkaTemplate<String, RequestBatch, ReplyBatch> template(
            String brokers, ContainerProperties replies) {
        Serializer<RequestBatch> questions = (topic, batch) -> encode(batch);
        Deserializer<ReplyBatch> answers = (topic, bytes) -> decode(bytes);
        var template = SpringClients.template(brokers, replies, questions, answers);
        template.setReplyErrorChecker(AvroAsking::problem);
        return template;
    }

    static byte[] encode(RequestBatch batch) {
        try {
            ByteBuffer bytes = RequestBatch.getEncoder().encode(batch);
            byte[] value = new byte[bytes.remaining()];
            bytes.get(value);
            return value;
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    static ReplyBatch decode(byte[] value) {
        try {
            return ReplyBatch.getDecoder().decode(value);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    static Exception problem(ConsumerRecord<?, ?> reply) {
        String problem = ((ReplyBatch) reply.value()).getProblem();
        return problem.isEmpty() ? null : new KafkaException("refused: " + problem);
    }

    static ProducerRecord<String, RequestBatch> question(Command... commands) {
        RequestBatch batch =
                RequestBatch.newBuilder().setCommands(List.of(commands)).build();
        return new ProducerRecord<>("admission-requests", commands[0].getTenant(), batch);
    }
}
