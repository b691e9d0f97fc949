package io.headgate.tools;

/** How what a command has to say is written. */
public enum Output {
    table,
    json
}
