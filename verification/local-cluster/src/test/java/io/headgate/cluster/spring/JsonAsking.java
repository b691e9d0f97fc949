package io.headgate.cluster.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;

/** Asks in JSON through Spring Kafka. */
final class JsonAsking {

    private static final ObjectMapper JSON = new ObjectMapper();

    private JsonAsking() {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Question(String tenant, String user, String route, Long cost, String idempotencyKey) {}

    static ReplyingKafkaTemplate<String, Object, JsonNode> template(String brokers, ContainerProperties replies) {
        Serializer<Object> questions = (topic, question) -> write(question);
        Deserializer<JsonNode> answers = (topic, bytes) -> read(bytes);
        var template = SpringClients.template(brokers, replies, questions, answers);
        template.setReplyErrorChecker(JsonAsking::problem);
        return template;
    }

    static ProducerRecord<String, Object> question(String tenant, Object question) {
        ProducerRecord<String, Object> record = new ProducerRecord<>("admission-requests", tenant, question);
        record.headers().add("content-type", "application/json".getBytes(UTF_8));
        return record;
    }

    static Exception problem(ConsumerRecord<?, ?> reply) {
        String problem = ((JsonNode) reply.value()).path("problem").asText();
        return problem.isEmpty() ? null : new KafkaException("refused: " + problem);
    }

    private static byte[] write(Object question) {
        try {
            return JSON.writeValueAsBytes(question);
        } catch (JsonProcessingException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static JsonNode read(byte[] bytes) {
        try {
            return JSON.readTree(bytes);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
