"""Asks Headgate in JSON, with nothing but a Kafka client. One question a line comes in, a command or a batch of them,
with pseudonyms made as docs/wire.md says; one answer a line goes out, in the order of the questions.

    pip install confluent-kafka
    echo '{"tenant":"atlas","user":"u1","route":"GET /catalog"}' | python3 ask.py 127.0.0.1:9092

A second argument names the reply partition that is ours.
"""

import json
import struct
import sys
import time
import uuid

from confluent_kafka import Consumer, Producer, TopicPartition

REQUESTS = "admission-requests"
REPLIES = "admission-replies"
PATIENCE_SECONDS = 30
QUESTIONS_AT_ONCE = 500


def partition_key(question):
    """The key whose hash is the shard: that of the first command, for a batch is for one shard."""
    command = (question.get("commands") or [question])[0]
    stage = command.get("stage") or ("tenant" if command.get("tenant") else "ip")
    return command.get("tenant", "") if stage == "tenant" else f"{stage}:{command.get(stage, '')}"


class Headgate:
    def __init__(self, brokers, reply_partition):
        # The partitioner decides the shard, so it must be that of Kafka's own clients, which is not librdkafka's default.
        self._producer = Producer({"bootstrap.servers": brokers, "partitioner": "murmur2_random"})
        # librdkafka wants a name for a group; assigning a partition by hand joins none.
        self._consumer = Consumer(
            {
                "bootstrap.servers": brokers,
                "group.id": f"ask-{uuid.uuid4()}",
                "enable.auto.commit": False,
                "fetch.wait.max.ms": 100,
            }
        )
        self._reply_partition = reply_partition
        # Knows where the replies end before the first question is sent, so that no answer can come before that place.
        _, end = self._consumer.get_watermark_offsets(TopicPartition(REPLIES, reply_partition), timeout=PATIENCE_SECONDS)
        self._consumer.assign([TopicPartition(REPLIES, reply_partition, end)])

    def ask(self, questions):
        """The replies to questions, in their order; if one does not come in time, the caller's fail mode applies."""
        sent = {str(uuid.uuid4()).encode(): question for question in questions}
        for correlation_id, question in sent.items():
            self._producer.produce(
                REQUESTS,
                key=partition_key(question).encode(),
                value=json.dumps(question).encode(),
                headers=[
                    ("content-type", b"application/json"),
                    ("kafka_replyTopic", REPLIES.encode()),
                    # Four bytes, most significant first.
                    ("kafka_replyPartition", struct.pack(">i", self._reply_partition)),
                    ("kafka_correlationId", correlation_id),
                ],
            )
        self._producer.flush(PATIENCE_SECONDS)
        replies = self._read(sent)
        return [replies[correlation_id] for correlation_id in sent]

    def _read(self, sent):
        """Others may share the partition, and an answer may come twice."""
        replies = {}
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        while len(replies) < len(sent):
            if time.monotonic() > give_up_at:
                raise TimeoutError(f"{len(sent) - len(replies)} questions have no answer after {PATIENCE_SECONDS} s")
            for message in self._consumer.consume(num_messages=100, timeout=0.1):
                if message.error():
                    raise RuntimeError(message.error())
                correlation_id = dict(message.headers() or []).get("kafka_correlationId")
                if correlation_id in sent:
                    replies[correlation_id] = message.value().decode()
        return replies

    def close(self):
        self._consumer.close()


def main():
    brokers = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9092"
    reply_partition = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    questions = [json.loads(line) for line in sys.stdin.buffer]
    headgate = Headgate(brokers, reply_partition)
    try:
        for first in range(0, len(questions), QUESTIONS_AT_ONCE):
            for reply in headgate.ask(questions[first : first + QUESTIONS_AT_ONCE]):
                sys.stdout.buffer.write(reply.encode() + b"\n")
    finally:
        headgate.close()


if __name__ == "__main__":
    main()
