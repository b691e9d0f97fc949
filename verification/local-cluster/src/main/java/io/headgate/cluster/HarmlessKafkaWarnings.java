package io.headgate.cluster;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.List;

/**
 * Drops the warnings that Kafka 4.4.0 logs on every healthy start and stop, so that a warning on the terminal means
 * something. By message and not by logger: the other warnings of these loggers are worth reading.
 */
public final class HarmlessKafkaWarnings extends Filter<ILoggingEvent> {

    private static final List<String> ON_EVERY_START_OR_STOP = List.of(
            "Performing controller activation.",
            "Attempting to close NetworkClient that has already been closed.",
            "Processing exception handler is not enabled for the GlobalThread.");

    @Override
    public FilterReply decide(ILoggingEvent event) {
        boolean fromKafka = event.getLoggerName().startsWith("org.apache.kafka.");
        String message = event.getFormattedMessage();
        return fromKafka && ON_EVERY_START_OR_STOP.stream().anyMatch(message::contains)
                ? FilterReply.DENY
                : FilterReply.NEUTRAL;
    }
}
