package io.headgate.core.shard;

/** The document of the policy in force. */
record PolicyEntry(byte[] document) implements StateEntry {

    @Override
    public byte[] toBytes() {
        return document;
    }
}
