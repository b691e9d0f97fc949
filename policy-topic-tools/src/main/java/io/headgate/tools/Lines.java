package io.headgate.tools;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Reads input line by line and trusts none: a line that is too long or cannot be read becomes a {@link BadLine}, and the
 * next one is read. Lines end in LF or CRLF; blank ones are passed over, but counted.
 */
public final class Lines {

    /** The longest line, in bytes. */
    static final int MAX_BYTES = 64 * 1024;

    private final InputStream in;
    private final CharsetDecoder decoder;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final byte[] buffer = new byte[MAX_BYTES];
    private int at;
    private int filled;

    private Lines(InputStream in, CodingErrorAction onBadEncoding) {
        this.in = in;
        this.decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(onBadEncoding)
                .onUnmappableCharacter(onBadEncoding);
    }

    /** Takes what was made of a line, and where the line stands, from 1. */
    @FunctionalInterface
    public interface Numbered<T> {
        void accept(long lineNumber, T value);
    }

    /** Makes something of a line. */
    @FunctionalInterface
    public interface Parser<T> {
        T parse(String line) throws UnreadableLineException;
    }

    /**
     * Reads to the end.
     *
     * @param onBadEncoding what is done about bytes that are not UTF-8: REPORT makes a bad line of it
     */
    static <T> void read(
            InputStream in, CodingErrorAction onBadEncoding, Parser<T> parser, Consumer<T> good, Consumer<BadLine> bad)
            throws IOException {
        readNumbered(in, onBadEncoding, parser, (number, value) -> good.accept(value), bad);
    }

    /** The same, with the numbers of the lines. */
    public static <T> void readNumbered(
            InputStream in, CodingErrorAction onBadEncoding, Parser<T> parser, Numbered<T> good, Consumer<BadLine> bad)
            throws IOException {
        Lines lines = new Lines(in, onBadEncoding);
        for (long number = 1; lines.next(); number++) {
            String text = "";
            try {
                text = lines.text();
                if (!text.isBlank()) {
                    good.accept(number, parser.parse(text));
                }
            } catch (CharacterCodingException e) {
                bad.accept(new BadLine(number, lines.line.toString(StandardCharsets.UTF_8), "is not UTF-8"));
            } catch (UnreadableLineException e) {
                bad.accept(new BadLine(number, text, e.getMessage()));
            }
        }
    }

    /** Fills the line, of one too long with one byte too many; false at the end of the input. */
    private boolean next() throws IOException {
        line.reset();
        if (at == filled && !fill()) {
            return false;
        }
        do {
            int end = at;
            while (end < filled && buffer[end] != '\n') {
                end++;
            }
            line.write(buffer, at, Math.min(end - at, MAX_BYTES + 1 - line.size()));
            at = end;
        } while (at == filled && fill());
        at = Math.min(at + 1, filled);
        return true;
    }

    private boolean fill() throws IOException {
        at = 0;
        filled = Math.max(0, in.read(buffer));
        return filled > 0;
    }

    private String text() throws CharacterCodingException, UnreadableLineException {
        if (line.size() > MAX_BYTES) {
            throw new UnreadableLineException("is longer than " + MAX_BYTES + " bytes");
        }
        String text = decoder.decode(ByteBuffer.wrap(line.toByteArray())).toString();
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }
}
