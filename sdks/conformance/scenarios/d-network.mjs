import assert from 'node:assert/strict';
import { once } from 'node:events';
import { has } from '../run/scenario.mjs';

/** A certificate that must not be believed: one connection, no request. */
async function distrusted(t, secure) {
  const proxy = await t.proxy(() => undefined, { secure });
  const options = t.options(proxy.url, { ca_file: t.certificates.caFile });
  await t.fails('send', { message: t.message() }, options, {
    class: 'ConnectionError',
    phase: 'tls',
    outcome_unknown: false,
    attempts: 1,
  });
  assert.equal(proxy.seen.connections, 1, 'connections');
  assert.equal(proxy.seen.requests.length, 0, 'requests');
}

const DRIP_MS = 100;
/** Answers without end: only the time limit ends them. */
const DRIPS = ['drip', 'fields', 'chunks'];
const TIMEOUTS_MS = [1_000, 4_000, 16_000];
/** After the end of a call: when no more is taken. */
const SETTLED_MS = 500;
const POLLS_MAX = 20;
/** An answer's head, of which a library keeps at most so much; the rest is what the system had under way. */
const HEAD_MAX = 16 * 1024 * 1024;

/** Writes what `next` gives until the connection ends, as fast as it is taken, or one after each pause. */
async function endless(socket, next, pauseMs = 0) {
  socket.setNoDelay(true);
  while (!socket.destroyed) {
    const taken = socket.write(next());
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    else if (!taken) await roomOrEnd(socket);
  }
}

/** Until more can be written, or nobody is left to take it. */
async function roomOrEnd(socket) {
  const waited = new AbortController();
  const { signal } = waited;
  await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(() => {});
  waited.abort();
}

/** A peer that never comes to an end: a call does, with its key, and lets go of the connection. */
export const endlessAnswers = {
  number: 70,
  title: 'A head that drips, a flood of 100 Continue, a header without end: the call ends',
  async run(t) {
    const OK = 'HTTP/1.1 201 Created\r\n';
    const field = Buffer.from(`a`.repeat(64 * 1024));
    const exchanges = {
      drip: (socket) => {
        socket.write(`${OK}x-drip: `);
        return endless(socket, () => 'a', DRIP_MS);
      },
      fields: (socket) => {
        socket.write(OK);
        return endless(socket, () => 'x-drip: a\r\n', DRIP_MS);
      },
      flood: (socket) => endless(socket, () => 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)),
      header: (socket) => {
        socket.write(`${OK}x-endless: `);
        return endless(socket, () => field);
      },
      chunks: (socket) => {
        socket.write(`${OK}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`);
        return endless(socket, () => '1\r\n \r\n', DRIP_MS);
      },
    };
    for (const [name, raw] of Object.entries(exchanges)) {
      let peer;
      const proxy = await t.proxy(() => ({
        raw: (socket) => {
          peer = socket;
          return raw(socket);
        },
      }));
      const idempotency_key = `${t.name}-${name}`;
      let error;
      // On a busy machine an attempt may be over before its request was made: then a longer one.
      for (const timeout_ms of TIMEOUTS_MS) {
        const options = t.options(proxy.url, { timeout_ms, deadline_ms: 2 * timeout_ms, max_retries: 0 });
        ({ error } = await t.shim.ask('send', { message: t.message(), idempotency_key }, options));
        assert.ok(error, `${name}: a send`);
        if (proxy.seen.requests.length > 0) break;
      }
      assert.match(error.class, /^(?:Timeout|Connection|Protocol)Error$/, name);
      has(error, { outcome_unknown: true, idempotency_key });
      if (DRIPS.includes(name)) assert.equal(error.class, 'TimeoutError', name);
      assert.equal(proxy.seen.requests.length, 1, `${name}: requests`);
      if (name === 'header') {
        let taken = -1;
        // Nothing more is taken once the call has ended.
        for (let polls = 0; polls < POLLS_MAX && taken !== peer.bytesWritten; polls++) {
          taken = peer.bytesWritten;
          await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
        }
        assert.equal(taken, peer.bytesWritten, 'bytes of a head that are still taken');
        assert.ok(taken < HEAD_MAX, `${taken} bytes of a head taken`);
      }
    }
  },
};

/** Faults between a library and the server. */
export const network = [
  {
    number: 37,
    title: 'A certificate by an unknown authority',
    run: (t) => distrusted(t, t.certificates.byStranger),
  },
  {
    number: 38,
    title: 'A certificate for another name',
    run: (t) => distrusted(t, t.certificates.otherName),
  },
  { number: 39, title: 'An expired certificate', run: (t) => distrusted(t, t.certificates.expired) },
  {
    number: 40,
    title: 'ca_file: its authority is believed',
    async run(t) {
      const proxy = await t.proxy(() => undefined, { secure: t.certificates.good });
      const options = t.options(proxy.url, { ca_file: t.certificates.caFile });
      const { result } = await t.ok('send', { message: t.message() }, options);
      has(result, { attempts: 1, replayed: false });
      await t.mails(1);
    },
  },
  {
    number: 41,
    title: 'Through a proxy: CONNECT, then TLS to the server',
    async run(t) {
      const server = await t.proxy(() => undefined, { secure: t.certificates.good });
      const between = await t.proxy();
      const url = `https://localhost:${server.port}`;
      const options = t.options(url, { ca_file: t.certificates.caFile, proxy: between.url });
      await t.ok('send', { message: t.message() }, options);
      assert.deepEqual(between.seen.tunnels, [`localhost:${server.port}`]);
      assert.equal(server.seen.requests.length, 1);
      assert.ok(!JSON.stringify(between.seen.requests[0].headers).includes(t.key), 'the key');
      await t.mails(1);
    },
  },
  {
    number: 42,
    title: 'What would tell the key to anybody is refused before any request',
    async run(t) {
      const proxy = await t.proxy();
      const refused = [
        { base_url: 'http://api.example.com' },
        { base_url: `http://user:secret@127.0.0.1:${proxy.port}` },
        { base_url: `${proxy.url}/?a=1` },
        { base_url: `${proxy.url}/#a` },
        { base_url: proxy.url, api_key: 'acuse_a b' },
        { base_url: proxy.url, api_key: 'acuse_a\nb' },
      ];
      for (const each of refused)
        await t.fails('send', { message: t.message() }, t.options(proxy.url, each), {
          class: 'ConfigurationError',
        });
      assert.equal(proxy.seen.connections, 0, 'connections');
    },
  },
];
