package io.headgate.schemas.policy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The JSON Schemas (draft 2020-12) of documents, for editors. They know of each field alone; a reader knows the rest. */
public enum DocumentSchema {
    /** Of kind PolicySnapshot. */
    policy,
    /** Of kind TenantPlans. */
    tenants,
    /** Of kind TrustedKeys. */
    keys;

    /** The schema's text, JSON. */
    public String text() {
        try (InputStream in = DocumentSchema.class.getResourceAsStream(name() + ".schema.json")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the schema in this program cannot be read", e);
        }
    }
}
