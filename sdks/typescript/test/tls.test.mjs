// TLS and proxies: certificates that must be refused, a CA of one's own, CONNECT.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Acuse, ConnectionError } from '@acuse/client';
import { MESSAGE } from './support/scripted.mjs';

const folder = mkdtempSync(join(tmpdir(), 'acuse-tls-'));
const at = (name) => join(folder, name);
const openssl = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

function certificate(name, host, days = '2') {
  openssl(
    'req',
    ...key,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.csr`,
    '-subj',
    `/CN=${host}`,
    '-addext',
    `subjectAltName=DNS:${host}`,
  );
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-copy_extensions',
    'copy',
    '-days',
    days,
    '-out',
    `${name}.pem`,
  );
}

let connections = 0;
const servers = [];

/** A server with the certificate `name`; its address under localhost. */
async function serve(name) {
  const options = { key: readFileSync(at(`${name}.key`)), cert: readFileSync(at(`${name}.pem`)) };
  const server = https.createServer(options, (_, response) => response.end(JSON.stringify(MESSAGE)));
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return `https://localhost:${server.address().port}`;
}

const client = (options) => new Acuse({ apiKey: 'acuse_test_canary', sleep: async () => {}, ...options });

describe('TLS', () => {
  before(() => {
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-subj',
      '/CN=Test CA',
      '-days',
      '2',
    );
    certificate('good', 'localhost');
    certificate('other', 'elsewhere.example');
  });
  after(() => {
    for (const server of servers) {
      server.closeAllConnections?.();
      server.close();
    }
    rmSync(folder, { recursive: true });
  });

  for (const [what, name, trusts] of [
    ['an unknown CA', 'good', false],
    ['another name', 'other', true],
  ])
    it(`${what}: one connection, and never an answer`, async () => {
      const baseUrl = await serve(name);
      connections = 0;
      const acuse = client({ baseUrl, ...(trusts && { caFile: at('ca.pem') }) });
      const error = await acuse.messages
        .send({ from: 'a@b.example', to: 'c@d.example' })
        .catch((each) => each);
      assert.ok(error instanceof ConnectionError);
      assert.deepEqual(
        [error.phase, error.outcomeUnknown, error.attempts, connections],
        ['tls', false, 1, 1],
      );
    });

  it('an expired certificate: the same', async () => {
    certificate('old', 'localhost', '-1');
    const baseUrl = await serve('old');
    const error = await client({ baseUrl, caFile: at('ca.pem') })
      .messages.get('1')
      .catch((each) => each);
    assert.deepEqual([error.phase, error.attempts], ['tls', 1]);
  });

  it("a CA of one's own is trusted", async () => {
    const acuse = client({ baseUrl: await serve('good'), caFile: at('ca.pem') });
    assert.equal((await acuse.messages.get('1')).id, MESSAGE.id);
    acuse.close();
  });

  it('a proxy is asked to CONNECT, with its credentials, and sees no key', async () => {
    const baseUrl = await serve('good');
    const seen = [];
    const proxy = http.createServer();
    proxy.on('connect', (request, socket) => {
      seen.push([request.url, request.headers['proxy-authorization'], JSON.stringify(request.headers)]);
      const upstream = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      for (const each of [socket, upstream]) each.on('error', () => {});
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    servers.push(proxy);
    const address = `http://me:secret@127.0.0.1:${proxy.address().port}`;
    const acuse = client({ baseUrl, caFile: at('ca.pem'), proxy: address });
    await acuse.messages.get('1');
    await acuse.messages.get('2');
    assert.equal(seen.length, 1);
    assert.equal(seen[0][0], new URL(baseUrl).host);
    assert.equal(seen[0][1], `Basic ${btoa('me:secret')}`);
    assert.doesNotMatch(seen[0][2], /canary/);
    const distrusting = client({ baseUrl, proxy: address });
    const error = await distrusting.messages.get('1').catch((each) => each);
    assert.deepEqual([error.phase, error.attempts], ['tls', 1]);
    acuse.close();
    distrusting.close();
  });

  it('a proxy that is not there or refuses is no connection', async () => {
    const refusing = http.createServer();
    refusing.on('connect', (_, socket) => socket.end('HTTP/1.1 403 No\r\n\r\n'));
    refusing.listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    servers.push(refusing);
    for (const port of [1, refusing.address().port]) {
      const acuse = client({ baseUrl: 'https://localhost:1', proxy: `http://127.0.0.1:${port}` });
      const error = await acuse.messages.get('1').catch((each) => each);
      assert.deepEqual([error.phase, error.attempts], ['connect', 4]);
    }
  });
});
