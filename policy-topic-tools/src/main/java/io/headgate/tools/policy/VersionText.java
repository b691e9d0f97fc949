package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Rollout;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.Signature;
import io.headgate.tools.BadLine;
import io.headgate.tools.PolicyVersions.Entry;
import io.headgate.tools.PolicyVersions.Standing;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** What is said of one record on the topic of policies. */
final class VersionText {

    static final int LONGEST_AUTHOR = 32;
    static final int LONGEST_REASON = 80;
    private static final int LONGEST_REFUSAL = 300;
    private static final int SHORT_HASH = 12;

    private VersionText() {}

    static String when(long millis) {
        return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    static String author(PolicyRecord record) {
        return record.author().isEmpty() ? "-" : BadLine.shown(record.author(), LONGEST_AUTHOR);
    }

    static String reason(PolicyRecord record) {
        return record.reason().isEmpty() ? "-" : BadLine.shown(record.reason(), LONGEST_REASON);
    }

    /** Which keys signed it. */
    static String keys(PolicyRecord record) {
        List<String> keys = record.signatures().stream()
                .map(Signature::keyId)
                .map(id -> BadLine.shown(id, LONGEST_AUTHOR))
                .toList();
        return keys.isEmpty() ? "unsigned" : String.join("+", keys);
    }

    static String shortHash(PolicyRecord record) {
        return BadLine.shown(
                record.contentHash()
                        .substring(0, Math.min(SHORT_HASH, record.contentHash().length())),
                SHORT_HASH);
    }

    static String standing(Entry entry) {
        return switch (entry.standing()) {
            case ACCEPTED -> "accepted";
            case REPEATED -> "repeated";
            case REFUSED -> "refused: " + BadLine.shown(entry.refusal(), LONGEST_REFUSAL);
        };
    }

    /** When a version takes effect, and for whom. */
    static String activation(Activation activation) {
        String when = activation.effectiveAtMillis().isPresent()
                ? "from " + when(activation.effectiveAtMillis().getAsLong()) + ", log time"
                : "at once";
        return when + ", " + audience(activation.rollout());
    }

    private static String audience(Rollout rollout) {
        if (rollout instanceof Rollout.Tenants some) {
            String share = some.hundredths() == 0
                    ? ""
                    : String.format(
                            Locale.ROOT, "%d.%02d%% of tenants", some.hundredths() / 100, some.hundredths() % 100);
            String named = some.tenants().isEmpty()
                    ? ""
                    : some.tenants().size() + (some.tenants().size() == 1 ? " tenant by name" : " tenants by name");
            return "for " + named + (named.isEmpty() || share.isEmpty() ? "" : " and ") + share;
        }
        if (rollout instanceof Rollout.Routes some) {
            return "for routes " + String.join(", ", some.groups());
        }
        return "for everybody";
    }

    static ObjectNode json(Entry entry) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("offset", entry.offset())
                .put("standing", entry.standing().name().toLowerCase(Locale.ROOT))
                .put("writtenMillis", entry.writtenMillis())
                .put("written", when(entry.writtenMillis()));
        entry.record().ifPresent(record -> {
            json.put("version", record.version())
                    .put("domain", record.domain())
                    .put("author", record.author())
                    .put("reason", record.reason())
                    .put("contentHash", record.contentHash());
            record.signatures().stream().map(Signature::keyId).forEach(json.putArray("keys")::add);
        });
        if (entry.standing() == Standing.REFUSED) {
            json.put("refusal", entry.refusal());
        }
        return json;
    }
}
