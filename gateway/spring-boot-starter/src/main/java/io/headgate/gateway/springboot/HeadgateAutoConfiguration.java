package io.headgate.gateway.springboot;

import io.headgate.gateway.client.ClientSettings;
import io.headgate.gateway.client.HeadgateClient;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import io.headgate.gateway.client.feedback.Jitter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A client that lives as long as the application, its meters in the application's registry, and its health. */
@AutoConfiguration(
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnProperty(name = "headgate.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HeadgateProperties.class)
public class HeadgateAutoConfiguration {

    /** The client. Without a registry it counts for nobody. */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean(Limiter.class)
    HeadgateClient headgateClient(HeadgateProperties properties, ObjectProvider<MeterRegistry> registries) {
        return HeadgateClient.start(
                new ClientSettings(properties.client()), registries.getIfAvailable(CompositeMeterRegistry::new));
    }

    @Bean
    @ConditionalOnMissingBean
    Feedback headgateFeedback(Limiter limiter, HeadgateProperties properties) {
        return new Feedback(limiter, properties.unavailableRetryAfter().toMillis(), Jitter.random());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    static class HealthOfTheClient {

        /** Up while it makes sense to ask: what happens without Kafka is the policy's affair. */
        @Bean
        @ConditionalOnMissingBean(name = "headgateHealthIndicator")
        HealthIndicator headgateHealthIndicator(Limiter limiter) {
            return () -> (limiter.ready() ? Health.up() : Health.down()).build();
        }
    }
}
