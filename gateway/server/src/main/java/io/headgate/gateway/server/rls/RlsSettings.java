package io.headgate.gateway.server.rls;

import io.headgate.gateway.client.Ask;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;

/**
 * How descriptors of Envoy's rate limit service are asked.
 *
 * @param fields what of a caller the entries with a key name; keys that are not here name nothing of it
 * @param deadlineMillis how long answers are waited for at most, 1 to {@value Ask#MAX_DEADLINE_MILLIS} ms
 */
public record RlsSettings(Map<String, CallerField> fields, long deadlineMillis) {

    public static final String DEADLINE_MS = "rls.deadline.ms";

    private static final Map<CallerField, String> NAMES = new EnumMap<>(Map.of(
            CallerField.TENANT, "rls.keys.tenant",
            CallerField.USER, "rls.keys.user",
            CallerField.API_KEY, "rls.keys.api.key",
            CallerField.IP, "rls.keys.ip",
            CallerField.TARGET, "rls.keys.target"));

    public RlsSettings {
        fields = Collections.unmodifiableMap(new HashMap<>(fields));
    }

    /** Adds their definitions to those of a program. */
    public static ConfigDef define(ConfigDef definition) {
        keys(definition, CallerField.TENANT, List.of(), "is the tenant, instead of the request's domain");
        keys(definition, CallerField.USER, List.of(), "is the user");
        keys(definition, CallerField.API_KEY, List.of(), "is the API key");
        keys(definition, CallerField.IP, List.of("remote_address"), "is the client's address");
        keys(definition, CallerField.TARGET, List.of(), "is the name that somebody tries to log in to");
        return definition.define(
                DEADLINE_MS,
                ConfigDef.Type.INT,
                1_000,
                ConfigDef.Range.between(1, (int) Ask.MAX_DEADLINE_MILLIS),
                Importance.MEDIUM,
                "How long an answer to Envoy's protocol is waited for at most, in ms. Of a call that comes with a timeout"
                        + " of its own, four fifths of that are, where it is less.");
    }

    private static void keys(ConfigDef definition, CallerField field, List<String> otherwise, String what) {
        definition.define(
                NAMES.get(field),
                ConfigDef.Type.LIST,
                otherwise,
                ConfigDef.ValidList.anyNonDuplicateValues(true, false),
                Importance.HIGH,
                "Keys of descriptor entries, separated by commas, whose value " + what
                        + ", for rules that count by it. Envoy must be the one who fills it in.");
    }

    /**
     * The settings of a program.
     *
     * @throws IllegalArgumentException naming a key that stands for two things
     */
    public static RlsSettings of(AbstractConfig config) {
        Map<String, CallerField> fields = new HashMap<>();
        for (CallerField field : CallerField.values()) {
            for (String key : config.getList(NAMES.get(field))) {
                CallerField other = fields.put(key, field);
                if (other != null) {
                    throw new IllegalArgumentException("key '" + key + "' stands in the settings '" + NAMES.get(other)
                            + "' and '" + NAMES.get(field) + "'; it must stand in one");
                }
            }
        }
        return new RlsSettings(fields, config.getInt(DEADLINE_MS));
    }
}
