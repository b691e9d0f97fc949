package io.headgate.cluster.bench;

/**
 * What a bench does.
 *
 * @param rate requests a second of the open loop, 1 to {@value #MOST_PER_SECOND}
 * @param durationSeconds of each load, measured on decisions and again on the echo; 1 to {@value #MOST_SECONDS}
 * @param warmUpSeconds before each load, not counted; 0 to {@value #MOST_SECONDS}
 * @param keys how many users ask, 1 to {@value #MOST_KEYS}
 * @param inFlight requests under way at saturation, 1 to {@value #MOST_PENDING}
 * @param deadlineMillis how long an answer is waited for, 50 to 10,000
 * @param route what is asked about
 */
record Plan(
        int rate, int durationSeconds, int warmUpSeconds, int keys, int inFlight, int deadlineMillis, String route) {

    static final int MOST_PER_SECOND = 1_000_000;
    static final int MOST_SECONDS = 3_600;
    static final int MOST_KEYS = 10_000_000;
    static final int MOST_PENDING = 20_000;
    static final int SHORTEST_DEADLINE = 50;
    static final int LONGEST_DEADLINE = 10_000;
}
