package io.headgate.processor;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WriteBufferManager;

/**
 * One block cache and one bound on write buffers for all stores of the process; by default each store takes 50 MiB of
 * cache and 48 MiB of buffers for itself. The first store to open fixes the size.
 */
public final class BoundedRocksDb implements RocksDBConfigSetter {

    static final String TOTAL_BYTES = "headgate.rocksdb.bytes";

    private static final long WRITE_BUFFER_BYTES = 4L * 1024 * 1024;

    private static Cache cache;
    private static WriteBufferManager writeBuffers;

    @Override
    public void setConfig(String storeName, Options options, Map<String, Object> configs) {
        share(((Number) configs.get(TOTAL_BYTES)).longValue());
        // The table config that is there, not a new one: Streams' metrics hold on to it.
        BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(cache);
        table.setCacheIndexAndFilterBlocks(true);
        table.setCacheIndexAndFilterBlocksWithHighPriority(true);
        table.setPinTopLevelIndexAndFilter(true);
        options.setTableFormatConfig(table);
        options.setWriteBufferManager(writeBuffers);
        options.setWriteBufferSize(WRITE_BUFFER_BYTES);
        options.setMaxWriteBufferNumber(2);
    }

    /** The shared cache outlives every store, so there is nothing to close with one. */
    @Override
    public void close(String storeName, Options options) {}

    private static synchronized void share(long totalBytes) {
        if (cache == null) {
            cache = new LRUCache(totalBytes, -1, false, 0.2);
            writeBuffers = new WriteBufferManager(totalBytes / 2, cache);
        }
    }
}
