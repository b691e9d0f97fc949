package io.headgate.gateway.server;

import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.RequestHeaders;
import io.headgate.core.shard.Command;
import io.headgate.gateway.server.identity.HeaderText;
import io.headgate.gateway.server.identity.IdentitySettings;
import io.headgate.gateway.server.identity.RefusedException;
import io.headgate.gateway.server.identity.RequestTarget;
import java.util.regex.Pattern;

/**
 * The request that a proxy asks about.
 *
 * @param route {@code METHOD /path}, as rules know it
 * @param id what the proxy calls it; empty if it does not say
 */
record ForwardedRequest(String route, String id) {

    private static final int MAX_METHOD_LENGTH = 32;
    private static final int MAX_TARGET_LENGTH = 16_384;
    private static final Pattern METHOD = Pattern.compile("[A-Za-z-]+");

    /** Reads them where proxies put them. */
    static final class Reader {

        private final String methodHeader;
        private final String uriHeader;
        private final String idHeader;

        Reader(IdentitySettings settings) {
            this.methodHeader = settings.methodHeader();
            this.uriHeader = settings.uriHeader();
            this.idHeader = settings.requestIdHeader();
        }

        /**
         * Reads it from headers.
         *
         * @throws RefusedException with the status 400
         */
        ForwardedRequest in(HttpHeaders headers) {
            return request(
                    "header " + methodHeader,
                    required(headers, methodHeader, MAX_METHOD_LENGTH),
                    "header " + uriHeader,
                    required(headers, uriHeader, MAX_TARGET_LENGTH),
                    headers);
        }

        /**
         * Reads it from the method and the rest of the path, as they are when a proxy passes them on behind a prefix.
         *
         * @throws RefusedException with the status 400
         */
        ForwardedRequest behind(String prefix, RequestHeaders headers) {
            return request(
                    "the method",
                    headers.method().name(),
                    "the path behind " + prefix,
                    headers.path().substring(prefix.length()),
                    headers);
        }

        private ForwardedRequest request(
                String methodField, String method, String uriField, String uri, HttpHeaders headers) {
            if (!METHOD.matcher(method).matches()) {
                throw RefusedException.malformed(methodField + " is no method: letters would do");
            }
            String id = idHeader.isEmpty()
                    ? ""
                    : HeaderText.of(headers, idHeader, Command.MAX_KEY_LENGTH).orElse("");
            return new ForwardedRequest(method + " " + RequestTarget.path(uriField, uri), id);
        }

        private static String required(HttpHeaders headers, String name, int most) {
            return HeaderText.of(headers, name, most)
                    .orElseThrow(() -> RefusedException.malformed(
                            "header " + name + " is missing; a proxy must say what it asks about"));
        }
    }
}
