package io.headgate.gateway.springcloud;

import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import io.headgate.gateway.client.feedback.Jitter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/**
 * The rate limiter of all routes, where there is a limiter: the starter's, or the application's own. Feedback is that of
 * the starter where it is there.
 */
@AutoConfiguration(
        afterName = "io.headgate.gateway.springboot.HeadgateAutoConfiguration",
        beforeName = "org.springframework.cloud.gateway.config.GatewayAutoConfiguration")
@ConditionalOnBean(Limiter.class)
public class HeadgateRateLimiterAutoConfiguration {

    private static final long UNAVAILABLE_RETRY_AFTER_MILLIS = 1_000;

    @Bean
    @Primary
    @ConditionalOnMissingBean(RateLimiter.class)
    HeadgateRateLimiter headgateRateLimiter(
            Limiter limiter, ObjectProvider<Feedback> feedback, ConfigurationService configurationService) {
        return new HeadgateRateLimiter(
                limiter,
                feedback.getIfAvailable(() -> new Feedback(limiter, UNAVAILABLE_RETRY_AFTER_MILLIS, Jitter.random())),
                configurationService);
    }

    @Bean
    UndecidedHandler headgateUndecidedHandler() {
        return new UndecidedHandler();
    }
}
