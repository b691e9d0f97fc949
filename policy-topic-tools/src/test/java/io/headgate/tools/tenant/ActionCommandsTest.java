package io.headgate.tools.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.Pseudonyms;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.Desk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ActionCommandsTest {

    private static final String SECRET = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    private static final String HEX = "0123456789abcdef0123456789abcdef";
    private static final long IN_TWO_HOURS = Desk.NOW.plus(Duration.ofHours(2)).toEpochMilli();

    private final Desk desk = Shop.desk();
    private final Pseudonyms pseudonyms = new Pseudonyms(HexFormat.of().parseHex(SECRET));

    @TempDir
    Path folder;

    private String secretFile;

    @BeforeEach
    void keepASecret() throws IOException {
        secretFile = Files.writeString(folder.resolve("secret"), SECRET + "\n").toString();
    }

    @Test
    void bans_a_tenant_in_the_partition_of_its_shard() {
        assertThat(desk.signed("ban", "atlas", "--for", "2h")).isZero();

        int shard = Partitioning.shardOf("atlas", Desk.SHARDS);
        Action action = onlyAction();
        assertThat(action.id()).matches("ban-20260301T100000Z-[0-9a-f]{8}");
        assertThat(action)
                .isEqualTo(new Action(
                        action.id(),
                        "ann",
                        "because",
                        new Subject(Stage.TENANT, new Identity("atlas", "", "", "", ""), "", Map.of()),
                        new Action.Ban(Scope.TENANT, IN_TWO_HOURS)));
        var record = desk.cluster().records(TopicCatalogue.QUOTA_ADJUSTMENTS).get(0);
        assertThat(record.partition()).isEqualTo(shard);
        assertThat(record.key()).isEqualTo(action.id().getBytes(StandardCharsets.UTF_8));
        assertThat(desk.out())
                .isEqualTo(action.id() + " bans tenant atlas until 2026-03-01T12:00:00Z\n"
                        + "written to quota-adjustments, partition " + shard + ", offset 0\n");
        assertThat(desk.err()).isEmpty();
        assertThat(desk.cluster().closed()).isEqualTo(1);
    }

    @Test
    void bans_a_user_by_the_pseudonym_that_gateways_make() {
        assertThat(desk.signed("ban", "atlas", "--user", "erika", "--pseudonym-secret-file", secretFile, "--for", "1s"))
                .isZero();

        assertThat(onlyAction().subject().identity())
                .isEqualTo(new Identity("atlas", pseudonyms.user("erika"), "", "", ""));
        assertThat(onlyAction().effect()).isEqualTo(new Action.Ban(Scope.USER, Desk.NOW.toEpochMilli() + 1_000));
        assertThat(desk.out()).contains(" bans user " + pseudonyms.user("erika") + " of tenant atlas until ");
    }

    @Test
    void bans_a_key_that_is_typed_and_not_shown() {
        assertThat(desk.typing("key-8f21\nmore\n")
                        .signed("ban", "atlas", "--api-key", "-", "--pseudonym-secret-file", secretFile, "--for", "1h"))
                .isZero();

        assertThat(onlyAction().subject().identity().apiKey()).isEqualTo(pseudonyms.apiKey("key-8f21"));
        assertThat(onlyAction().effect())
                .isInstanceOfSatisfying(
                        Action.Ban.class, ban -> assertThat(ban.scope()).isEqualTo(Scope.API_KEY));
        assertThat(desk.out()).doesNotContain("8f21");
    }

    @Test
    void bans_an_address_of_a_tenant_and_an_address_of_nobody() {
        desk.signed("ban", "atlas", "--ip", "203.0.113.7", "--pseudonym-secret-file", secretFile, "--for", "1h");
        desk.signed("ban", "--ip", "203.0.113.7", "--pseudonym-secret-file", secretFile, "--for", "1h");

        String address = pseudonyms.ip("203.0.113.7");
        assertThat(desk.actions())
                .extracting(Action::subject)
                .containsExactlyInAnyOrder(
                        new Subject(Stage.TENANT, new Identity("atlas", "", "", address, ""), "", Map.of()),
                        new Subject(Stage.IP, new Identity("", "", "", address, ""), "", Map.of()));
        assertThat(desk.actions())
                .extracting(Action::effect)
                .containsOnly(new Action.Ban(
                        Scope.IP, Desk.NOW.plus(Duration.ofHours(1)).toEpochMilli()));
        assertThat(desk.cluster().records(TopicCatalogue.QUOTA_ADJUSTMENTS))
                .extracting(org.apache.kafka.clients.consumer.ConsumerRecord::partition)
                .containsExactlyInAnyOrder(
                        Partitioning.shardOf("atlas", Desk.SHARDS), Partitioning.shardOf("ip:" + address, Desk.SHARDS));
    }

    @Test
    void bans_a_login_name() {
        assertThat(desk.signed("ban", "--target-pseudonym", HEX, "--until", "2026-03-01T10:00:01Z"))
                .isZero();

        assertThat(onlyAction().subject().partitionKey()).isEqualTo("target:" + HEX);
        assertThat(onlyAction().effect()).isEqualTo(new Action.Ban(Scope.TARGET, Desk.NOW.toEpochMilli() + 1_000));
    }

    @Test
    void overrides_a_limit_by_the_rules_algorithm() {
        assertThat(desk.signed(
                        "override",
                        "atlas",
                        "--rule",
                        "READ",
                        "--limit",
                        "{capacity: 50, refill: {tokens: 5, per: 1s}}",
                        "--for",
                        "2h"))
                .isZero();

        assertThat(onlyAction().effect())
                .isEqualTo(new Action.LimitOverride("READ", new TokenBucketLimit(50, 5, 1_000), IN_TWO_HOURS));
        assertThat(desk.out())
                .contains(" limits READ of tenant atlas to {capacity: 50, refill: {tokens: 5, per: 1s}} until ");
    }

    @Test
    void overrides_with_no_limit_at_all() {
        assertThat(desk.signed("override", "atlas", "--rule", "READ", "--limit", "unlimited", "--for", "366d"))
                .isZero();

        assertThat(onlyAction().effect())
                .isEqualTo(new Action.LimitOverride(
                        "READ",
                        new Unlimited(),
                        Desk.NOW.plus(Duration.ofDays(366)).toEpochMilli()));
    }

    @Test
    void overrides_the_limit_of_an_address_and_of_a_login_name() {
        String limit = "{requests: 1, per: 10s}";

        assertThat(desk.signed("override", "--ip-pseudonym", HEX, "--rule", "ANON", "--limit", limit, "--for", "1h"))
                .isZero();
        assertThat(desk.signed(
                        "override", "--target-pseudonym", HEX, "--rule", "LOGIN", "--limit", limit, "--for", "1h"))
                .isZero();

        assertThat(desk.actions())
                .extracting(action -> action.subject().partitionKey())
                .containsExactlyInAnyOrder("ip:" + HEX, "target:" + HEX);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            atlas --rule NONE                   | {requests: 5, per: 1m} | there is no rule 'NONE' in stage 'tenant' of policy version 7
            atlas --rule ANON                   | {requests: 5, per: 1m} | there is no rule 'ANON' in stage 'tenant'
            --ip-pseudonym 0123456789abcdef0123456789abcdef --rule READ | {capacity: 5, refill: {tokens: 1, per: 1s}} | there is no rule 'READ' in stage 'ip'
            atlas --rule TENANT                 | {requests: 9, per: 1m} | below the 10 that one request is charged
            atlas --rule BURST                  | {requests: 501, per: 1m} | would have to count to 200 percent
            atlas --rule READ                   | {requests: 5, per: 1m} | --limit: capacity is missing
            atlas --rule READ                   | {capacity: 5.0, refill: {tokens: 1, per: 1s}} | --limit: capacity is 5.0
            atlas --rule READ                   | {capacity: &x 5, refill: *x} | --limit
            atlas --rule TENANT                 | {requests: 50, per: day, align: calendar, zone: Mars/Base} | --limit: zone is 'Mars/Base'
            atlas --rule READ                   | 5 | --limit
            atlas --rule READ                   | {capacity | --limit is not YAML
            """)
    void refuses_an_override_that_cannot_be_meant(String whose, String limit, String message) {
        String[] args = ("override " + whose + " --for 1h --limit").split(" ");

        assertThat(desk.signed(append(args, limit))).isEqualTo(1);

        assertThat(desk.err()).contains(message);
        assertThat(desk.actions()).isEmpty();
    }

    @Test
    void lets_an_override_be_forced_that_nobody_can_pay() {
        assertThat(desk.signed(
                        "override",
                        "atlas",
                        "--rule",
                        "TENANT",
                        "--limit",
                        "{requests: 9, per: 1m}",
                        "--for",
                        "1h",
                        "--force"))
                .isZero();

        assertThat(desk.err()).startsWith("warning: override.limit is 9, below the 10");
        assertThat(desk.actions()).hasSize(1);
    }

    @Test
    void cannot_override_while_there_is_no_policy() {
        Desk empty = new Desk();

        assertThat(empty.signed("override", "atlas", "--rule", "READ", "--limit", "unlimited", "--for", "1h"))
                .isEqualTo(1);
        assertThat(empty.err())
                .isEqualTo("there is no policy on topic policies to check against, so the algorithm of rule 'READ' is"
                        + " not known; publish a policy first\n");
    }

    @Test
    void resets_and_credits_the_counter_that_the_rule_has() {
        desk.signed("reset", "atlas", "--rule", "TENANT");
        desk.signed("reset", "atlas", "--rule", "READ", "--user-pseudonym", HEX);
        desk.signed("credit", "atlas", "--rule", "EXPORT", "--route", "POST /export", "--tokens", "1");
        desk.signed(
                "credit",
                "atlas",
                "--rule",
                "MODEL",
                "--user-pseudonym",
                HEX,
                "--attribute",
                "model=large",
                "--tokens",
                "1000000000000");
        desk.signed("reset", "--ip-pseudonym", HEX, "--rule", "ANON");

        assertThat(desk.actions())
                .extracting(Action::subject, Action::effect)
                .containsExactlyInAnyOrder(
                        tuple(tenant("", "", Map.of()), new Action.Reset("TENANT")),
                        tuple(tenant(HEX, "", Map.of()), new Action.Reset("READ")),
                        tuple(tenant("", "POST /export", Map.of()), new Action.Credit("EXPORT", 1)),
                        tuple(
                                tenant(HEX, "", Map.of("model", "large")),
                                new Action.Credit("MODEL", 1_000_000_000_000L)),
                        tuple(
                                new Subject(Stage.IP, new Identity("", "", "", HEX, ""), "", Map.of()),
                                new Action.Reset("ANON")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            atlas --rule READ                         | rule READ counts by user, which is not named; give --user
            atlas --rule TENANT --user-pseudonym 0123456789abcdef0123456789abcdef | rule TENANT counts by tenant, so there is no counter of that user alone; leave out --user
            atlas --rule MODEL --user-pseudonym 0123456789abcdef0123456789abcdef | rule MODEL counts by attributes.model, which is not named; give --attribute model=…
            atlas --rule EXPORT                       | rule EXPORT counts by route, which is not named; give --route
            atlas --rule EXPORT --route GET           | --route is 'GET', which belongs to no route group; there are [catalog, export]
            atlas --rule TENANT --attribute a=b       | leave out --attribute a=…
            atlas --rule NONE                         | there is no rule 'NONE'
            atlas --rule ANON                         | there is no rule 'ANON' in stage 'tenant'
            """)
    void refuses_to_act_on_a_counter_that_the_rule_does_not_have(String whose, String message) {
        assertThat(desk.signed(("reset " + whose.strip()).split(" "))).isEqualTo(1);

        assertThat(desk.err()).contains(message).endsWith("nothing has been written; --force writes it all the same\n");
        assertThat(desk.actions()).isEmpty();

        assertThat(desk.signed(("credit " + whose.strip() + " --tokens 5 --force").split(" ")))
                .isZero();
        assertThat(desk.err()).startsWith("warning: ");
    }

    @Test
    void lifts_whosever_override_or_ban_it_is() {
        desk.signed("ban", "--ip-pseudonym", HEX, "--for", "1h", "--id", "ban-1");

        assertThat(desk.signed("lift", "ban-1")).isZero();

        Action lift = desk.actions().get(1);
        assertThat(lift.effect()).isEqualTo(new Action.Lift("ban-1"));
        assertThat(lift.subject().partitionKey()).isEqualTo("ip:" + HEX);
        assertThat(lift.id()).startsWith("lift-20260301T100000Z-");
        assertThat(desk.out()).startsWith(lift.id() + " lifts ban-1 of ip " + HEX + "\nwritten to quota-adjustments, ");
    }

    @Test
    void lifts_all_of_an_id_where_two_accounts_have_it() {
        desk.signed("ban", "--ip-pseudonym", HEX, "--for", "1h", "--id", "ban-1");
        desk.signed("ban", "atlas", "--for", "1h", "--id", "ban-1");

        assertThat(desk.signed("lift", "ban-1")).isZero();

        assertThat(desk.actions().stream().filter(action -> action.effect() instanceof Action.Lift))
                .extracting(action -> action.subject().partitionKey())
                .containsExactlyInAnyOrder("ip:" + HEX, "atlas");
    }

    @Test
    void cannot_lift_what_is_not_there_or_does_not_last() {
        desk.signed("reset", "atlas", "--rule", "TENANT", "--id", "reset-1");

        assertThat(desk.signed("lift", "ban-9")).isEqualTo(1);
        assertThat(desk.err()).startsWith("there is no override or ban of id 'ban-9'");
        assertThat(desk.signed("lift", "reset-1")).isEqualTo(1);
        assertThat(desk.actions()).hasSize(1);
    }

    @Test
    void does_nothing_more_when_a_command_with_an_id_is_repeated() {
        desk.signed("credit", "atlas", "--rule", "TENANT", "--tokens", "5", "--id", "job-7.1");
        String first = desk.out();

        assertThat(desk.signed("credit", "atlas", "--rule", "TENANT", "--tokens", "5", "--id", "job-7.1"))
                .isZero();

        assertThat(desk.actions()).hasSize(1);
        assertThat(desk.out()).isEqualTo(first.replace("written to", "written before to"));
    }

    @Test
    void a_repeated_ban_may_end_at_another_time_and_keeps_the_first() {
        desk.signed("ban", "atlas", "--for", "1h", "--id", "ban-1");

        assertThat(desk.signed("ban", "atlas", "--for", "2h", "--id", "ban-1")).isZero();

        assertThat(desk.actions()).hasSize(1);
        assertThat(desk.out()).contains("until 2026-03-01T11:00:00Z\nwritten before to");
    }

    @Test
    void refuses_an_id_that_names_something_else() {
        desk.signed("credit", "atlas", "--rule", "TENANT", "--tokens", "5", "--id", "job-7");

        assertThat(desk.signed("credit", "atlas", "--rule", "TENANT", "--tokens", "6", "--id", "job-7"))
                .isEqualTo(1);

        assertThat(desk.err())
                .startsWith("--id is 'job-7', and quota-adjustments, partition ")
                .contains("another action of that id: it gives 5 tokens of TENANT back to tenant atlas");
        assertThat(desk.actions()).hasSize(1);
    }

    @Test
    void tells_programs_what_was_written() throws Exception {
        desk.signed("ban", "atlas", "--user-pseudonym", HEX, "--for", "2h", "--id", "ban-1", "--output", "json");

        assertThat(new ObjectMapper().readTree(desk.out())).isEqualTo(new ObjectMapper().readTree("""
                {"id": "ban-1", "kind": "ban", "subject": {"stage": "tenant", "tenant": "atlas", "user": "%s"},
                 "scope": "user", "untilMillis": %d, "until": "2026-03-01T12:00:00Z", "author": "ann",
                 "reason": "because", "topic": "quota-adjustments", "partition": %d, "offset": 0,
                 "writtenBefore": false}
                """.formatted(
                                HEX, IN_TWO_HOURS, Partitioning.shardOf("atlas", Desk.SHARDS))));
        assertThat(desk.out().lines()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ban --for 1h                                    | Missing required parameter: 'TENANT', or one of --ip and --target
            ban atlas                                       | --for
            ban atlas --for 1h --until 2026-03-02T00:00:00Z | mutually exclusive
            ban atlas --for 999ms                           | --for is '999ms'; it must be at least 1s
            ban atlas --for 367d                            | --for is '367d'; it must be at most 366d
            ban atlas --for 2                               | --for is '2'; it must be a duration
            ban atlas --until tomorrow                      | --until is 'tomorrow'; it must be an instant
            ban atlas --until 2026-03-01T10:00:00.999Z      | it must be 1 s to 366 days from now, and now is 2026-03-01T10:00:00Z
            ban atlas --until 2027-03-02T10:00:01Z          | it must be 1 s to 366 days from now
            ban atlas --for 1h --id a/b                     | Invalid value for --id
            ban atlas --for 1h --target x                   | --target is for a login name
            ban --user-pseudonym 0123456789abcdef0123456789abcdef --for 1h --ip-pseudonym 0123456789abcdef0123456789abcdef | TENANT is missing
            ban --ip-pseudonym 0123456789abcdef0123456789abcdef --target-pseudonym 0123456789abcdef0123456789abcdef --for 1h | not both
            ban atlas --user-pseudonym 0123456789abcdef0123456789abcdef --ip-pseudonym 0123456789abcdef0123456789abcdef --for 1h | one user, one API key or one address
            ban atlas --user x --user-pseudonym 0123456789abcdef0123456789abcdef --for 1h | give --user or --user-pseudonym, not both
            ban atlas --user x --for 1h                     | --user needs --pseudonym-secret-file
            ban --target x --for 1h                         | --target needs --pseudonym-secret-file
            override atlas --limit unlimited --for 1h       | Missing required option: '--rule=RULE'
            override atlas --rule READ --for 1h             | Missing required option: '--limit=LIMIT'
            override atlas --rule READ --limit unlimited    | --for
            override atlas --rule R/D --limit unlimited --for 1h --ip-pseudonym 0123456789abcdef0123456789abcdef | an override is for all of a tenant
            reset atlas                                     | Missing required option: '--rule=RULE'
            reset atlas --rule a/b                          | ruleId is 'a/b'
            reset atlas --rule READ --attribute x           | KEY=VALUE
            reset atlas --rule READ --tokens 5              | Unknown options: '--tokens'
            credit atlas --rule READ                        | Missing required option: '--tokens=N'
            credit atlas --rule READ --tokens 0             | tokens is 0; it must be 1 to 1000000000000
            credit atlas --rule READ --tokens 1000000000001 | tokens is 1000000000001; it must be 1 to 1000000000000
            credit atlas --rule READ --tokens many          | is not a long
            lift                                            | Missing required parameter: 'ACTION'
            lift a/b                                        | Invalid value for ACTION: actionId is 'a/b'
            """)
    void says_what_is_wrong_with_the_usage(String command, String message) {
        assertThat(desk.signed(command.strip().split(" +"))).isEqualTo(2);

        assertThat(desk.err()).contains(message);
        assertThat(desk.err().lines()).hasSize(1);
        assertThat(desk.actions()).isEmpty();
        assertThat(desk.reachedACluster()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"erika@example.com", "0123456789ABCDEF0123456789ABCDEF", "0123", "e"})
    void does_not_repeat_what_may_be_an_identifier_in_place_of_a_pseudonym(String identifier) {
        assertThat(desk.signed("ban", "atlas", "--user-pseudonym", identifier, "--for", "1h"))
                .isEqualTo(2);

        assertThat(desk.err())
                .contains("Invalid value for --user-pseudonym: it must be 32 lower-case hexadecimal digits")
                .doesNotContain("'" + identifier + "'", "erika", "0123");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "198.51.100.07",
                "198.51.100",
                "198.51.100.256",
                "198.51.100.9:80",
                "[2001:db8::7]",
                "fe80::1%eth0"
            })
    void takes_only_an_address_and_does_not_repeat_what_is_none(String address) {
        assertThat(desk.signed("ban", "--ip", address, "--pseudonym-secret-file", secretFile, "--for", "1h"))
                .isEqualTo(2);

        assertThat(desk.err())
                .contains("Invalid value for --ip: ip ", "it must be one IPv4 or IPv6 address and nothing else")
                .doesNotContain(address);
    }

    @Test
    void counts_an_address_as_gateways_do() {
        String[] ban = {"ban", "--pseudonym-secret-file", secretFile, "--for", "1h", "--ip"};

        desk.signed(append(ban, "2001:DB8:0:0::2"));
        assertThat(onlyAction().subject().identity().ip()).isEqualTo(pseudonyms.ip("2001:db8::/64"));

        Desk other = Shop.desk();
        other.signed(append(append(append(ban, "203.0.113.7"), "--ip-v4-prefix"), "24"));
        assertThat(other.actions().get(0).subject().identity().ip()).isEqualTo(pseudonyms.ip("203.0.113.0/24"));

        assertThat(desk.signed(append(append(append(ban, "203.0.113.7"), "--ip-v6-prefix"), "129")))
                .isEqualTo(2);
        assertThat(desk.err()).contains("the prefix of IPv6 addresses is 129; it must be 1 to 128");
    }

    @Test
    void says_what_is_wrong_with_the_secret_and_shows_nothing_of_it() throws IOException {
        for (String secret :
                List.of("0011", SECRET + "0", "not hexadecimal, but long enough to be a secret of 32 bytes")) {
            Files.writeString(Path.of(secretFile), secret);

            assertThat(desk.signed("ban", "atlas", "--user", "u", "--pseudonym-secret-file", secretFile, "--for", "1h"))
                    .isEqualTo(2);
            assertThat(desk.err())
                    .contains(secretFile + " must hold 64 hexadecimal digits or more")
                    .doesNotContain(secret);
        }
        String gone = folder.resolve("gone").toString();
        assertThat(desk.signed("ban", "atlas", "--user", "u", "--pseudonym-secret-file", gone, "--for", "1h"))
                .isEqualTo(2);
        assertThat(desk.err()).contains(gone + " cannot be read: does not exist");
    }

    @Test
    void says_that_nothing_was_typed() {
        assertThat(desk.typing("\n")
                        .signed("ban", "atlas", "--user", "-", "--pseudonym-secret-file", secretFile, "--for", "1h"))
                .isEqualTo(2);

        assertThat(desk.err()).contains("--user is -, and there is no line on standard input");
    }

    private Action onlyAction() {
        assertThat(desk.actions()).hasSize(1);
        return desk.actions().get(0);
    }

    private static Subject tenant(String user, String route, Map<String, String> attributes) {
        return new Subject(Stage.TENANT, new Identity("atlas", user, "", "", ""), route, attributes);
    }

    private static String[] append(String[] args, String last) {
        String[] longer = java.util.Arrays.copyOf(args, args.length + 1);
        longer[args.length] = last;
        return longer;
    }
}
