package io.headgate.core.shard;

import io.headgate.core.limit.Limit;

/**
 * A time in which a rule had one limit.
 *
 * @param number rises by one with every change
 * @param fromMillis log time from which the limit holds
 * @param limit the limit
 * @param fresh whether budgets began anew with it
 */
record Era(long number, long fromMillis, Limit limit, boolean fresh) {}
