package io.headgate.cluster.bench;

/**
 * What came of one request.
 *
 * @param answered whether it was answered as it should be: a decision under the policy, or the echo
 * @param name the verdict, or why there is no answer; few values
 */
record Outcome(boolean answered, String name) {

    static final Outcome ALLOW = new Outcome(true, "ALLOW");
    static final Outcome DENY = new Outcome(true, "DENY");
    static final Outcome ECHO = new Outcome(true, "ECHO");

    static Outcome unanswered(String why) {
        return new Outcome(false, why);
    }
}
