package io.headgate.gateway.server.identity;

import io.headgate.gateway.client.Caller;

/**
 * Who asks, as far as it is known.
 *
 * @param caller with the address, and with the tenant, the user and the key where somebody vouches for them
 * @param authenticated whether somebody does
 */
public record Requester(Caller caller, boolean authenticated) {}
