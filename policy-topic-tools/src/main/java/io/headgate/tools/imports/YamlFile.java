package io.headgate.tools.imports;

import io.headgate.tools.BadLine;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.FileProblem;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.representer.Representer;

/** A YAML file that is imported: one document, a tree. */
final class YamlFile {

    /** The longest file, in bytes. */
    static final int MAX_BYTES = 4 * 1024 * 1024;

    /** How deep a document may nest. */
    static final int MAX_DEPTH = 64;

    private YamlFile() {}

    /**
     * Reads a file.
     *
     * @throws CommandFailedException if it cannot be read, is not YAML, or is no tree
     */
    static YamlValue read(Path file, Findings findings) throws CommandFailedException {
        String name = file.toString();
        byte[] content;
        try (InputStream in = Files.newInputStream(file)) {
            content = in.readNBytes(MAX_BYTES + 1);
        } catch (IOException e) {
            throw new CommandFailedException(name + ": cannot be read: " + FileProblem.of(e));
        }
        if (content.length > MAX_BYTES) {
            throw new CommandFailedException(name + ": has more than " + MAX_BYTES + " bytes");
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
            return tree(name, text.startsWith("\ufeff") ? text.substring(1) : text, findings);
        } catch (CharacterCodingException e) {
            throw new CommandFailedException(name + ": is not UTF-8");
        }
    }

    private static YamlValue tree(String name, String text, Findings findings) throws CommandFailedException {
        try {
            for (Event event : yaml().parse(new StringReader(text))) {
                if (event instanceof AliasEvent alias) {
                    throw at(
                            name,
                            alias.getStartMark(),
                            "has the alias *" + alias.getAnchor() + "; aliases are not followed, write it out");
                }
            }
            Iterator<Node> documents = yaml().composeAll(new StringReader(text)).iterator();
            if (!documents.hasNext()) {
                throw new CommandFailedException(name + ": is empty");
            }
            Node document = documents.next();
            if (documents.hasNext()) {
                throw at(name, documents.next().getStartMark(), "begins another document; there must be one alone");
            }
            return new YamlValue(new Place(name, YamlValue.lineOf(document), ""), document, findings);
        } catch (MarkedYAMLException e) {
            throw at(name, e.getProblemMark(), "is not YAML: " + e.getProblem());
        } catch (YAMLException e) {
            throw new CommandFailedException(name + ": is not YAML: " + BadLine.shown(e.getMessage(), 200));
        }
    }

    private static CommandFailedException at(String name, Mark mark, String what) {
        return new CommandFailedException(name + ":" + (mark.getLine() + 1) + ": " + BadLine.shown(what, 200));
    }

    private static Yaml yaml() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MAX_BYTES);
        options.setNestingDepthLimit(MAX_DEPTH);
        DumperOptions unused = new DumperOptions();
        return new Yaml(new SafeConstructor(options), new Representer(unused), unused, options);
    }
}
