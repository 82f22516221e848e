import assert from 'node:assert/strict';
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

/** What lies between a library and the server. */
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
