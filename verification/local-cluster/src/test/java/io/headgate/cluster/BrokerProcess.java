package io.headgate.cluster;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A {@link LocalBroker} as a program. Arguments: the data folder and the client port. */
final class BrokerProcess {

    /** Followed by the bootstrap address. */
    static final String READY = "broker ready at ";

    private BrokerProcess() {}

    public static void main(String[] args) throws InterruptedException {
        LocalBroker broker =
                LocalBroker.start(LocalBroker.Settings.in(Path.of(args[0])).onPort(Integer.parseInt(args[1])));
        Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "stop-broker"));
        System.out.println(READY + broker.bootstrapServers());
        new CountDownLatch(1).await();
    }
}
