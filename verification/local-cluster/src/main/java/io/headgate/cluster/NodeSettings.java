package io.headgate.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What this broker tells Kafka. Three groups: who and where it is, which nobody may override; what Headgate asks of
 * every broker it runs on; and what makes one node on one machine light and quick.
 */
final class NodeSettings {

    static final int NODE_ID = 1;

    /** A client may ask for no longer a transaction than this: an open one holds up its shard that long. */
    static final int LONGEST_TRANSACTION_MILLIS = 60_000;

    static final int INTERNAL_TOPIC_PARTITIONS = 8;

    private static final int LONGEST_START_MILLIS = 60_000;
    private static final int HEARTBEAT_MILLIS = 500;

    /** After a kill the node must wait this long before it may register again: its dead self still counts as alive. */
    private static final int SESSION_MILLIS = 3_000;

    private static final int CLEANER_BUFFER_BYTES = 2 * 1024 * 1024;

    /** Settings that follow from the folder, the ports and being alone. */
    static final Set<String> FIXED = Set.of(
            "process.roles",
            "node.id",
            "broker.id",
            "listeners",
            "advertised.listeners",
            "controller.listener.names",
            "inter.broker.listener.name",
            "listener.security.protocol.map",
            "controller.quorum.voters",
            "controller.quorum.bootstrap.servers",
            "log.dir",
            "log.dirs",
            "metadata.log.dir");

    private NodeSettings() {}

    static Map<String, String> of(DataFolder folder, ReservedPorts ports, Map<String, String> overrides) {
        Map<String, String> settings = new HashMap<>(headgateNeeds());
        settings.putAll(oneLightNode());
        settings.putAll(overrides);
        settings.putAll(identity(folder, ports));
        return settings;
    }

    private static Map<String, String> identity(DataFolder folder, ReservedPorts ports) {
        String client = ReservedPorts.CLIENT_LISTENER + "://" + ReservedPorts.HOST + ":" + ports.clientPort();
        String controllerAddress = ReservedPorts.HOST + ":" + ports.controllerPort();
        String controller = ReservedPorts.CONTROLLER_LISTENER + "://" + controllerAddress;
        return Map.of(
                "process.roles",
                "broker,controller",
                "node.id",
                Integer.toString(NODE_ID),
                "listeners",
                client + "," + controller,
                "advertised.listeners",
                client,
                "controller.listener.names",
                ReservedPorts.CONTROLLER_LISTENER,
                "listener.security.protocol.map",
                "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "controller.quorum.voters",
                NODE_ID + "@" + controllerAddress,
                "log.dirs",
                folder.records(),
                "metadata.log.dir",
                folder.metadata());
    }

    private static Map<String, String> headgateNeeds() {
        return Map.of(
                "auto.create.topics.enable", "false",
                "unclean.leader.election.enable", "false",
                "transaction.max.timeout.ms", Integer.toString(LONGEST_TRANSACTION_MILLIS),
                "transaction.abort.timed.out.transaction.cleanup.interval.ms", "500",
                "group.min.session.timeout.ms", "1000");
    }

    private static Map<String, String> oneLightNode() {
        String partitions = Integer.toString(INTERNAL_TOPIC_PARTITIONS);
        Map<String, String> settings = new HashMap<>();
        settings.put("default.replication.factor", "1");
        settings.put("min.insync.replicas", "1");
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("offsets.topic.num.partitions", partitions);
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("transaction.state.log.num.partitions", partitions);
        settings.put("share.coordinator.state.topic.replication.factor", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");
        settings.put("share.coordinator.state.topic.num.partitions", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("group.streams.initial.rebalance.delay.ms", "0");
        settings.put("log.cleaner.threads", "1");
        settings.put("log.cleaner.dedupe.buffer.size", Integer.toString(CLEANER_BUFFER_BYTES));
        settings.put("broker.heartbeat.interval.ms", Integer.toString(HEARTBEAT_MILLIS));
        settings.put("broker.session.timeout.ms", Integer.toString(SESSION_MILLIS));
        settings.put("server.max.startup.time.ms", Integer.toString(LONGEST_START_MILLIS));
        return settings;
    }
}
