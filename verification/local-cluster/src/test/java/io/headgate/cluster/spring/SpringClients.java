package io.headgate.cluster.spring;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;
import org.springframework.kafka.support.TopicPartitionOffset;
import org.springframework.kafka.support.TopicPartitionOffset.SeekPosition;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;

/** Spring Kafka's request/reply, set up as {@code docs/clients.md} shows it. */
final class SpringClients {

    private SpringClients() {}

    static ContainerProperties onePartition(int partition) {
        ContainerProperties replies =
                new ContainerProperties(new TopicPartitionOffset("admission-replies", partition, SeekPosition.END));
        replies.setPollTimeout(500);
        return replies;
    }

    static ContainerProperties wholeTopic(String groupOfThisProcess) {
        ContainerProperties replies = new ContainerProperties("admission-replies");
        replies.setGroupId(groupOfThisProcess);
        return replies;
    }

    static <Q, A> ReplyingKafkaTemplate<String, Q, A> template(
            String brokers, ContainerProperties replies, Serializer<Q> questions, Deserializer<A> answers) {
        var producers = new DefaultKafkaProducerFactory<>(
                Map.<String, Object>of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        brokers,
                        ProducerConfig.ACKS_CONFIG,
                        "all",
                        ProducerConfig.LINGER_MS_CONFIG,
                        0),
                new StringSerializer(),
                questions);
        var consumers = new DefaultKafkaConsumerFactory<>(
                Map.<String, Object>of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        brokers,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "latest",
                        ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                        false),
                new StringDeserializer(),
                new ErrorHandlingDeserializer<>(answers));
        var template = new ReplyingKafkaTemplate<>(producers, new KafkaMessageListenerContainer<>(consumers, replies));
        template.setSharedReplyTopic(true);
        template.setDefaultReplyTimeout(Duration.ofMillis(500));
        return template;
    }
}
