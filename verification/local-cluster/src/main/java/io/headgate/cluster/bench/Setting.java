package io.headgate.cluster.bench;

/**
 * Where a bench ran.
 *
 * @param embedded whether broker and processor were in the same JVM
 * @param shards of the cluster
 * @param processors that the JVM may use
 * @param maxHeapMebibytes of the JVM
 * @param java version
 * @param system operating system and architecture
 */
record Setting(boolean embedded, int shards, int processors, long maxHeapMebibytes, String java, String system) {

    private static final long MEBIBYTE = 1024L * 1024;

    static Setting of(BenchCluster cluster) {
        Runtime runtime = Runtime.getRuntime();
        return new Setting(
                cluster.embedded(),
                cluster.shards(),
                runtime.availableProcessors(),
                runtime.maxMemory() / MEBIBYTE,
                System.getProperty("java.version"),
                System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    }
}
