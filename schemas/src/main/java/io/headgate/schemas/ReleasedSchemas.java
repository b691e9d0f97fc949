package io.headgate.schemas;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;

/**
 * Every version of every schema that a release has written: {@code released/<name>.v<n>.avsc}, numbered from 1. A file
 * there is never changed and never removed; a changed schema adds one.
 */
final class ReleasedSchemas {

    private ReleasedSchemas() {}

    /** All released versions of a record, oldest first. */
    static List<Schema> of(String recordName) {
        List<Schema> versions = new ArrayList<>();
        for (int version = 1; ; version++) {
            try (InputStream file =
                    ReleasedSchemas.class.getResourceAsStream("released/" + recordName + ".v" + version + ".avsc")) {
                if (file == null) {
                    return versions;
                }
                versions.add(new Schema.Parser().parse(file));
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        }
    }
}
