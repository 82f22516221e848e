#!/usr/bin/env node
// The costly requests of neighbours.mjs, from a process of their own. Prints `attacking`, then how often each
// status was answered.
//   neighbours-attack.mjs '{"phase", "url", "key", "messages", "seconds"}'
import { randomBytes, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { call } from './neighbours-client.mjs';

const { phase, url, key, messages, seconds } = JSON.parse(process.argv[2]);
const MIB = 1024 * 1024;
const FIELDS = { from: 'billing@sandbox.test', to: 'ana@sandbox.test', subject: 's' };

const doubled = (times) =>
  `{% capture a %}aaaaaaaaaa{% endcapture %}${'{% capture a %}{{a}}{{a}}{% endcapture %}'.repeat(times)}`;
const HOSTILE = [
  `${doubled(24)}{% case a %}{% when "b" %}{% endcase %}`,
  `${doubled(22)}{% if a == "b" %}{% endif %}`,
  '{% for i in (1..30000) %}{% for j in (1..30000) %}{% endfor %}{% endfor %}',
  '{% for i in (1..100000) %}{{ "now" | date: "%c" }}{% endfor %}',
];
const MAKERS = {
  templates: async () => {
    const ids = [];
    for (const text of HOSTILE) {
      const body = Buffer.from(JSON.stringify({ name: randomUUID(), subject: 's', text }));
      ids.push(JSON.parse((await call(agent, { url: `${url}/v1/templates`, key, body })).text).id);
    }
    return {
      connections: 8,
      next: (at) => send({ ...FIELDS, subject: undefined, template_id: ids[at % ids.length], variables: {} }),
    };
  },
  json: () => {
    const content = randomBytes(18 * MIB).toString('base64');
    const body = Buffer.from(
      JSON.stringify({ ...FIELDS, text: 'x', attachments: [{ filename: 'a', content }] }),
    );
    return { connections: 3, next: () => ({ url: `${url}/v1/messages`, body }) };
  },
  rfc822: () => {
    const part = `${randomBytes(17 * MIB)
      .toString('base64')
      .replace(/.{76}/g, '$&\r\n')}\r\n`;
    const head = `From: ${FIELDS.from}\r\nTo: ${FIELDS.to}\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
    const body = Buffer.from(`${head}${part}--b--\r\n`);
    return { connections: 3, next: () => ({ url: `${url}/v1/messages`, body, type: 'message/rfc822' }) };
  },
  batch: () => {
    const content = randomBytes(400 * 1024).toString('base64');
    const items = Array.from({ length: 100 }, () => KEY);
    const item = (idempotency_key) => ({
      ...FIELDS,
      text: 'x',
      attachments: [{ filename: 'a', content }],
      idempotency_key,
    });
    const make = () => Buffer.from(JSON.stringify({ messages: items.map(() => item(randomUUID())) }));
    return { connections: 2, next: () => ({ url: `${url}/v1/messages/batch`, body: make() }) };
  },
  bundles: () => bundles(messages),
  'one bundle': () => bundles(messages.slice(0, 1)),
};
const KEY = '';

function send(fields) {
  return { url: `${url}/v1/messages`, body: Buffer.from(JSON.stringify(fields)) };
}

function bundles(ids) {
  const next = (at) => ({ url: `${url}/v1/messages/${ids[at % ids.length]}/proof-bundle`, method: 'GET' });
  return { connections: 32, next };
}

const agent = new Agent({ keepAlive: true });
const { connections, next } = await MAKERS[phase]();
const statuses = {};
const untilMs = performance.now() + seconds * 1_000;
let serial = 0;
const attacking = Array.from({ length: connections }, async () => {
  while (performance.now() < untilMs) {
    const { status } = await call(agent, { key, ...next(serial++) });
    statuses[status] = (statuses[status] ?? 0) + 1;
    // Told to come back: at once would only measure refusals.
    if (status === 503 || status === 429) await new Promise((resolve) => setTimeout(resolve, 200));
  }
});
console.log('attacking');
await Promise.all(attacking);
console.log(
  Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', '),
);
agent.destroy();
