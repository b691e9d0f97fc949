package io.headgate.tools.tenant;

import io.headgate.core.account.Action;

/**
 * An action and where it stands.
 *
 * @param action the action
 * @param place where it stands
 * @param writtenMillis when it was written, by the clock of whoever wrote it
 */
record PlacedAction(Action action, Place place, long writtenMillis) {}
