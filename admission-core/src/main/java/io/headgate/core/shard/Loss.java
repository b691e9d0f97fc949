package io.headgate.core.shard;

/**
 * Records of the shard log that an operator has given up: they were lost, and the fold goes on behind them.
 *
 * @param fromOffset the first that was lost
 * @param toOffset where the fold went on
 * @param author who accepted it
 * @param reason why
 */
public record Loss(long fromOffset, long toOffset, String author, String reason) {

    public Loss {
        if (toOffset <= fromOffset) {
            throw new IllegalArgumentException("the log goes on at " + toOffset + ", not above " + fromOffset
                    + " where the state stands: what lies between was folded already and is not folded twice");
        }
        if (author.isBlank() || reason.isBlank()) {
            throw new IllegalArgumentException("a loss is accepted with an author and a reason");
        }
    }
}
