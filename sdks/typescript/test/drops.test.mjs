// Every second answer of the real service is dropped after it was given: nothing may be sent twice.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { client, draft, live } from './support/live.mjs';

const SENDS = 1_000;

/** In front of the service: hangs up in place of every second answer. */
async function droppingProxy() {
  const { hostname, port } = new URL(process.env.ACUSE_URL);
  let answers = 0;
  const server = createServer((socket) => {
    const upstream = connect(Number(port), hostname);
    socket.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (++answers % 2 === 0) socket.destroy();
      else socket.write(chunk);
    });
    for (const each of [socket, upstream]) {
      each.on('error', () => {});
      each.on('close', () => {
        socket.destroy();
        upstream.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { baseUrl: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

describe('lost answers', live, () => {
  it(`${SENDS} sends, every second answer dropped: exactly ${SENDS} messages, none in doubt`, async () => {
    const proxy = await droppingProxy();
    const acuse = client({ baseUrl: proxy.baseUrl, sleep: async () => {}, maxRetries: 20 });
    const tag = `d${randomUUID().slice(0, 8)}`;
    const ids = new Set();
    let repeated = 0;
    try {
      for (let sent = 0; sent < SENDS; sent++) {
        const { message, replayed } = await acuse.messages.send(draft({ tags: [tag], certified: false }));
        ids.add(message.id);
        if (replayed) repeated++;
      }
    } finally {
      acuse.close();
      proxy.close();
    }
    let listed = 0;
    for await (const _ of client().messages.list({ tag, limit: 100 })) listed++;
    assert.deepEqual([ids.size, listed], [SENDS, SENDS]);
    assert.ok(repeated > 0);
  });
});
