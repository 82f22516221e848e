// contract/vectors/exchanges.json, played by a raw server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Acuse } from '../dist/index.js';
import { vectors } from './support/vectors.mjs';

const UNSHOWN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const DRAFT = { from: 'a@sandbox.test', to: 'b@sandbox.test', subject: 'Hi', text: 'Hi' };
const file = vectors('exchanges.json') ?? { cases: [] };

/** Plays the answers of a case. */
async function startPeer(given) {
  const seen = { requests: 0, taken: 0 };
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.setMaxListeners(0);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    let data = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      data = Buffer.concat([data, bytes]);
      if (!isWhole(data)) return;
      data = Buffer.alloc(0);
      seen.requests++;
      void play(socket);
    });
  });
  const isWhole = (data) => {
    const over = data.indexOf('\r\n\r\n');
    if (given.tls || over < 0) return given.tls === true;
    const length = /content-length: (\d+)/i.exec(data.toString('latin1', 0, over))?.[1] ?? '0';
    return data.length >= over + 4 + Number(length);
  };
  const play = async (socket) => {
    const { steps, end } = given.answers[Math.min(seen.requests, given.answers.length) - 1];
    for (const { text, base64, times = 1, every_ms } of steps) {
      const bytes = base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64');
      for (let n = 0; (times === 0 || n < times) && !socket.destroyed; n++) {
        seen.taken += bytes.length;
        if (!socket.write(bytes))
          await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
        if (every_ms) await new Promise((resolve) => setTimeout(resolve, every_ms));
      }
    }
    if (end === 'close') socket.end();
    if (end === 'reset') socket.resetAndDestroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const url = `${given.tls ? 'https' : 'http'}://127.0.0.1:${server.address().port}`;
  return { url, seen, close };
}

function call(acuse, given) {
  const { id, idempotency_key: key } = file;
  const options =
    given.cancel_after_ms === undefined ? {} : { signal: AbortSignal.timeout(given.cancel_after_ms) };
  switch (given.call) {
    case 'send':
      return acuse.messages.send(DRAFT, key, options);
    case 'batch':
      return acuse.messages.sendBatch([{ ...DRAFT, idempotency_key: key }]);
    case 'read':
      return acuse.messages.get(id);
    case 'list':
      return acuse.messages.list().page();
    case 'create':
      return acuse.apiKeys.create({ name: 'a', scopes: ['send'] });
    default:
      return acuse.webhooks.delete(id);
  }
}

function check(given, seen, error) {
  const { out } = given;
  const name = error?.name === 'AbortError' ? 'Cancelled' : (error?.name ?? 'ok');
  assert.ok([out.class, out.or].includes(name), inspect(error));
  if (out.requests !== null) assert.equal(seen.requests, out.requests, 'requests');
  if (out.taken_max !== null) assert.ok(seen.taken <= out.taken_max, `${seen.taken} bytes taken`);
  if (error === undefined) return;
  if (out.key) assert.equal(error.idempotencyKey, file.idempotency_key);
  if (name !== 'Cancelled') assert.equal(error.outcomeUnknown, out.outcome_unknown, 'outcomeUnknown');
  if (out.status !== null) assert.equal(error.status, out.status);
  if (out.code !== null) assert.equal(error.code, out.code);
  if (out.retry_after !== null) assert.equal(error.retryAfter, out.retry_after);
  if (out.message !== null) assert.ok(error.message.startsWith(out.message), error.message);
  for (const text of [
    error.message,
    String(error),
    JSON.stringify(error),
    inspect(error, { colors: false }),
  ]) {
    assert.doesNotMatch(text, UNSHOWN);
    assert.ok(!text.includes('canarycanary'), text);
  }
}

for (const given of file.cases)
  test(`exchange ${given.name}`, async () => {
    const peer = await startPeer(given);
    const limit = given.limit_ms === null ? {} : { timeoutMs: given.limit_ms, deadlineMs: given.limit_ms };
    const acuse = new Acuse({
      apiKey: file.api_key,
      baseUrl: peer.url,
      maxRetries: given.max_retries,
      random: () => 0,
      sleep: async () => {},
      ...limit,
      ...(given.limit_ms !== null && { connectTimeoutMs: given.limit_ms }),
    });
    let error;
    try {
      const result = await call(acuse, given);
      if (given.call === 'batch') error = result[0].error;
    } catch (failed) {
      assert.notEqual(given.call, 'batch', 'a batch says of each item what came of it');
      error = failed;
    } finally {
      acuse.close();
      peer.close();
    }
    check(given, peer.seen, error);
  });
