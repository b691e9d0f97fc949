package io.headgate.tools;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.schemas.policy.PolicyDocument;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * A document in a file: JSON if the name ends in .json, else YAML. Of YAML it takes the part that is a tree: an alias is
 * refused, because a reader would have to guess what it stands for, and a small file could stand for a huge document.
 */
final class DocumentFile {

    private static final YAMLFactory YAML = YAMLFactory.builder()
            .streamReadConstraints(PolicyDocument.READ_CONSTRAINTS)
            .loaderOptions(loaderOptions())
            .build();

    private final String name;
    private final String text;

    private DocumentFile(String name, String text) {
        this.name = name;
        this.text = text;
    }

    /** Makes something of a document. */
    interface Reader<T> {

        /** Of one in JSON; says itself what is wrong with that. */
        T parse(byte[] json);

        /** Of one that a parser has. */
        T read(JsonParser parser) throws IOException;
    }

    /** Reads a file. */
    static <T> T read(Path file, Reader<T> reader) throws PolicyFileException {
        try (InputStream in = Files.newInputStream(file)) {
            return read(file.toString(), in.readNBytes(PolicyDocument.MAX_BYTES + 1), reader);
        } catch (NoSuchFileException e) {
            throw new PolicyFileException(file + ": does not exist");
        } catch (IOException e) {
            throw new PolicyFileException(file + ": cannot be read: " + FileProblem.of(e));
        }
    }

    /** Reads the content of a file called {@code name}. */
    static <T> T read(String name, byte[] content, Reader<T> reader) throws PolicyFileException {
        if (content.length > PolicyDocument.MAX_BYTES) {
            throw new PolicyFileException(name + ": has more than " + PolicyDocument.MAX_BYTES + " bytes");
        }
        DocumentFile file = new DocumentFile(name, decoded(name, content));
        try {
            return name.toLowerCase(Locale.ROOT).endsWith(".json")
                    ? reader.parse(file.text.getBytes(StandardCharsets.UTF_8))
                    : file.readYaml(reader);
        } catch (InvalidPolicyException e) {
            throw new PolicyFileException(name, e.problems());
        }
    }

    private <T> T readYaml(Reader<T> reader) throws PolicyFileException {
        try {
            try (YAMLParser parser = YAML.createParser(text)) {
                checkOneTree(parser);
            }
            try (YAMLParser parser = YAML.createParser(text)) {
                return reader.read(parser);
            }
        } catch (JsonProcessingException e) {
            throw notYaml(e);
        } catch (IOException e) {
            throw new IllegalStateException("a string can always be read", e);
        }
    }

    private void checkOneTree(YAMLParser parser) throws IOException, PolicyFileException {
        int depth = 0;
        int documents = 0;
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
            int line = parser.currentTokenLocation().getLineNr();
            if (parser.isCurrentAlias()) {
                throw problem(line, "has the alias *" + parser.getText() + "; aliases are not allowed, write it out");
            }
            if (token.isStructEnd()) {
                depth--;
                continue;
            }
            if (depth == 0 && ++documents > 1) {
                throw problem(line, "begins another document; there must be one alone");
            }
            if (token.isStructStart()) {
                depth++;
            }
        }
        if (documents == 0) {
            throw new PolicyFileException(name + ": is empty");
        }
    }

    private PolicyFileException notYaml(JsonProcessingException e) {
        if (e.getCause() instanceof MarkedYAMLException marked && marked.getProblemMark() != null) {
            return problem(marked.getProblemMark().getLine() + 1, "is not YAML: " + marked.getProblem());
        }
        if (e.getCause() instanceof ReaderException reader) {
            return problem(
                    lineAt(reader.getPosition()),
                    String.format("has the character U+%04X, which YAML does not allow", reader.getCodePoint()));
        }
        String what =
                "cannot be read: " + e.getOriginalMessage().lines().findFirst().orElse("");
        JsonLocation at = e.getLocation();
        return at == null ? new PolicyFileException(name + ": " + what) : problem(at.getLineNr(), what);
    }

    private PolicyFileException problem(int line, String what) {
        return new PolicyFileException(name + ":" + line + ": " + what.replaceAll("\\p{Cntrl}", "?"));
    }

    private int lineAt(int position) {
        return 1
                + (int) text.codePoints().limit(position).filter(c -> c == '\n').count();
    }

    private static String decoded(String name, byte[] content) throws PolicyFileException {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        CharBuffer text = CharBuffer.allocate(content.length + 1);
        CoderResult result = decoder.decode(ByteBuffer.wrap(content), text, true);
        text.flip();
        if (result.isError()) {
            long line = 1 + text.chars().filter(c -> c == '\n').count();
            throw new PolicyFileException(name + ":" + line + ": is not UTF-8");
        }
        String decoded = text.toString();
        return decoded.startsWith("\ufeff") ? decoded.substring(1) : decoded;
    }

    private static LoaderOptions loaderOptions() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(PolicyDocument.MAX_BYTES);
        options.setMaxAliasesForCollections(0);
        return options;
    }
}
