package io.headgate.tools.backtest;

import io.headgate.tools.CommandFailedException;
import io.headgate.tools.FileProblem;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file from which a backtest of a topic goes on after it was stopped. It is replaced as a whole, so there is always one
 * that can be read; and it names what it belongs to, so that no other backtest goes on from it.
 */
final class Checkpoint {

    private static final String FORMAT = "headgate backtest 1";

    private final Path file;
    private final String inputs;

    /**
     * Opens nothing yet.
     *
     * @param inputs names what is compared; another run has to name the same
     */
    Checkpoint(Path file, String inputs) {
        this.file = file;
        this.inputs = inputs;
    }

    /** Writes what it takes to go on. */
    @FunctionalInterface
    interface Content {
        void writeTo(DataOutput out) throws IOException;
    }

    void write(Content content) throws CommandFailedException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        try {
            try (OutputStream opened = Files.newOutputStream(next);
                    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(opened, 1 << 16))) {
                out.writeUTF(FORMAT);
                out.writeUTF(inputs);
                content.writeTo(out);
            }
            try (FileChannel written = FileChannel.open(next, StandardOpenOption.WRITE)) {
                written.force(true);
            }
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new CommandFailedException("checkpoint " + file + " cannot be written: " + FileProblem.of(e));
        }
    }

    /** Reads a checkpoint and makes something of it. */
    @FunctionalInterface
    interface Reader {
        void readFrom(DataInputStream in) throws IOException;
    }

    /**
     * Goes on from the file, if there is one.
     *
     * @return whether there is one
     * @throws CommandFailedException if it belongs to something else, or is damaged
     */
    boolean read(Reader reader) throws CommandFailedException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
            String format = in.readUTF();
            if (!format.equals(FORMAT)) {
                throw new IOException("it is none, or one of another release");
            }
            String written = in.readUTF();
            if (!written.equals(inputs)) {
                throw new CommandFailedException("checkpoint " + file + " belongs to another backtest: it is of "
                        + written + ", and this one is of " + inputs + "; delete it to begin anew");
            }
            reader.readFrom(in);
            return true;
        } catch (NoSuchFileException none) {
            return false;
        } catch (EOFException e) {
            throw new CommandFailedException("checkpoint " + file + " ends too early; delete it to begin anew");
        } catch (IOException | IllegalStateException | IllegalArgumentException e) {
            throw new CommandFailedException("checkpoint " + file + " cannot be read: "
                    + (e instanceof IOException io ? FileProblem.of(io) : e.getMessage())
                    + "; delete it to begin anew");
        }
    }

    /** Removes it, when nothing is left to go on with. */
    void delete() throws CommandFailedException {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new CommandFailedException("checkpoint " + file + " cannot be deleted: " + FileProblem.of(e));
        }
    }
}
