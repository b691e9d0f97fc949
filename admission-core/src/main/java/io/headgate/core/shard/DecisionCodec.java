package io.headgate.core.shard;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Decisions as bytes, without what each rule said. */
final class DecisionCodec {

    private DecisionCodec() {}

    static void write(ByteWriter out, Decision decision) {
        out.putString(decision.verdict().name())
                .putLong(decision.id().shard())
                .putLong(decision.id().offset())
                .putLong(decision.id().index())
                .putLong(decision.policyVersion())
                .putString(decision.denyingRule().orElse(""))
                .putString(decision.scope().map(Scope::label).orElse(""));
        write(out, decision.limit());
        write(out, decision.remaining());
        write(out, decision.resetAfterMillis());
        write(out, decision.retryAfterMillis());
        write(out, decision.paceAfterMillis());
        write(out, decision.shadowDenials());
        write(out, decision.softDenials());
        write(out, decision.actions());
        out.putString(decision.reason());
    }

    static Decision read(ByteReader in) {
        return new Decision(
                Verdict.valueOf(in.getString()),
                new DecisionId(in.getInt(), in.getLong(), in.getInt()),
                in.getLong(),
                Optional.of(in.getString()).filter(rule -> !rule.isEmpty()),
                Optional.of(in.getString()).filter(label -> !label.isEmpty()).map(Scope::labelled),
                readOptional(in),
                readOptional(in),
                readOptional(in),
                readOptional(in),
                readOptional(in),
                readStrings(in),
                readStrings(in),
                readStrings(in),
                List.of(),
                false,
                in.getString());
    }

    private static void write(ByteWriter out, OptionalLong value) {
        out.putBoolean(value.isPresent());
        value.ifPresent(out::putLong);
    }

    private static void write(ByteWriter out, List<String> strings) {
        out.putLong(strings.size());
        strings.forEach(out::putString);
    }

    private static OptionalLong readOptional(ByteReader in) {
        return in.getBoolean() ? OptionalLong.of(in.getLong()) : OptionalLong.empty();
    }

    private static List<String> readStrings(ByteReader in) {
        int size = in.getInt();
        List<String> strings = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            strings.add(in.getString());
        }
        return strings;
    }
}
