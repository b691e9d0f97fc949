package io.headgate.gateway.server;

/** The one of the client's tests, under a policy that says nothing of how gateways conduct themselves. */
final class FoldingLimiter extends io.headgate.gateway.client.testing.FoldingLimiter {}
