package io.headgate.tools.policy;

import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.PolicyVersions;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** A policy as somebody names it on the command line: a version on the topic by its number, or a file. */
record PolicyReference(String text) {

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

    /** A thing that knows the versions on the topic, and asks the cluster only if it is asked itself. */
    @FunctionalInterface
    interface Topic {
        PolicyVersions versions() throws CommandFailedException;
    }

    boolean isVersion() {
        return NUMBER.matcher(text).matches();
    }

    /**
     * The policy.
     *
     * @throws CommandFailedException if there is none of that number, or the file has mistakes
     */
    PolicyDocument resolve(Topic topic) throws CommandFailedException {
        if (!isVersion()) {
            return PolicyText.read(Path.of(text)).document();
        }
        return version(topic.versions(), Long.parseLong(text)).document();
    }

    /** A version on the topic, or everything there is instead. */
    static PolicyVersions.Entry version(PolicyVersions versions, long number) throws CommandFailedException {
        return versions.version(number)
                .orElseThrow(() -> new CommandFailedException("there is no version " + number + " on the topic; "
                        + versions.newest()
                                .map(newest -> "there are versions "
                                        + versions.accepted().get(0).version() + " to " + newest.version())
                                .orElse("there is none at all")));
    }
}
