package io.headgate.cluster;

import java.nio.file.Path;

/** A live broker, in this JVM or in another one, keeps its data in this folder. */
public final class FolderInUseException extends BrokerStartException {

    private static final long serialVersionUID = 1L;

    FolderInUseException(Path folder) {
        super("data folder " + folder + " is in use by another broker; stop that one or choose another folder");
    }
}
