package io.headgate.schemas.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.headgate.schemas.trust.Permission;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.schemas.trust.TrustSettings;
import io.headgate.schemas.trust.TrustedKey;
import io.headgate.schemas.trust.TrustedKeys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustedKeysDocumentTest {

    private static final String KEY = SigningKey.newPair("ann").publicText();

    private static final Schema SCHEMA = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(DocumentSchema.keys.text());

    private static TrustedKeys parse(String keys) {
        return TrustedKeysDocument.parse(
                Documents.bytes("{'apiVersion':'headgate.io/v1','kind':'TrustedKeys','keys':[" + keys + "]}"));
    }

    @Test
    void reads_all_that_is_said_of_a_key_and_writes_it_again() {
        TrustedKeys keys = parse("{'id':'ann','publicKey':'" + KEY + "','owner':'Ann','may':['publish','approve'],"
                + "'domains':['northstar'],'plans':['standard'],'until':'2027-01-15T08:00:00Z'}");

        TrustedKey key = keys.keys().get(0);
        assertThat(key.id()).isEqualTo("ann");
        assertThat(key.publicText()).isEqualTo(KEY);
        assertThat(key.owner()).isEqualTo("Ann");
        assertThat(key.may()).containsExactly(Permission.PUBLISH, Permission.APPROVE);
        assertThat(key.domains()).containsExactly("northstar");
        assertThat(key.plans()).containsExactly("standard");
        assertThat(key.untilMillis()).isEqualTo(1_800_000_000_000L);
        byte[] written = TrustedKeysDocument.written(keys).toString().getBytes(StandardCharsets.UTF_8);
        assertThat(TrustedKeysDocument.parse(written).keys()).isEqualTo(keys.keys());
    }

    @Test
    void the_schema_takes_what_a_reader_takes_and_sees_mistakes_of_form() {
        TrustedKeys keys = parse("{'id':'ann','publicKey':'" + KEY + "','owner':'Ann','may':['publish','credit'],"
                + "'domains':['northstar'],'plans':['standard'],'until':'2027-01-15T08:00:00.500Z'},{'id':'ben','publicKey':'"
                + SigningKey.newPair("ben").publicText() + "','may':['approve','plan','override','ban']}");
        String head = "{\"apiVersion\":\"headgate.io/v1\",\"kind\":\"TrustedKeys\",\"keys\":";
        List<String> broken = List.of(
                head + "[]}",
                head + "[{\"id\":\"a b\",\"publicKey\":\"" + KEY + "\",\"may\":[\"plan\"]}]}",
                head + "[{\"id\":\"ann\",\"publicKey\":\"AAAA\",\"may\":[\"plan\"]}]}",
                head + "[{\"id\":\"ann\",\"publicKey\":\"" + KEY + "\",\"may\":[\"rule\"]}]}",
                head + "[{\"id\":\"ann\",\"publicKey\":\"" + KEY + "\",\"may\":[]}]}",
                head + "[{\"id\":\"ann\",\"publicKey\":\"" + KEY + "\",\"may\":[\"plan\"],\"plans\":[]}]}",
                head + "[{\"id\":\"ann\",\"publicKey\":\"" + KEY + "\",\"may\":[\"plan\"],\"x\":1}]}");

        assertThat(SCHEMA.validate(TrustedKeysDocument.written(keys))).isEmpty();
        assertThat(broken)
                .allSatisfy(text -> assertThat(SCHEMA.validate(text, InputFormat.JSON))
                        .as(text)
                        .isNotEmpty());
    }

    @Test
    void what_is_left_out_is_everything() {
        TrustedKey key = parse("{'id':'ann','publicKey':'" + KEY + "','may':['publish']}")
                .keys()
                .get(0);

        assertThat(key.domains()).isEmpty();
        assertThat(key.plans()).isEmpty();
        assertThat(key.untilMillis()).isEqualTo(TrustedKey.FOR_EVER);
    }

    @Test
    void every_mistake_is_named_at_once() {
        assertThat(Documents.problems(
                        () -> parse("{'id':'two words','publicKey':'AAAA','may':['rule'],'plans':[],'x':1},"
                                + "{'id':'ben','publicKey':'" + KEY + "'},3")))
                .containsExactlyInAnyOrder(
                        "keys[0].id is \"two words\"; it must be " + Wording.NAME_SHAPE,
                        "keys[0].publicKey is \"AAAA\"; it must be a public key of Ed25519 (X.509"
                                + " SubjectPublicKeyInfo) in base 64",
                        "keys[0].may[0] is \"rule\"; it must be one of [publish, approve, plan, override, ban, credit]",
                        "keys[0].plans names none; leave it out for all of them",
                        "keys[0].x is not a field of the format; what may stand here is [domains, id, may, owner, plans,"
                                + " publicKey, until]",
                        "keys[1].may is missing; it must be a list",
                        "keys[1].may is empty; a key that may do nothing is not trusted",
                        "keys[2] is 3; it must be an object");
    }

    @Test
    void two_of_one_name_are_refused() {
        String ann = "{'id':'ann','publicKey':'" + KEY + "','may':['publish']}";

        assertThat(Documents.problems(() -> parse(ann + "," + ann)))
                .containsExactly("keys has two of the id 'ann'; each key needs its own");
    }

    @Test
    void a_reader_has_keys_or_says_that_it_needs_none(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("keys.json"),
                Documents.json("{'apiVersion':'headgate.io/v1','kind':'TrustedKeys','keys':[{'id':'ann','publicKey':'"
                        + KEY + "','may':['publish']}]}"));
        Path broken = Files.writeString(folder.resolve("broken.json"), "{}");
        Path missing = folder.resolve("missing.json");

        assertThat(TrustSettings.trust(file.toString(), "refuse")).containsInstanceOf(TrustedKeys.class);
        assertThat(TrustSettings.trust("", "allow")).isEmpty();
        assertThatThrownBy(() -> TrustSettings.trust("", "refuse"))
                .hasMessageStartingWith("policies.trusted.keys is missing");
        assertThatThrownBy(() -> TrustSettings.trust(file.toString(), "allow"))
                .hasMessageEndingWith("it must be refuse");
        assertThatThrownBy(() -> TrustSettings.trust(missing.toString(), "refuse"))
                .hasMessage("policies.trusted.keys: " + missing + " cannot be read: NoSuchFileException");
        assertThatThrownBy(() -> TrustSettings.trust(broken.toString(), "refuse"))
                .hasMessageContaining(broken + ": apiVersion is missing");
    }
}
