// Sends questions whose answers cannot come, then asks about the same tenants properly. One line a bad address comes out:
// the answer to the proper question.

import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import { Headgate, headers } from './headgate.mjs';

const [brokers, replyPartition] = process.argv.slice(2);
const addresses = [
  { topic: 'policies', partition: 0 },
  { topic: 'no-such-topic', partition: 0 },
  { topic: 'admission-replies', partition: 10_000 },
  { topic: 'admission-replies', partition: -1 },
];

const kafka = new kafkajs.Kafka({ brokers: [brokers], logLevel: kafkajs.logLevel.ERROR });
const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
const headgate = new Headgate([brokers], Number(replyPartition), 60_000);
await producer.connect();
await headgate.start();
try {
  for (const [i, { topic, partition }] of addresses.entries()) {
    const question = { tenant: `lost-${i}`, user: 'u1', route: 'GET /catalog', cost: 20 };
    await producer.send({
      topic: 'admission-requests',
      messages: [
        { key: question.tenant, value: JSON.stringify(question), headers: headers(randomUUID(), partition, topic) },
      ],
    });
    console.log(await headgate.ask(question));
  }
} finally {
  await headgate.stop();
  await producer.disconnect();
}
