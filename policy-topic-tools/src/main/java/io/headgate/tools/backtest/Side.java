package io.headgate.tools.backtest;

import io.headgate.core.decision.Decision;
import java.util.List;

/** One policy, and what it says of what was recorded. For one thread at a time. */
@FunctionalInterface
interface Side<T> {

    /** What it says of each part of one recording, in order: of a request, or of each command of a batch. */
    List<List<Decision>> decide(T recorded);
}
