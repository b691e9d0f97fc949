package io.headgate.gateway.client;

import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sums up what passed exempt endpoints and what did not, in the log, a line a minute for each that was asked for. */
final class ExemptAudit {

    static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(ExemptAudit.class);

    private final TreeMap<String, Counts> byGroup = new TreeMap<>();
    private long sinceNanos;

    private static final class Counts {
        private long admitted;
        private long denied;
        private long policyVersion;
    }

    ExemptAudit(long nowNanos) {
        this.sinceNanos = nowNanos;
    }

    synchronized void note(String group, boolean admitted, long policyVersion) {
        Counts counts = byGroup.computeIfAbsent(group, name -> new Counts());
        counts.admitted += admitted ? 1 : 0;
        counts.denied += admitted ? 0 : 1;
        counts.policyVersion = policyVersion;
    }

    /** Writes the lines if the minute is over. */
    synchronized void look(long nowNanos) {
        if (nowNanos - sinceNanos >= PERIOD_NANOS) {
            sinceNanos = nowNanos;
            write();
        }
    }

    /** Writes what there is. */
    synchronized void write() {
        byGroup.forEach((group, counts) -> LOG.atInfo()
                .addKeyValue("endpoint", group)
                .addKeyValue("admitted", counts.admitted)
                .addKeyValue("denied", counts.denied)
                .addKeyValue("policyVersion", counts.policyVersion)
                .log("requests to an exempt endpoint"));
        byGroup.clear();
    }
}
