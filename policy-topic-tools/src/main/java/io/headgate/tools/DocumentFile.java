package io.headgate.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.schemas.policy.DocumentLines;
import io.headgate.schemas.policy.PolicyDocument;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalInt;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * A document in a file: JSON if the name ends in .json, else YAML. Of YAML it takes the part that is a tree: an alias is
 * refused, because a reader would have to guess what it stands for, and a small file could stand for a huge document.
 */
final class DocumentFile {

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(PolicyDocument.READ_CONSTRAINTS)
            .build();
    private static final YAMLFactory YAML = YAMLFactory.builder()
            .streamReadConstraints(PolicyDocument.READ_CONSTRAINTS)
            .loaderOptions(loaderOptions())
            .build();

    private final String name;
    private final String text;
    private final boolean json;

    private DocumentFile(String name, String text) {
        this.name = name;
        this.text = text;
        this.json = name.toLowerCase(Locale.ROOT).endsWith(".json");
    }

    /** Makes something of a document. */
    @FunctionalInterface
    interface Reader<T> {
        T read(JsonParser parser) throws IOException;
    }

    /** Reads a file. */
    static <T> Located<T> read(Path file, Reader<T> reader) throws PolicyFileException {
        try (InputStream in = Files.newInputStream(file)) {
            return read(file.toString(), in.readNBytes(PolicyDocument.MAX_BYTES + 1), reader);
        } catch (IOException e) {
            String problem = FileProblem.of(e);
            throw ofWhole(file.toString(), problem.equals("does not exist") ? problem : "cannot be read: " + problem);
        }
    }

    /** Reads the content of a file called {@code name}. */
    static <T> Located<T> read(String name, byte[] content, Reader<T> reader) throws PolicyFileException {
        if (content.length > PolicyDocument.MAX_BYTES) {
            throw ofWhole(name, "has more than " + PolicyDocument.MAX_BYTES + " bytes, which a document may have");
        }
        return new DocumentFile(name, decoded(name, content)).read(reader);
    }

    private <T> Located<T> read(Reader<T> reader) throws PolicyFileException {
        try {
            checkOneTree();
            DocumentLines lines;
            try (JsonParser parser = parser()) {
                lines = DocumentLines.of(parser);
            }
            try (JsonParser parser = parser()) {
                return new Located<>(reader.read(parser), lines);
            } catch (InvalidPolicyException e) {
                throw new PolicyFileException(name, Located.findings(e.problems(), lines));
            }
        } catch (JsonProcessingException e) {
            throw unreadable(e);
        } catch (IOException e) {
            throw new IllegalStateException("a string can always be read", e);
        }
    }

    private JsonParser parser() throws IOException {
        return json ? JSON.createParser(text) : YAML.createParser(text);
    }

    private void checkOneTree() throws IOException, PolicyFileException {
        int depth = 0;
        int documents = 0;
        int line = 1;
        try (JsonParser parser = parser()) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                line = parser.currentTokenLocation().getLineNr();
                if (parser instanceof YAMLParser yaml && yaml.isCurrentAlias()) {
                    throw ofLine(
                            line, "has the alias *" + parser.getText() + "; aliases are not allowed, write it out");
                }
                if (token.isStructEnd()) {
                    depth--;
                    continue;
                }
                if (depth == 0 && ++documents > 1) {
                    throw ofLine(line, "begins another document; there must be one alone");
                }
                if (token.isStructStart()) {
                    depth++;
                }
            }
        } catch (StreamConstraintsException tooMuch) {
            throw ofLine(line, "cannot be read: " + tooMuch.getOriginalMessage().replaceAll(", from `[^`]*`", ""));
        }
        if (documents == 0) {
            throw ofWhole(name, "is empty; it must hold a document");
        }
    }

    private PolicyFileException unreadable(JsonProcessingException e) {
        if (e.getCause() instanceof MarkedYAMLException marked && marked.getProblemMark() != null) {
            return ofLine(
                    marked.getProblemMark().getLine() + 1, "is not YAML: " + marked.getProblem() + context(marked));
        }
        if (e.getCause() instanceof ReaderException reader) {
            return ofLine(
                    lineAt(reader.getPosition()),
                    String.format("has the character U+%04X, which YAML does not allow", reader.getCodePoint()));
        }
        String what = (json ? "is not JSON: " : "cannot be read: ")
                + e.getOriginalMessage()
                        .lines()
                        .findFirst()
                        .orElse("")
                        .replaceAll(": enable `[^`]*` to allow", ", which JSON does not have");
        JsonLocation at = e.getLocation();
        return at == null ? ofWhole(name, what) : ofLine(at.getLineNr(), what);
    }

    private static String context(MarkedYAMLException marked) {
        return marked.getContext() == null || marked.getContextMark() == null
                ? ""
                : " (" + marked.getContext() + " that begins in line "
                        + (marked.getContextMark().getLine() + 1) + ")";
    }

    private PolicyFileException ofLine(int line, String what) {
        return new PolicyFileException(name, new Finding(OptionalInt.of(line), "", what.replaceAll("\\p{Cntrl}", "?")));
    }

    private static PolicyFileException ofWhole(String name, String what) {
        return new PolicyFileException(name, new Finding(OptionalInt.empty(), "", what));
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
            int line = 1 + (int) text.chars().filter(c -> c == '\n').count();
            throw new PolicyFileException(
                    name, new Finding(OptionalInt.of(line), "", "is not UTF-8; save the file in that encoding"));
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
