package io.headgate.tools.backtest;

/** One of the numbers that are counted of a name. */
interface CountColumn {

    /** Which, from 0. */
    int place();

    /** As an enum has it: {@code NEWLY_DENIED}. */
    String name();
}
