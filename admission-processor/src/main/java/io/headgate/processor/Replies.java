package io.headgate.processor;

import io.headgate.schemas.ContentType;
import io.headgate.schemas.ReplyAddress;

/** Sends answers on their way. */
interface Replies {

    /** Sends an answer at once and waits for nothing. One that cannot be sent is counted and dropped. */
    void send(ReplyAddress to, ContentType written, byte[] reply);
}
