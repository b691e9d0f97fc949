package io.headgate.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * The folder that a node keeps everything in, held from before it is formatted until the node has stopped. Kafka locks
 * its folders as well, but only after they are formatted, and with a message about a file nobody has heard of.
 *
 * <p>Two guards, because a file lock belongs to the whole process: the set keeps out a second broker of this JVM (which
 * must not even open the file: closing it again would drop the first one's lock), the file lock keeps out other
 * processes and dies with this one, {@code kill -9} included.
 *
 * <p>Metadata has a folder apart from the records, because Kafka then locks it before it opens it. In a shared folder
 * the controller opens the metadata log first, and the lock on the records comes later.
 */
final class DataFolder implements AutoCloseable {

    private static final String LOCK_FILE = "headgate.lock";
    private static final Set<Path> HELD_BY_THIS_JVM = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lockFile;

    private DataFolder(Path path, FileChannel lockFile) {
        this.path = path;
        this.lockFile = lockFile;
    }

    /** Creates the folder if need be and takes it. */
    static DataFolder take(Path folder) {
        try {
            Path real = Files.createDirectories(folder).toRealPath();
            if (!HELD_BY_THIS_JVM.add(real)) {
                throw new FolderInUseException(folder);
            }
            try {
                return new DataFolder(real, lock(real, folder));
            } catch (IOException | RuntimeException e) {
                HELD_BY_THIS_JVM.remove(real);
                throw e;
            }
        } catch (FileSystemException e) {
            throw new BrokerStartException("data folder " + folder + " cannot be written: " + reason(e), e);
        } catch (IOException e) {
            throw new BrokerStartException("data folder " + folder + " cannot be used: " + e, e);
        }
    }

    private static FileChannel lock(Path real, Path folder) throws IOException {
        FileChannel file =
                FileChannel.open(real.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (file.tryLock() == null) {
                throw new FolderInUseException(folder);
            }
            return file;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** The system's reason, or, for the exceptions that are one by their type alone, the type and the path. */
    private static String reason(FileSystemException e) {
        return e.getReason() == null ? e.getClass().getSimpleName() + " " + e.getFile() : e.getReason();
    }

    /** With symbolic links resolved. */
    Path path() {
        return path;
    }

    String records() {
        return path.resolve("records").toString();
    }

    String metadata() {
        return path.resolve("metadata").toString();
    }

    /** Writes the files that make the folder a Kafka node's, and leaves alone those that are there. */
    void format() throws Exception {
        List<String> folders = List.of(records(), metadata());
        MetaPropertiesEnsemble found =
                new MetaPropertiesEnsemble.Loader().addLogDirs(folders).load();
        new Formatter()
                .setIgnoreFormatted(true)
                .setClusterId(
                        found.clusterId().orElseGet(() -> Uuid.randomUuid().toString()))
                .setNodeId(NodeSettings.NODE_ID)
                .setControllerListenerName(ReservedPorts.CONTROLLER_LISTENER)
                .setDirectories(folders)
                .setMetadataLogDirectory(metadata())
                .setReleaseVersion(MetadataVersion.latestProduction())
                .setSupportedFeatures(Feature.PRODUCTION_FEATURES)
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                .run();
    }

    @Override
    public void close() {
        try {
            lockFile.close();
        } catch (IOException e) {
            throw new IllegalStateException("the lock on " + path + " could not be released", e);
        } finally {
            HELD_BY_THIS_JVM.remove(path);
        }
    }
}
