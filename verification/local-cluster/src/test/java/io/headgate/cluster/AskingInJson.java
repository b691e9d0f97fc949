package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.Partitioning;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyRecords;
import io.headgate.tools.PolicyFile;
import io.headgate.tools.PolicyTopic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * An example of {@code docs/examples} in another language, which asks in JSON: it is run as it stands there, against a
 * processor on a real broker.
 */
@Tag("external")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AskingInJson {

    private static final Path EXAMPLES = Path.of("../../docs/examples");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MY_PARTITION = 7;

    private Path folder;
    private LocalBroker broker;
    private AdmissionProcessor processor;

    /** The files of the example. */
    abstract List<String> files();

    /** Installs what the example needs into a folder that has its files. */
    abstract void install(Path folder) throws Exception;

    /** Runs the example with arguments, questions in, answers out. */
    abstract List<String> run(Path folder, List<String> arguments, List<String> questions) throws Exception;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        this.folder = folder;
        for (String file : files()) {
            Files.copy(EXAMPLES.resolve(file), folder.resolve(file));
        }
        install(folder);
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        new PolicyTopic(broker.bootstrapServers()).publish(PolicyFile.northstar(), "test", "first");
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder);
        LocalShards.awaitReady(processor);
    }

    @AfterAll
    void stop() {
        if (processor != null) {
            processor.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    /** Where the example is, beside what it needs. */
    final Path folder() {
        return folder;
    }

    /** What the example is told of the broker, and of the reply partition that is its own. */
    final List<String> arguments() {
        return List.of(broker.bootstrapServers(), Integer.toString(MY_PARTITION));
    }

    static List<JsonNode> replies(List<String> lines) throws IOException {
        List<JsonNode> replies = new ArrayList<>();
        for (String line : lines) {
            replies.add(JSON.readTree(line));
        }
        return replies;
    }

    private List<JsonNode> ask(List<String> questions) throws Exception {
        return replies(answers(questions));
    }

    private List<String> answers(List<String> questions) throws Exception {
        List<String> answers = run(folder, arguments(), questions);
        assertThat(answers).hasSameSizeAs(questions);
        return answers;
    }

    private JsonNode askOne(String question) throws Exception {
        return ask(List.of(question)).get(0);
    }

    private static String read(String tenant, String more) {
        return "{\"tenant\":\"" + tenant + "\",\"user\":\"u1\",\"route\":\"GET /catalog\"" + more + "}";
    }

    private static String batch(List<String> commands) {
        return "{\"commands\":[" + String.join(",", commands) + "]}";
    }

    static List<String> verdicts(JsonNode reply) {
        return reply.path("decisions").findValuesAsText("verdict");
    }

    /** In one batch, so that no refill comes between. */
    @Test
    void a_bucket_of_20_admits_20_and_says_when_there_is_more() throws Exception {
        JsonNode reply = askOne(batch(Collections.nCopies(21, read("atlas", ""))));

        assertThat(verdicts(reply).subList(0, 20)).containsOnly("ALLOW");
        JsonNode denied = reply.path("decisions").path(20);
        assertThat(denied.path("verdict").asText()).isEqualTo("DENY");
        assertThat(denied.path("denyingRule").asText()).isEqualTo("P-READ");
        assertThat(denied.path("scope").asText()).isEqualTo("user");
        assertThat(denied.path("limit").asInt()).isEqualTo(20);
        assertThat(denied.path("remaining").asInt()).isZero();
        assertThat(denied.path("retryAfterMillis").asInt()).isEqualTo(500);
        assertThat(denied.path("resetAfterMillis").asInt()).isEqualTo(10_000);
    }

    @Test
    void a_question_that_comes_after_its_deadline_is_expired() throws Exception {
        assertThat(verdicts(askOne(read("birch", ",\"deadlineMillis\":1700000000000"))))
                .containsExactly("EXPIRED");
    }

    @Test
    void what_is_wrong_with_one_command_is_its_own_affair() throws Exception {
        JsonNode reply = askOne(
                batch(List.of(read("cedar", ""), "{\"tenant\":\"cedar\",\"cost\":\"much\"}", read("cedar", ""))));

        assertThat(verdicts(reply)).containsExactly("ALLOW", "ERROR", "ALLOW");
        assertThat(reply.path("decisions").path(1).path("reason").asText()).startsWith("cost is a string; it must be");
    }

    @Test
    void a_batch_that_is_none_is_told_why() throws Exception {
        JsonNode reply = askOne("{\"commands\":[],\"attempt\":{}}");

        assertThat(reply.path("problem").asText()).startsWith("attempt.gateway is missing");
        assertThat(reply.path("decisions")).isEmpty();
    }

    @Test
    void a_callers_key_admits_once() throws Exception {
        String keyed = read("doum", ",\"idempotencyKey\":\"order-1\"");
        String other = read("doum", ",\"idempotencyKey\":\"order-1\",\"cost\":2");

        JsonNode decisions = askOne(batch(List.of(keyed, keyed, other))).path("decisions");

        assertThat(decisions.findValuesAsText("verdict")).containsExactly("ALLOW", "ALLOW", "CONFLICT");
        assertThat(decisions.findValuesAsText("replayed")).containsExactly("false", "true", "false");
        assertThat(decisions.path(1).path("decisionId"))
                .isEqualTo(decisions.path(0).path("decisionId"));
    }

    /** Whichever of the two is first in the log: the other repeats it. */
    @Test
    void a_batch_that_is_sent_again_is_not_decided_again() throws Exception {
        String attempt = "{\"attempt\":{\"gateway\":\"other-language\",\"epoch\":1,\"sequence\":1},\"commands\":["
                + read("elm", "") + "]}";

        List<JsonNode> replies = ask(List.of(attempt, attempt));

        assertThat(replies.get(0).path("decisions").findValuesAsText("decisionId"))
                .isEqualTo(replies.get(1).path("decisions").findValuesAsText("decisionId"));
        assertThat(replies.stream()
                        .map(reply ->
                                reply.path("decisions").path(0).path("replayed").asBoolean()))
                .containsExactlyInAnyOrder(false, true);
    }

    @Test
    void finds_the_shard_of_every_key() throws Exception {
        List<String> keys = new ArrayList<>();
        List<String> questions = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            for (String tenant : List.of("tenant-" + i, "Zürich-" + i, "☃".repeat(1 + i % 7) + i, "😀" + i)) {
                keys.add(tenant);
                questions.add(read(tenant, ""));
            }
            String pseudonym = String.format("%032x", i * 0x9e3779b9L);
            keys.add("ip:" + pseudonym);
            questions.add("{\"ip\":\"" + pseudonym + "\"}");
            keys.add("target:" + pseudonym);
            questions.add("{\"stage\":\"target\",\"target\":\"" + pseudonym + "\"}");
        }

        List<JsonNode> replies = ask(questions);

        for (int i = 0; i < keys.size(); i++) {
            assertThat(verdicts(replies.get(i))).as(keys.get(i)).containsExactly("ALLOW");
            assertThat(replies.get(i).path("shard").asInt())
                    .as(keys.get(i))
                    .isEqualTo(Partitioning.shardOf(keys.get(i), LocalShards.SHARDS));
        }
    }

    /** In one log with questions in Avro: both are answered as anybody can find who folds it. */
    @Test
    void is_answered_what_the_log_says() throws Exception {
        String tenant = Asks.tenantOf(3, "shared");
        Command inAvro = new Command.Ask(
                new Admission(Stage.TENANT, new Identity(tenant, "u1", "", "", ""), true, "GET /catalog", Map.of(), 3),
                false,
                Command.NEVER,
                true);
        Reply toAvro;
        List<String> toJson = new ArrayList<>();
        try (PlainGateway gateway = new PlainGateway(broker.bootstrapServers())) {
            toJson.addAll(answers(Collections.nCopies(5, read(tenant, ",\"explain\":true"))));
            toAvro = gateway.ask(new Requests(Optional.empty(), List.of(inAvro, inAvro)));
            toJson.addAll(answers(Collections.nCopies(5, read(tenant, ",\"cost\":4"))));
        }

        Map<Boolean, List<byte[]>> replies =
                repliesOf(3).stream().collect(Collectors.partitioningBy(reply -> reply[0] == '{'));

        assertThat(replies.get(true).stream().map(reply -> new String(reply, StandardCharsets.UTF_8)))
                .containsAll(toJson);
        assertThat(replies.get(false).stream().map(ReplyRecords::decode)).contains(toAvro);
    }

    private List<byte[]> repliesOf(int shard) throws Exception {
        return IndependentFold.of(broker.bootstrapServers(), shard, keys(), Long.MAX_VALUE).replies().values().stream()
                .flatMap(List::stream)
                .toList();
    }

    private ControlKeys keys() throws IOException {
        return ControlKeys.read(Secrets.controlKeys(folder));
    }
}
