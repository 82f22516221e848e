// Streamable HTTP against those who should not be there, and too many at once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../dist/config.js';
import { serveHttp } from '../dist/http.js';
import { acuse, ERAS, envOf, live, overHttp } from './support.mjs';

const AUTHORIZATION = 'Bearer acuse_abc_def';
const SERVICE = { ACUSE_URL: 'http://localhost:1' };
const REQUESTS_MAX = 128;
const MIB = 2 ** 20;

let server;
let named;
before(async () => {
  const hosts = { ACUSE_MCP_HOSTS: 'mcp.example.com' };
  server = await serveHttp(readConfig(SERVICE), '127.0.0.1:0', () => {});
  named = await serveHttp(readConfig({ ...SERVICE, ...hosts }), '127.0.0.1:0', () => {});
});
after(async () => {
  await server.close();
  await named.close();
});

/** Status and text of the answer to a request whose lines are as given; nothing follows the headers. */
async function raw(lines, { url } = server) {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.setEncoding('utf8');
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  // The server ends it: not a byte of a body was sent, or wanted.
  await once(socket, 'close');
  return { status: Number(text.split(' ')[1]), text };
}
const post = (headers, options) => raw(['POST /mcp HTTP/1.1', ...headers, 'Content-Length: 1000'], options);

describe('a request over HTTP', () => {
  it('names a host of this machine, or one that was allowed', async () => {
    for (const host of [
      'evil.example',
      'evil.example:8026',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'evil.example#localhost',
      'evil.example?localhost',
      'localhost,evil.example',
      '0.0.0.0',
      '[::]',
      '169.254.169.254',
      'mcp.example.com',
      '',
    ])
      assert.equal((await post([`Host: ${host}`, `Authorization: ${AUTHORIZATION}`])).status, 403, host);
    for (const host of ['evil.example', 'x.mcp.example.com', 'mcp.example.com.evil.example'])
      assert.equal(
        (await post([`Host: ${host}`, `Authorization: ${AUTHORIZATION}`], named)).status,
        403,
        host,
      );
    for (const host of ['localhost', '127.0.0.1:1', '[::1]:8026', 'mcp.example.com'])
      assert.equal((await post([`Host: ${host}`], named)).status, 401, host);
    const two = ['Host: localhost', 'Host: evil.example', `Authorization: ${AUTHORIZATION}`];
    assert.match(String((await post(two)).status), /^40[03]$/);
    assert.equal((await post([`Authorization: ${AUTHORIZATION}`])).status, 400);
  });

  it('does not come from a page of somebody else', async () => {
    for (const origin of [
      'null',
      'https://evil.example',
      'http://localhost.evil.example',
      'http://127.0.0.1.evil.example',
      'https://evil.example/localhost',
      'https://mcp.example.com',
      'file://',
      'localhost',
    ]) {
      const { status, text } = await post([
        'Host: localhost',
        `Origin: ${origin}`,
        `Authorization: ${AUTHORIZATION}`,
      ]);
      assert.equal(status, 403, origin);
      assert.ok(!/access-control/i.test(text));
    }
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'https://mcp.example.com'])
      assert.equal((await post(['Host: localhost', `Origin: ${origin}`], named)).status, 401, origin);
  });

  it('brings an API key of its own', async () => {
    for (const value of [
      undefined,
      '',
      'Bearer',
      'Bearer x',
      'Basic YWN1c2U6eA==',
      'bearer acuse_abc_def',
      'Bearer acuse_abc def',
      'Bearer acuse_abc, Bearer acuse_def',
      `Bearer acuse_${'x'.repeat(300)}`,
    ]) {
      const headers = value === undefined ? [] : [`Authorization: ${value}`];
      const { status, text } = await post(['Host: localhost', ...headers]);
      assert.equal(status, 401, value);
      assert.match(text, /www-authenticate: Bearer/i);
      assert.ok(!text.includes('acuse_abc'));
    }
  });

  it('asks for /mcp and nothing else', async () => {
    for (const path of ['/', '/mcp/', '/mcp?x=1', '/mcp/../mcp', '//mcp', 'http://evil.example/mcp', '*']) {
      const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', `Authorization: ${AUTHORIZATION}`];
      assert.equal((await raw([...lines, 'Content-Length: 1000'])).status, 404, path);
    }
  });

  it('has bounded headers and a bounded body, announced or not', async () => {
    const headers = ['Host: localhost', `Authorization: ${AUTHORIZATION}`];
    assert.equal((await raw(['POST /mcp HTTP/1.1', ...headers, `X: ${'x'.repeat(20_000)}`])).status, 431);
    const long = await raw(['POST /mcp HTTP/1.1', ...headers, `Content-Length: ${16 * MIB + 1}`]);
    assert.equal(long.status, 413);
    const request = httpRequest(server.url, { method: 'POST', headers: { authorization: AUTHORIZATION } });
    // It may end while we still write.
    request.on('error', () => {});
    const answered = once(request, 'response');
    for (let part = 0; part <= 17 && !request.destroyed; part++) request.write(Buffer.alloc(MIB, 0x20));
    request.end();
    const [response] = await answered;
    assert.equal(response.statusCode, 413);
    response.resume();
    request.destroy();
  });

  it('waits for nobody when too many are served', async () => {
    const { port } = new URL(server.url);
    const lines = [
      'POST /mcp HTTP/1.1',
      'Host: localhost',
      `Authorization: ${AUTHORIZATION}`,
      'Content-Length: 10',
    ];
    const sockets = await Promise.all(
      Array.from({ length: REQUESTS_MAX }, async () => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => {});
        socket.write(`${[...lines, 'Expect: 100-continue'].join('\r\n')}\r\n\r\n`);
        const [first] = await once(socket, 'data');
        assert.match(first.toString(), /^HTTP\/1\.1 100 /);
        return socket;
      }),
    );
    const busy = await raw(lines);
    assert.equal(busy.status, 503);
    assert.match(busy.text, /retry-after: 1/i);
    for (const socket of sockets) socket.destroy();
    // As soon as the server has noticed that they are gone.
    for (let tries = 0; (await statusOfNothing()) === 503; tries++) {
      assert.ok(tries < 1000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  const statusOfNothing = async () =>
    (await fetch(server.url, { method: 'POST', body: 'x', headers: { authorization: AUTHORIZATION } }))
      .status;

  it('is refused beyond this machine unless hosts are named', async () => {
    for (const address of ['0.0.0.0:0', '[::]:0', '192.0.2.1:0', 'example.com:0'])
      await assert.rejects(
        serveHttp(readConfig(SERVICE), address, () => {}),
        /ACUSE_MCP_HOSTS/,
      );
    for (const address of ['8026', ':8026', '127.0.0.1', '127.0.0.1:99999', '127.0.0.1:x', ''])
      await assert.rejects(
        serveHttp(readConfig(SERVICE), address, () => {}),
        /host:port/,
      );
  });
});

describe('Streamable HTTP', live, () => {
  it('has no sessions, and mixes no keys', async () => {
    const http = await serveHttp(readConfig(envOf()), '127.0.0.1:0', () => {});
    const { key } = await acuse().apiKeys.create({ name: 'reads over HTTP', scopes: ['evidence:read'] });
    const opened = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        overHttp({ era: ERAS[at % 2], address: http.url, ...(at % 3 === 0 && { apiKey: key }) }),
      ),
    );
    const listed = await Promise.all(opened.map(({ client }) => client.listTools()));
    for (const [at, { tools }] of listed.entries())
      assert.equal(
        tools.some(({ name }) => name === 'send_message'),
        at % 3 !== 0,
      );
    for (const method of ['GET', 'DELETE']) {
      const headers = { authorization: AUTHORIZATION, 'mcp-session-id': 'x', accept: 'text/event-stream' };
      assert.equal((await fetch(http.url, { method, headers })).status, 405);
    }
    await Promise.all(opened.map(({ close }) => close()));
    await http.close();
  });

  it('answers a key that the service does not know with 401, whatever it asks', async () => {
    const http = await serveHttp(readConfig(envOf()), '127.0.0.1:0', () => {});
    for (const method of ['initialize', 'tools/list', 'tools/call', 'server/discover']) {
      const answer = await fetch(http.url, {
        method: 'POST',
        headers: {
          authorization: 'Bearer acuse_nobody_nothing',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name: 'get_account' } }),
      });
      assert.equal(answer.status, 401, method);
      assert.match(answer.headers.get('www-authenticate'), /^Bearer realm="acuse", error="invalid_token"$/);
      assert.match((await answer.json()).error.message, /does not know|HTTP 401/);
    }
    for (const era of ERAS)
      await assert.rejects(
        overHttp({ era, address: http.url, apiKey: 'acuse_nobody_nothing' }),
        /does not know|HTTP 401/,
      );
    await http.close();
  });
});
