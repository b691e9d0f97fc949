package io.headgate.tools.tenant;

import io.headgate.schemas.trust.SignedRecord;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Who signs what is written about tenants. */
final class RecordSigning {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "a private key to sign with; needed where processors trust keys")
    private Path keyFile;

    @Option(names = "--unsigned", description = "for development: write it unsigned although the policies are signed")
    private boolean unsigned;

    void checkUsage() {
        if (keyFile != null && unsigned) {
            throw new ParameterException(spec.commandLine(), "--key and --unsigned contradict each other");
        }
    }

    /**
     * Makes sure that somebody signs where it is needed, as far as can be told: where the newest policy is signed.
     *
     * @throws CommandFailedException if nobody does
     */
    Signer signer(Cluster cluster) throws CommandFailedException {
        if (keyFile == null) {
            if (!unsigned && PolicyInForce.read(cluster).signed()) {
                throw new CommandFailedException("the policies here are signed, so processors refuse what nobody has"
                        + " signed; give --key FILE or, for a development cluster, --unsigned");
            }
            return new Signer(Optional.empty());
        }
        try {
            return new Signer(Optional.of(SigningKey.read(keyFile)));
        } catch (IllegalArgumentException unusable) {
            throw new CommandFailedException(unusable.getMessage());
        }
    }

    /** Signs records, or lets them be. */
    record Signer(Optional<SigningKey> key) {

        boolean signs() {
            return key.isPresent();
        }

        /** The record, signed as issued then, where there is a key. */
        ProducerRecord<byte[], byte[]> signed(ProducerRecord<byte[], byte[]> record, long issuedAtMillis) {
            SignedRecord content =
                    new SignedRecord(record.topic(), issuedAtMillis, record.key(), Optional.ofNullable(record.value()));
            key.ifPresent(present -> present.sign(content).writeTo(record.headers()));
            return record;
        }
    }
}
