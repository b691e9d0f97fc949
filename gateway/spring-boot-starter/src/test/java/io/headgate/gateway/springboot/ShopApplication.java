package io.headgate.gateway.springboot;

import io.headgate.core.policy.Stage;
import io.headgate.gateway.servlet.RequestAsk;
import io.headgate.gateway.servlet.WhoAsks;
import java.util.Optional;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An example: an application that counts what is asked of its catalogue for one account, and not that it is alive. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ShopApplication {

    @Bean
    RequestAsk asks() {
        WhoAsks everybody = WhoAsks.ofTenant("shop");
        return request -> request.getServletPath().startsWith("/actuator")
                ? Optional.empty()
                : everybody.of(request).map(ask -> ask.only(Stage.TENANT));
    }

    @RestController
    static class Catalogue {
        @GetMapping("/catalog")
        String catalogue() {
            return "served";
        }
    }
}
