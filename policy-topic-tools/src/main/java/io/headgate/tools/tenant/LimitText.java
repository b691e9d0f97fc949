package io.headgate.tools.tenant;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.schemas.ZoneTables;
import io.headgate.schemas.policy.LimitFormat;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.ZoneNames;
import io.headgate.tools.BadLine;
import io.headgate.tools.CommandFailedException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A limit as an operator writes it in an option, in YAML or JSON, and as it is shown. */
final class LimitText {

    private static final int LONGEST_MESSAGE = 200;

    private static final YAMLFactory YAML = YAMLFactory.builder()
            .streamReadConstraints(PolicyDocument.READ_CONSTRAINTS)
            .build();

    private LimitText() {}

    /** Makes a limit of what a parser has. */
    @FunctionalInterface
    private interface Reader {
        Limit read(JsonParser parser) throws IOException;
    }

    /**
     * Reads the object alone, such as {@code {capacity: 5, refill: {tokens: 1, per: 1s}}}, or {@code unlimited}.
     *
     * @param place names the option, for messages
     * @param algorithm the rule's
     * @throws CommandFailedException naming every mistake by its place
     */
    static Limit read(String place, String text, String algorithm) throws CommandFailedException {
        if (algorithm.equals(Unlimited.ALGORITHM) && !isUnlimited(text)) {
            throw new CommandFailedException(place + ": the rule's algorithm is unlimited; there is nothing to limit");
        }
        return read(place, text, parser -> LimitFormat.read(parser, algorithm));
    }

    /**
     * Reads an override as a plan has it, such as {@code {algorithm: gcra, limit: {…}}}, or {@code unlimited}.
     *
     * @param place names the option, for messages
     * @param ruleAlgorithm the rule's, which holds where the text names none
     * @throws CommandFailedException naming every mistake by its place
     */
    static Limit readOverride(String place, String text, Optional<String> ruleAlgorithm) throws CommandFailedException {
        return read(place, text, parser -> LimitFormat.readOverride(parser, ruleAlgorithm));
    }

    /** The limit as one would write it. */
    static String of(Limit limit) {
        return limit instanceof Unlimited
                ? Unlimited.ALGORITHM
                : LimitFormat.written(limit)
                        .toString()
                        .replace("\"", "")
                        .replace(":", ": ")
                        .replace(",", ", ");
    }

    private static Limit read(String place, String text, Reader reader) throws CommandFailedException {
        if (isUnlimited(text)) {
            return new Unlimited();
        }
        try (JsonParser parser = YAML.createParser(text)) {
            Limit limit = reader.read(parser);
            List<String> unknown = ZoneNames.zones(limit).stream()
                    .filter(zone -> !ZoneTables.knows(zone))
                    .map(zone ->
                            place + ": zone is '" + zone + "', which is no time zone that this Java platform knows")
                    .toList();
            if (unknown.isEmpty()) {
                return limit;
            }
            throw new CommandFailedException(unknown);
        } catch (InvalidPolicyException e) {
            throw new CommandFailedException(
                    e.problems().stream().map(problem -> place + ": " + problem).toList());
        } catch (JsonProcessingException e) {
            String why = e.getOriginalMessage().lines().findFirst().orElse("");
            throw new CommandFailedException(place + " is not YAML: " + BadLine.shown(why, LONGEST_MESSAGE));
        } catch (IOException e) {
            throw new IllegalStateException("a string can always be read", e);
        }
    }

    private static boolean isUnlimited(String text) {
        return text.strip().equals(Unlimited.ALGORITHM);
    }
}
