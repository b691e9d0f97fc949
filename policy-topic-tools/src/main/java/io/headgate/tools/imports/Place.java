package io.headgate.tools.imports;

/**
 * Where something stands in a file that is imported.
 *
 * @param file its name
 * @param line from 1
 * @param path the way through the document, such as {@code descriptors[0].rate_limit.unit}; empty for the document
 */
record Place(String file, int line, String path) {

    Place of(String field, int fieldLine) {
        return new Place(file, fieldLine, path.isEmpty() ? field : path + "." + field);
    }

    Place at(int index, int itemLine) {
        return new Place(file, itemLine, path + "[" + index + "]");
    }

    @Override
    public String toString() {
        return file + ":" + line + ": " + (path.isEmpty() ? "document" : path);
    }
}
