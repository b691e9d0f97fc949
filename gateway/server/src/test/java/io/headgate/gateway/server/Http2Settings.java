package io.headgate.gateway.server;

import java.io.IOException;
import java.util.OptionalLong;

/**
 * What a server says in its first frame of HTTP/2 (RFC 9113 §6.5): pairs of two bytes that name a setting and four that are
 * its value.
 */
record Http2Settings(OptionalLong limitOfStreams) {

    private static final int FRAME_HEADER_LENGTH = 9;
    private static final int PAIR_LENGTH = 6;
    private static final int TYPE_SETTINGS = 4;
    private static final int MAX_CONCURRENT_STREAMS = 3;

    static Http2Settings read(RawConnection connection) throws IOException {
        byte[] header = connection.readBytes(FRAME_HEADER_LENGTH);
        if (header[3] != TYPE_SETTINGS) {
            throw new AssertionError("the first frame is of type " + header[3] + ", not SETTINGS");
        }
        byte[] pairs = connection.readBytes((int) number(header, 0, 3));
        OptionalLong streams = OptionalLong.empty();
        for (int at = 0; at < pairs.length; at += PAIR_LENGTH) {
            if (number(pairs, at, 2) == MAX_CONCURRENT_STREAMS) {
                streams = OptionalLong.of(number(pairs, at + 2, 4));
            }
        }
        return new Http2Settings(streams);
    }

    long maxConcurrentStreams() {
        return limitOfStreams.orElseThrow();
    }

    private static long number(byte[] bytes, int from, int length) {
        long number = 0;
        for (int i = from; i < from + length; i++) {
            number = (number << 8) | (bytes[i] & 0xff);
        }
        return number;
    }
}
