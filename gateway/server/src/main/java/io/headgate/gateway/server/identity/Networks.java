package io.headgate.gateway.server.identity;

import io.headgate.schemas.Addresses;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Networks of addresses, such as {@code 10.0.0.0/8}, {@code 2001:db8::/32} or, a single one, {@code 192.0.2.7}. */
final class Networks {

    /** The most in one list. */
    static final int MAX_NETWORKS = 256;

    private record Network(byte[] address, int prefixBits) {

        boolean contains(byte[] other) {
            return other.length == address.length && differentBit(address, other) >= prefixBits;
        }
    }

    private final List<Network> networks;

    private Networks(List<Network> networks) {
        this.networks = List.copyOf(networks);
    }

    /**
     * Reads a list.
     *
     * @param setting names it in a message
     * @throws IllegalArgumentException naming the setting, the entry and what would do
     */
    static Networks parse(String setting, List<String> texts) {
        if (texts.size() > MAX_NETWORKS) {
            throw new IllegalArgumentException(
                    "setting '" + setting + "' has " + texts.size() + " networks; at most " + MAX_NETWORKS);
        }
        return new Networks(
                texts.stream().map(text -> network(setting, text.strip())).toList());
    }

    /** The networks of both. */
    Networks and(Networks others) {
        List<Network> all = new ArrayList<>(networks);
        all.addAll(others.networks);
        return new Networks(all);
    }

    boolean isEmpty() {
        return networks.isEmpty();
    }

    boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        for (Network network : networks) {
            if (network.contains(bytes)) {
                return true;
            }
        }
        return false;
    }

    private static Network network(String setting, String text) {
        int slash = text.indexOf('/');
        byte[] address;
        try {
            address = address(slash < 0 ? text : text.substring(0, slash)).getAddress();
        } catch (IllegalArgumentException wrong) {
            throw wrong(setting, text, "an address, or an address, '/' and a prefix length");
        }
        int most = address.length * Byte.SIZE;
        if (slash < 0) {
            return new Network(address, most);
        }
        String length = text.substring(slash + 1);
        if (!length.matches("\\d{1,3}") || Integer.parseInt(length) > most) {
            throw wrong(setting, text, "a prefix length of 0 to " + most);
        }
        Network network = new Network(address, Integer.parseInt(length));
        if (!isZeroFrom(address, network.prefixBits())) {
            throw wrong(setting, text, "an address without bits beyond its prefix");
        }
        return network;
    }

    private static IllegalArgumentException wrong(String setting, String text, String would) {
        return new IllegalArgumentException("setting '" + setting + "' has '" + text + "'; it must be " + would);
    }

    /**
     * Reads one address; nothing is looked up.
     *
     * @throws IllegalArgumentException if it is none; the message does not repeat it
     */
    static InetAddress address(String text) {
        try {
            return InetAddress.getByName(Addresses.spelt("the address", text));
        } catch (UnknownHostException impossible) {
            throw new IllegalArgumentException("the address is none", impossible);
        }
    }

    private static int differentBit(byte[] one, byte[] other) {
        for (int i = 0; i < one.length; i++) {
            int different = (one[i] ^ other[i]) & 0xff;
            if (different != 0) {
                return i * Byte.SIZE + Integer.numberOfLeadingZeros(different) - (Integer.SIZE - Byte.SIZE);
            }
        }
        return one.length * Byte.SIZE;
    }

    private static boolean isZeroFrom(byte[] address, int bit) {
        for (int i = bit; i < address.length * Byte.SIZE; i++) {
            if ((address[i / Byte.SIZE] >> (Byte.SIZE - 1 - i % Byte.SIZE) & 1) == 1) {
                return false;
            }
        }
        return true;
    }
}
