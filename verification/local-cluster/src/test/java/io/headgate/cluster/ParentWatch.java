package io.headgate.cluster;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Runs another main class and ends this JVM when its parent is gone, so that a test JVM killed with {@code kill -9}
 * leaves no children behind. Arguments: the parent's pid, the main class, its arguments.
 */
final class ParentWatch {

    private ParentWatch() {}

    public static void main(String[] args) throws Exception {
        Optional<ProcessHandle> parent = ProcessHandle.of(Long.parseLong(args[0]));
        CompletableFuture<ProcessHandle> gone =
                parent.map(ProcessHandle::onExit).orElseGet(() -> CompletableFuture.completedFuture(null));
        var unused = gone.thenAccept(handle -> Runtime.getRuntime().halt(1));
        Method main = Class.forName(args[1]).getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        main.invoke(null, (Object) Arrays.copyOfRange(args, 2, args.length));
    }
}
