package io.headgate.gateway.springboot;

import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import io.headgate.gateway.servlet.HeadgateFilter;
import io.headgate.gateway.servlet.RequestAsk;
import io.headgate.gateway.servlet.WhoAsks;
import jakarta.servlet.DispatcherType;
import java.util.EnumSet;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/** Every servlet request is asked about, behind all other filters. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty(
        name = {"headgate.enabled", "headgate.filter"},
        matchIfMissing = true)
public class HeadgateServletAutoConfiguration {

    /** Counts by what the container knows, unless the application says what a request asks. */
    @Bean
    @ConditionalOnMissingBean
    RequestAsk headgateRequestAsk(HeadgateProperties properties) {
        if (properties.tenant().isBlank()) {
            throw new IllegalArgumentException(
                    "headgate.tenant is blank; name the account that every request is counted"
                            + " for, or define a bean of type " + RequestAsk.class.getName()
                            + ", or set headgate.filter to false");
        }
        return WhoAsks.ofTenant(properties.tenant());
    }

    @Bean
    FilterRegistrationBean<HeadgateFilter> headgateFilter(Limiter limiter, RequestAsk asks, Feedback feedback) {
        FilterRegistrationBean<HeadgateFilter> filter =
                new FilterRegistrationBean<>(new HeadgateFilter(limiter, asks, feedback));
        filter.setOrder(Ordered.LOWEST_PRECEDENCE);
        filter.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
        return filter;
    }
}
