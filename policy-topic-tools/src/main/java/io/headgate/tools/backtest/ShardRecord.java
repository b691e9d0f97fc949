package io.headgate.tools.backtest;

import io.headgate.core.shard.LogRecord;

/**
 * A record of a shard's log that both sides fold.
 *
 * @param shard whose log
 * @param offset where it stands there
 * @param timeMillis when it was appended
 * @param payload requests, or a control record that is genuine
 */
record ShardRecord(int shard, long offset, long timeMillis, LogRecord.Payload payload) {}
