/** Who asks: from the headers of a request that came through a proxy to a caller, or a refusal. */
package io.headgate.gateway.server.identity;
