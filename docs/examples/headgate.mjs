// A client that asks Headgate in JSON, with nothing but kafkajs. Pseudonyms are made as docs/wire.md says.

import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';

const { AssignerProtocol, Kafka, Partitioners, logLevel } = kafkajs;

const REQUESTS = 'admission-requests';
const REPLIES = 'admission-replies';

/** The key whose hash is the shard: that of the first command, for a batch is for one shard. */
export function partitionKey(question) {
  const command = question.commands?.[0] ?? question;
  const stage = command.stage ?? (command.tenant ? 'tenant' : 'ip');
  return stage === 'tenant' ? command.tenant : `${stage}:${command[stage]}`;
}

/** Headers of Spring Kafka's request/reply; the partition is four bytes, most significant first. */
export function headers(correlationId, replyPartition, replyTopic = REPLIES) {
  const partition = Buffer.alloc(4);
  partition.writeInt32BE(replyPartition);
  return {
    'content-type': 'application/json',
    kafka_replyTopic: replyTopic,
    kafka_replyPartition: partition,
    kafka_correlationId: correlationId,
  };
}

/** Gives this consumer, alone in its group, the one partition it reads: kafkajs knows no other way to choose one. */
const only = (partition) => () => ({
  name: 'only',
  version: 0,
  protocol: ({ topics }) => ({ name: 'only', metadata: AssignerProtocol.MemberMetadata.encode({ version: 0, topics }) }),
  assign: async ({ members }) =>
    members.map(({ memberId }) => ({
      memberId,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({ version: 0, assignment: { [REPLIES]: [partition] } }),
    })),
});

export class Headgate {
  #waiting = new Map();
  #replyPartition;
  #patienceMillis;
  #kafka;
  #producer;
  #consumer;

  constructor(brokers, replyPartition, patienceMillis = 500) {
    this.#replyPartition = replyPartition;
    this.#patienceMillis = patienceMillis;
    this.#kafka = new Kafka({ clientId: 'ask', brokers, logLevel: logLevel.ERROR });
    // The partitioner decides the shard, so it must be the one that all of Kafka's own clients have.
    this.#producer = this.#kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    this.#consumer = this.#kafka.consumer({
      groupId: `ask-${randomUUID()}`,
      partitionAssigners: [only(replyPartition)],
      maxWaitTimeInMs: 100,
    });
  }

  /** Knows where the replies end before the first question is sent, so that no answer can come before that place. */
  async start() {
    const admin = this.#kafka.admin();
    await admin.connect();
    const ends = await admin.fetchTopicOffsets(REPLIES);
    await admin.disconnect();
    const mine = ends.find(({ partition }) => partition === this.#replyPartition);
    if (mine === undefined) {
      throw new Error(`${REPLIES} has ${ends.length} partitions; there is no partition ${this.#replyPartition}`);
    }
    await this.#producer.connect();
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topic: REPLIES });
    await this.#consumer.run({ autoCommit: false, eachMessage: async ({ message }) => this.#take(message) });
    this.#consumer.seek({ topic: REPLIES, partition: this.#replyPartition, offset: mine.high });
  }

  /** The reply to a question; no reply in time is an error, and the caller's fail mode applies. */
  async ask(question) {
    const correlationId = randomUUID();
    const reply = new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(correlationId);
        reject(new Error(`no answer within ${this.#patienceMillis} ms`));
      }, this.#patienceMillis);
      this.#waiting.set(correlationId, (value) => {
        clearTimeout(timer);
        resolve(value);
      });
    });
    const sent = this.#producer.send({
      topic: REQUESTS,
      messages: [
        {
          key: partitionKey(question),
          value: JSON.stringify(question),
          headers: headers(correlationId, this.#replyPartition),
        },
      ],
    });
    return (await Promise.all([reply, sent]))[0];
  }

  /** Others may share the partition, and an answer may come twice. */
  #take(message) {
    const correlationId = message.headers.kafka_correlationId?.toString();
    const answer = this.#waiting.get(correlationId);
    if (answer !== undefined) {
      this.#waiting.delete(correlationId);
      answer(message.value.toString());
    }
  }

  async stop() {
    await this.#consumer.disconnect();
    await this.#producer.disconnect();
  }
}

