package io.headgate.gateway.server.identity;

import com.linecorp.armeria.common.HttpHeaders;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The address that a request came from. Every proxy appends the address that it was asked from, so the list is walked from
 * the right, as long as whoever appended is a trusted proxy: the first address that is none is the client's. What stands left
 * of it the client may have written, and is not looked at. If all are trusted proxies, the first of them is the client.
 *
 * <p>With {@code 10.0.0.0/8} trusted, a peer 10.0.0.2 and {@code X-Forwarded-For: 1.2.3.4, 203.0.113.7, 10.0.0.9}, the
 * client is 203.0.113.7.
 */
final class ClientAddress {

    /** The most addresses in a list; each proxy appends one. */
    static final int MAX_HOPS = 32;

    private static final String FORWARDED = "Forwarded";

    private final Networks proxies;
    private final String header;

    /**
     * Makes one.
     *
     * @param proxies who is believed
     * @param header where they write; the only one that is read
     */
    ClientAddress(Networks proxies, String header) {
        this.proxies = proxies;
        this.header = header;
    }

    /**
     * The client's address. Who asks directly is the client, whatever the header says.
     *
     * @param peer the other end of the connection
     * @throws RefusedException with the status 400, if a trusted proxy asks and does not say for whom, or says it so that
     *     nobody can read it
     */
    String of(HttpHeaders headers, InetAddress peer) {
        if (!proxies.contains(peer)) {
            return text(peer);
        }
        List<String> hops = hops(headers.getAll(header));
        if (hops.isEmpty()) {
            throw RefusedException.malformed("header " + header + " is missing; a proxy must say who its client is");
        }
        if (hops.size() > MAX_HOPS) {
            throw RefusedException.malformed(
                    "header " + header + " has " + hops.size() + " addresses; at most " + MAX_HOPS + " are allowed");
        }
        InetAddress client = peer;
        for (int i = hops.size() - 1; i >= 0 && proxies.contains(client); i--) {
            client = address(hops.get(i), hops.size() - i);
        }
        return text(client);
    }

    /** Without the zone id that a link-local address may have. */
    private static String text(InetAddress address) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }

    private List<String> hops(List<String> values) {
        if (values.isEmpty()) {
            return List.of();
        }
        if (header.equalsIgnoreCase(FORWARDED)) {
            return ForwardedElements.nodes(String.join(", ", values));
        }
        List<String> hops = new ArrayList<>();
        values.forEach(value -> hops.addAll(List.of(value.split(",", -1))));
        return hops;
    }

    /** An address, perhaps with a port: {@code 192.0.2.7:80}, {@code [2001:db8::1]:80}, {@code [2001:db8::1]}. */
    private InetAddress address(String hop, int fromTheRight) {
        String text = hop.strip();
        int close = text.indexOf(']');
        if (text.startsWith("[") && close > 0 && isPortOrNothing(text.substring(close + 1))) {
            text = text.substring(1, close);
        } else {
            int colon = text.indexOf(':');
            if (colon > 0 && colon == text.lastIndexOf(':') && isPortOrNothing(text.substring(colon))) {
                text = text.substring(0, colon);
            }
        }
        try {
            return Networks.address(text);
        } catch (IllegalArgumentException wrong) {
            throw RefusedException.malformed(
                    "header " + header + ": entry " + fromTheRight + " from the right is not an IPv4 or IPv6 address");
        }
    }

    private static boolean isPortOrNothing(String text) {
        return text.isEmpty() || text.matches(":\\d{1,5}");
    }
}
