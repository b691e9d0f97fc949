package io.headgate.gateway.server.rls;

import io.grpc.Status;
import io.headgate.core.limit.Bounds;
import io.headgate.core.policy.Meter;
import io.headgate.core.policy.Stage;
import io.headgate.envoy.service.ratelimit.v3.RateLimitRequest;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.client.Limiter;
import io.headgate.schemas.RateLimitDescriptor;
import io.headgate.schemas.RateLimitDescriptor.Entry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Makes questions of descriptors. Each is asked on its own, as {@link RateLimitDescriptor} says, for the tenant that the
 * domain names; entries whose keys the settings name also say who the caller is. A value that no policy names leaves the
 * process as a pseudonym, in route and attribute alike.
 */
final class DescriptorReader {

    /** The most descriptors of a request. */
    static final int MAX_DESCRIPTORS = 64;

    private static final Set<Stage> ALL_STAGES = Collections.unmodifiableSet(EnumSet.allOf(Stage.class));

    private final Limiter limiter;
    private final Map<String, CallerField> fields;

    DescriptorReader(Limiter limiter, Map<String, CallerField> fields) {
        this.limiter = limiter;
        this.fields = fields;
    }

    /**
     * Reads a request.
     *
     * @param named what the policies name
     * @return one question a descriptor, in their order
     * @throws io.grpc.StatusRuntimeException INVALID_ARGUMENT with all that is wrong with it, or UNIMPLEMENTED if it would
     *     give hits back. No value of an entry is repeated
     */
    List<DescriptorQuestion> read(RateLimitRequest request, NamedValues named) {
        List<String> wrong = new ArrayList<>();
        int count = request.getDescriptorsCount();
        if (request.getDomain().isBlank()) {
            wrong.add("domain is blank; it must say what is limited");
        }
        if (count < 1 || count > MAX_DESCRIPTORS) {
            wrong.add("descriptors has " + count + " elements; it must have 1 to " + MAX_DESCRIPTORS);
        }
        List<DescriptorQuestion> questions = new ArrayList<>();
        if (wrong.isEmpty()) {
            for (int place = 0; place < count; place++) {
                try {
                    questions.add(question(request, place, named));
                } catch (IllegalArgumentException mistake) {
                    wrong.add("descriptors[" + place + "]: " + mistake.getMessage());
                }
            }
        }
        if (!wrong.isEmpty()) {
            throw Status.INVALID_ARGUMENT
                    .withDescription(String.join("; ", wrong))
                    .asRuntimeException();
        }
        refuseRefunds(request);
        return questions;
    }

    private static void refuseRefunds(RateLimitRequest request) {
        for (int place = 0; place < request.getDescriptorsCount(); place++) {
            if (request.getDescriptors(place).getIsNegativeHits()) {
                throw Status.UNIMPLEMENTED
                        .withDescription(
                                "descriptors[" + place + "].is_negative_hits is true; hits cannot be given back,"
                                        + " and nothing was counted of this request")
                        .asRuntimeException();
            }
        }
    }

    private DescriptorQuestion question(RateLimitRequest request, int place, NamedValues named) {
        var descriptor = request.getDescriptors(place);
        List<Entry> entries = descriptor.getEntriesList().stream()
                .map(entry -> new Entry(entry.getKey(), entry.getValue()))
                .toList();
        Caller caller = Caller.unknown().withTenant(request.getDomain());
        boolean authenticated = false;
        Set<CallerField> given = EnumSet.noneOf(CallerField.class);
        for (Entry entry : entries) {
            CallerField field = fields.get(entry.key());
            if (field != null && !entry.value().isBlank()) {
                caller = with(caller, field, entry, !given.add(field));
                authenticated |= field.authenticates();
            }
        }
        RateLimitDescriptor asked = new RateLimitDescriptor(request.getDomain(), shown(entries, named));
        OptionalLong own = descriptor.hasHitsAddend()
                ? OptionalLong.of(descriptor.getHitsAddend().getValue())
                : OptionalLong.empty();
        long hits = own.isPresent() ? charged(own.getAsLong()) : hitsOf(request);
        Ask ask = new Ask(
                ALL_STAGES,
                caller,
                authenticated,
                asked.route(),
                asked.attributes(place),
                Map.of(Meter.REQUESTS, Math.max(1, hits)),
                "",
                false,
                false,
                OptionalLong.empty());
        return new DescriptorQuestion(ask, hits == 0);
    }

    private static Caller with(Caller caller, CallerField field, Entry entry, boolean again) {
        Caller known = field.in(caller, entry.value());
        if (again && !field.of(known).equals(field.of(caller))) {
            throw new IllegalArgumentException(
                    "two entries say different things of who asks; key " + entry.key() + " is the second");
        }
        return known;
    }

    private List<Entry> shown(List<Entry> entries, NamedValues named) {
        List<String> names =
                RateLimitDescriptor.names(entries.stream().map(Entry::key).toList());
        List<Entry> shown = new ArrayList<>(entries.size());
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            shown.add(
                    named.has(entry, names.get(i))
                            ? entry
                            : new Entry(entry.key(), limiter.pseudonym(entry.key(), entry.value())));
        }
        return shown;
    }

    private static long hitsOf(RateLimitRequest request) {
        return Math.max(1, Integer.toUnsignedLong(request.getHitsAddend()));
    }

    /** Unsigned; what is more than any limit can be counts as that much. */
    private static long charged(long hits) {
        return Long.compareUnsigned(hits, Bounds.MAX_TOKENS) > 0 ? Bounds.MAX_TOKENS : hits;
    }
}
