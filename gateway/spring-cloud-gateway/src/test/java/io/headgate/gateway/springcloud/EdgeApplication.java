package io.headgate.gateway.springcloud;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** An example: a gateway that knows its tenants by a token. Its routes are in the properties. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class EdgeApplication {

    @Bean
    KeyResolver tenant() {
        return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("Authorization"))
                .filter(token -> token.startsWith("token-of-"))
                .map(token -> token.substring("token-of-".length()));
    }
}
