package io.headgate.core.shard;

/** The document of a version of the policy. */
record PolicyEntry(byte[] document) implements StateEntry {

    @Override
    public byte[] toBytes() {
        return document;
    }
}
