package io.headgate.gateway.client.feedback;

import java.util.concurrent.ThreadLocalRandom;

/** Where chance comes from. Called from many threads at a time. */
@FunctionalInterface
public interface Jitter {

    /** A number from 0 to {@code most}, both included, each as likely. */
    long upTo(long most);

    /** Good enough to keep callers apart, and nothing else depends on it. */
    static Jitter random() {
        return most -> ThreadLocalRandom.current().nextLong(most + 1);
    }
}
