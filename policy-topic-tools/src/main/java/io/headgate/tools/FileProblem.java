package io.headgate.tools;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Says what is wrong with a file; the JDK's messages are often no more than its name. */
public final class FileProblem {

    private FileProblem() {}

    public static String of(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "does not exist";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileSystemException inFileSystem && inFileSystem.getReason() != null) {
            return inFileSystem.getReason();
        }
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }
}
