// Asks Headgate in JSON, with nothing but a Kafka client. One question a line comes in, a command or a batch of them,
// with pseudonyms made as docs/wire.md says; one answer a line goes out, in the order of the questions.
//
//   npm ci
//   echo '{"tenant":"atlas","user":"u1","route":"GET /catalog"}' | node ask.mjs 127.0.0.1:9092
//
// A second argument names the reply partition that is ours.

import { createInterface } from 'node:readline/promises';
import { Headgate } from './headgate.mjs';

const QUESTIONS_AT_ONCE = 500;
const PATIENCE_MILLIS = 30_000;

const [brokers = '127.0.0.1:9092', replyPartition = '0'] = process.argv.slice(2);
const headgate = new Headgate(brokers.split(','), Number(replyPartition), PATIENCE_MILLIS);
await headgate.start();
try {
  let asked = [];
  for await (const line of createInterface({ input: process.stdin })) {
    asked.push(headgate.ask(JSON.parse(line)));
    if (asked.length === QUESTIONS_AT_ONCE) {
      (await Promise.all(asked)).forEach((reply) => console.log(reply));
      asked = [];
    }
  }
  (await Promise.all(asked)).forEach((reply) => console.log(reply));
} finally {
  await headgate.stop();
}
