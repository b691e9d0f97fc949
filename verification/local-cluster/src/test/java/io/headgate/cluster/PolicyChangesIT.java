package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.client.ClientSettings;
import io.headgate.gateway.client.HeadgateClient;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.trust.TrustSettings;
import io.headgate.tools.PolicyTopic;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fifty versions and ten rollbacks under load. In every version the rules of route {@code mark} have that version's number
 * in their ids and in their limits, so that a decision under a mix of two would show.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class PolicyChangesIT {

    private static final int VERSIONS = 50;
    private static final int ROLLBACKS = 10;
    private static final int THREADS = 4;
    private static final long BUDGET = 200;
    private static final long MARK = 1_000_000;

    /** What a tenant spends that must never be denied: what the first version allows. */
    private static final long GROWING_FROM = 10;

    @TempDir
    private Path folder;

    private LocalBroker broker;
    private AdmissionProcessor processor;
    private HeadgateClient client;
    private PolicyOperator operator;

    /** Whose rules each version has: its own, or after a rollback an earlier one's. */
    private final Map<Long, Long> rulesOf = new ConcurrentHashMap<>();

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        operator = new PolicyOperator(broker.bootstrapServers());
        publish(1);
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder);
        LocalShards.awaitReady(processor);
        client = HeadgateClient.start(
                new ClientSettings(Map.of(
                        ClientSettings.BOOTSTRAP_SERVERS,
                        broker.bootstrapServers(),
                        ClientSettings.GATEWAY_NAME,
                        "changes",
                        TrustSettings.UNSIGNED,
                        TrustSettings.ALLOW,
                        ClientSettings.DEADLINE_MS,
                        "10000",
                        ClientSettings.PSEUDONYM_SECRET,
                        Secrets.pseudonymSecret(folder))),
                new SimpleMeterRegistry());
    }

    @AfterEach
    void stop() {
        if (client != null) {
            client.close();
        }
        if (processor != null) {
            processor.close();
        }
        broker.close();
    }

    private void publish(long version) throws Exception {
        rulesOf.put(version, version);
        new PolicyTopic(broker.bootstrapServers()).publish(document(version), "test", "version " + version);
    }

    private static PolicyDocument document(long version) {
        return document(version, GROWING_FROM * version);
    }

    private static PolicyDocument document(long version, long grown) {
        String json = """
                {
                  "apiVersion": "headgate.io/v1",
                  "kind": "PolicySnapshot",
                  "metadata": {"name": "changes", "version": %1$d},
                  "spec": {
                    "domain": "changes",
                    "routes": {
                      "mark": [{"method": "GET", "path": "/mark"}],
                      "spend": [{"method": "GET", "path": "/spend"}],
                      "grow": [{"method": "GET", "path": "/grow"}]
                    },
                    "rules": [
                      {"id": "a.%1$d", "stage": "tenant", "match": {"routes": ["mark"]}, "algorithm": "fixed-window",
                       "limit": {"requests": %2$d, "per": "1s"}},
                      {"id": "same", "stage": "tenant", "match": {"routes": ["mark"]}, "algorithm": "token-bucket",
                       "limit": {"capacity": %2$d, "refill": {"tokens": %2$d, "per": "1s"}}},
                      {"id": "z.%1$d", "stage": "tenant", "scope": "user", "match": {"routes": ["mark"]},
                       "algorithm": "fixed-window", "limit": {"requests": %2$d, "per": "1s"}},
                      {"id": "budget", "stage": "tenant", "match": {"routes": ["spend"]}, "reason": "never comes back",
                       "algorithm": "token-bucket", "limit": {"capacity": %3$d, "refill": {"tokens": 0, "per": "1s"}}},
                      {"id": "grow", "stage": "tenant", "match": {"routes": ["grow"]}, "reason": "never comes back",
                       "algorithm": "token-bucket", "limit": {"capacity": %4$d, "refill": {"tokens": 0, "per": "1s"}}}
                    ]
                  }
                }
                """.formatted(version, MARK + version, BUDGET, grown);
        return PolicyDocument.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    private Decision decide(String tenant, String route) {
        Ask ask = Ask.of(Caller.unknown().withTenant(tenant).withUser("u"), true, "GET /" + route)
                .withExplanation();
        Answer answer = client.admit(ask).join();
        assertThat(answer).as("%s of %s", route, tenant).isInstanceOf(Answer.Decided.class);
        return ((Answer.Decided) answer).decision();
    }

    /** What one thread saw. */
    private final class Watcher implements Runnable {

        private final int number;
        private final AtomicBoolean over;
        private final AtomicLong spent;
        private final ConcurrentLinkedQueue<Long> versionsSeen;

        Watcher(int number, AtomicBoolean over, AtomicLong spent, ConcurrentLinkedQueue<Long> versionsSeen) {
            this.number = number;
            this.over = over;
            this.spent = spent;
            this.versionsSeen = versionsSeen;
        }

        @Override
        public void run() {
            long newest = 0;
            for (long round = 0; !over.get(); round++) {
                Decision mark = decide("mark-" + number, "mark");
                checkUnmixed(mark);
                assertThat(mark.policyVersion()).isGreaterThanOrEqualTo(newest);
                if (mark.policyVersion() > newest) {
                    versionsSeen.add(mark.policyVersion());
                    newest = mark.policyVersion();
                }
                if (decide("all", "spend").verdict() == Verdict.ALLOW) {
                    spent.incrementAndGet();
                }
                Decision grown = decide("grow-" + number + "-" + round / GROWING_FROM, "grow");
                assertThat(grown.verdict()).as("%s", grown).isEqualTo(Verdict.ALLOW);
            }
        }
    }

    private void checkUnmixed(Decision decision) {
        Long rules = rulesOf.get(decision.policyVersion());
        assertThat(rules).as("version %d", decision.policyVersion()).isNotNull();
        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(decision.rules())
                .extracting(Decision.RuleOutcome::ruleId)
                .containsExactlyInAnyOrder("a." + rules, "same", "z." + rules, "budget", "grow");
        assertThat(decision.limit()).hasValue(MARK + rules);
    }

    @Test
    void no_decision_is_made_under_a_mix_and_no_budget_is_handed_out_afresh() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong spent = new AtomicLong();
        ConcurrentLinkedQueue<Long> versionsSeen = new ConcurrentLinkedQueue<>();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> watchers = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                watchers.add(threads.submit(new Watcher(thread, over, spent, versionsSeen)));
            }
            for (long version = 2; version <= VERSIONS; version++) {
                publish(version);
            }
            for (long rollback = 0; rollback < ROLLBACKS; rollback++) {
                long to = 1 + rollback * 4;
                rulesOf.put(VERSIONS + rollback + 1, to);
                operator.does(
                        0,
                        "rollback",
                        Long.toString(to),
                        "--unsigned",
                        "--author",
                        "test",
                        "--reason",
                        "back",
                        "--wait",
                        "2m");
            }
            over.set(true);
            for (Future<?> watcher : watchers) {
                watcher.get();
            }
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
        while (decide("all", "spend").verdict() == Verdict.ALLOW) {
            spent.incrementAndGet();
        }

        assertThat(spent).as("tokens of the one budget").hasValue(BUDGET);
        operator.does(0, "status");
        Set<Long> seen = new HashSet<>(versionsSeen);
        assertThat(seen).contains((long) VERSIONS + ROLLBACKS).hasSizeGreaterThan(ROLLBACKS);
        System.out.println(VERSIONS + " versions and " + ROLLBACKS + " rollbacks: " + seen.size()
                + " of the versions were seen in decisions");
    }

    @Test
    void consumption_survives_a_limit_that_is_raised() throws Exception {
        publishGrown(2, 5);
        for (int i = 0; i < 3; i++) {
            assertThat(decide("survivor", "grow").limit()).hasValue(5);
        }
        publishGrown(3, 10);
        assertThat(remainingOf("survivor")).isEqualTo(7);
        decide("survivor", "grow");
        decide("survivor", "grow");
        publishGrown(4, 200);
        assertThat(remainingOf("survivor")).isEqualTo(195);
    }

    private void publishGrown(long version, long capacity) throws Exception {
        Path file = Files.write(
                folder.resolve("grown.json"), document(version, capacity).canonicalBytes());
        operator.does(
                0,
                "publish",
                file.toString(),
                "--unsigned",
                "--author",
                "test",
                "--reason",
                "capacity " + capacity,
                "--wait",
                "2m");
    }

    private long remainingOf(String tenant) {
        Ask ask = Ask.of(Caller.unknown().withTenant(tenant).withUser("u"), true, "GET /grow");
        Answer answer = client.peek(ask).join();
        assertThat(answer).isInstanceOf(Answer.Decided.class);
        return ((Answer.Decided) answer).decision().remaining().orElseThrow();
    }
}
