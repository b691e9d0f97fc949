package io.headgate.gateway.springboot;

import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What {@code headgate.*} says. None of it is picked up while the application runs.
 *
 * @param enabled Whether the limiter is set up at all.
 * @param client Settings of the client by their names, such as headgate.client.bootstrap.servers; docs/configuration.md lists
 *     them. An unknown name is refused at start.
 * @param tenant The account that every request is counted for, where the application says nothing else with a bean of type
 *     RequestAsk.
 * @param filter Whether every servlet request is asked about.
 * @param unavailableRetryAfter What an answer advises, as Retry-After, when nobody could decide and the policy says nothing of
 *     it; at least 1 ms.
 */
@ConfigurationProperties("headgate")
public record HeadgateProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue Map<String, String> client,
        @DefaultValue("") String tenant,
        @DefaultValue("true") boolean filter,
        @DefaultValue("1s") Duration unavailableRetryAfter) {

    public HeadgateProperties {
        client = Map.copyOf(client);
    }

    /** Of the client's settings, the names: some of them are secret. */
    @Override
    public String toString() {
        return "HeadgateProperties[enabled=" + enabled + ", client=" + new TreeSet<>(client.keySet()) + ", tenant="
                + tenant + ", filter=" + filter + ", unavailableRetryAfter=" + unavailableRetryAfter + "]";
    }
}
