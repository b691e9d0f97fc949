package io.headgate.core.decision;

/**
 * Names a decision by where its request stands: shard, offset in the shard log, index in the record. Written {@code
 * 3-1042-0}.
 */
public record DecisionId(int shard, long offset, int index) {

    @Override
    public String toString() {
        return shard + "-" + offset + "-" + index;
    }
}
