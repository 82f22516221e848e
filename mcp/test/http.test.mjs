// Streamable HTTP against those who should not be there, and too many at once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttp, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { McpServer } from '@modelcontextprotocol/server';
import { readConfig } from '../dist/config.js';
import { serveHttp } from '../dist/http.js';
import { createKnown, createPlaces, holdersOf } from '../dist/places.js';
import { ACCOUNT } from './fake.mjs';
import { acuse, ERAS, envOf, live, overHttp } from './support.mjs';

const AUTHORIZATION = 'Bearer acuse_abc_def';
const SERVICE = { ACUSE_URL: 'http://localhost:1' };
const REQUESTS_MAX = 128;
const KEY_REQUESTS_MAX = 64;
const CONNECTIONS_MAX = 512;
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

  /** So many requests are those of several keys. */
  const keyOf = (name, at) => `acuse_${name}_${Math.floor(at / KEY_REQUESTS_MAX)}`;

  /** A request whose body does not come, and the server waits for it; `ended` once the server ends it. */
  async function hold({ url }, at = 0) {
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    const ended = once(socket, 'close');
    socket.on('error', () => {});
    const lines = ['POST /mcp HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${keyOf('abc_def', at)}`];
    socket.write(`${[...lines, 'Content-Length: 10', 'Expect: 100-continue'].join('\r\n')}\r\n\r\n`);
    const [first] = await once(socket, 'data');
    assert.match(first.toString(), /^HTTP\/1\.1 100 /);
    return { socket, ended };
  }

  it('finds a place when bodies that do not come hold all: the oldest is ended', async () => {
    const own = await serveHttp(readConfig(SERVICE), '127.0.0.1:0', () => {});
    const oldest = await hold(own);
    const others = await Promise.all(Array.from({ length: REQUESTS_MAX - 1 }, (_, at) => hold(own, at + 1)));
    assert.notEqual(await statusOfNothing(own), 503);
    await oldest.ended;
    assert.ok(others.every(({ socket }) => !socket.destroyed));
    await own.close();
  });

  /** A body that begins and does not end, from an address of the loopback range. */
  async function beginBody({ url }, localAddress, framing, begin) {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
    const ended = once(socket, 'close');
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (part) => {
      received += part;
    });
    const lines = ['POST /mcp HTTP/1.1', 'Host: localhost', `Authorization: ${AUTHORIZATION}`, framing];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    await Promise.race([new Promise((resolve) => socket.write(begin, resolve)), ended]);
    return { socket, ended, received: () => received };
  }

  it('is ended when its body comes in pieces of a byte', async () => {
    const chunks = `${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`;
    const client = await beginBody(server, '127.0.0.1', 'Transfer-Encoding: chunked', chunks);
    await client.ended;
    assert.equal(client.received(), '');
  });

  it('is ended when its pieces take the memory that others need', async () => {
    const own = await serveHttp(readConfig(SERVICE), '127.0.0.1:0', () => {});
    const piece = `42\r\n${'x'.repeat(66)}\r\n`;
    const begin = piece.repeat(Math.floor((12 * MIB) / 66));
    const many = [];
    for (let at = 0; at < 4; at++)
      many.push(await beginBody(own, '127.0.8.1', 'Transfer-Encoding: chunked', begin));
    await Promise.any(many.map(({ ended }) => ended));
    await own.close();
  });

  it('is ended when it holds the memory that others need', async () => {
    const own = await serveHttp(readConfig(SERVICE), '127.0.0.1:0', () => {});
    const begin = (address) =>
      beginBody(own, address, `Content-Length: ${16 * MIB}`, Buffer.alloc(16 * MIB - 1, 0x20));
    const other = await begin('127.0.9.1');
    const many = [];
    for (let at = 1; at <= 17; at++) many.push(await begin(`127.0.8.${at}`));
    await Promise.any(many.map(({ ended }) => ended));
    assert.ok(!other.socket.destroyed);
    assert.ok(many.filter(({ socket }) => socket.destroyed).length < 6);
    await own.close();
  });

  it('finds a place when silent connections hold all', async () => {
    const own = await serveHttp(readConfig(SERVICE), '127.0.0.1:0', () => {});
    const { port } = new URL(own.url);
    for (let count = 0; count < CONNECTIONS_MAX; count++) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
    }
    assert.notEqual(await statusOfNothing(own), 503);
    await own.close();
  });

  /** A service that answers what `answers` says; `silent`: when it has `left` so many without. */
  async function serviceThat(answers) {
    let left = 0;
    let wake = () => {};
    const service = createHttp((request, response) => {
      if (answers(request)) {
        response.setHeader('content-type', 'application/json');
        return response.end(JSON.stringify(ACCOUNT));
      }
      left++;
      wake();
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    const config = readConfig({ ACUSE_URL: `http://127.0.0.1:${service.address().port}` });
    const own = await serveHttp(config, '127.0.0.1:0', () => {});
    return {
      ...own,
      left: () => left,
      async silent(count) {
        while (left < count)
          await new Promise((resolve) => {
            wake = resolve;
          });
      },
      async close() {
        await own.close();
        service.closeAllConnections();
        service.close();
      },
    };
  }

  /** `ended`: status of the answer; null: there was none. */
  function ask({ url }, key, method = 'tools/list') {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const request = httpRequest(url, { method: 'POST', headers, agent: false });
    const ended = new Promise((resolve) => {
      request.once('error', () => resolve(null));
      request.once('response', (response) => resolve(response.resume().statusCode));
    });
    request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name: 'get_account' } }));
    return { request, ended };
  }

  it('is told to come again when all that is served is at work', async () => {
    // Each connection is of one request: its key is good, and the tool waits.
    const seen = new WeakSet();
    const slow = await serviceThat(({ socket }) => !seen.has(socket) && seen.add(socket));
    const asked = Array.from({ length: REQUESTS_MAX }, (_, at) =>
      ask(slow, keyOf('abc_def', at), 'tools/call'),
    );
    await slow.silent(REQUESTS_MAX);
    const busy = await post(['Host: localhost', `Authorization: ${AUTHORIZATION}`], slow);
    assert.equal(busy.status, 503);
    assert.match(busy.text, /retry-after: 1/i);
    for (const { request } of asked) request.destroy();
    await slow.close();
  });

  it('is told to come again when its key has half of all places, and other keys are served', async () => {
    const isOther = ({ headers }) => headers.authorization === 'Bearer acuse_other_key';
    const seen = new WeakSet();
    const slow = await serviceThat(
      (request) => isOther(request) || (!seen.has(request.socket) && seen.add(request.socket)),
    );
    const asked = Array.from({ length: KEY_REQUESTS_MAX }, () => ask(slow, 'acuse_abc_def', 'tools/call'));
    await slow.silent(KEY_REQUESTS_MAX);
    const busy = await post(['Host: localhost', `Authorization: ${AUTHORIZATION}`], slow);
    assert.equal(busy.status, 429);
    assert.match(busy.text, /retry-after: 1/i);
    assert.equal(await ask(slow, 'acuse_other_key').ended, 200);
    asked.pop().request.destroy();
    // Its end has to be seen first.
    while ((await ask(slow, 'acuse_abc_def').ended) !== 200);
    for (const { request } of asked) request.destroy();
    await slow.close();
  });

  it('begins one at a time of what a connection writes, and is closed if it does not wait', async () => {
    const own = await serviceThat(() => false);
    const { port } = new URL(own.url);
    const head = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Accept: application/json, text/event-stream'];
    const rest = ['Content-Type: application/json', 'Content-Length: 58', '', ''];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    for (const authorization of [[`Authorization: ${AUTHORIZATION}`], []]) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`${[...head, ...authorization, ...rest].join('\r\n')}${body}`.repeat(1_500));
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));
    }
    // Its own request comes after all that were begun.
    const last = ask(own, 'acuse_abc_def');
    await own.silent(1);
    assert.ok(own.left() <= 2);
    last.request.destroy();
    await own.close();
  });

  it('finds a place when keys that nobody knows hold all, and keeps it if its key was good before', async () => {
    const isGood = ({ headers }) => headers.authorization === 'Bearer acuse_good_key';
    let isSilent = false;
    const own = await serviceThat((request) => isGood(request) && !isSilent);
    const strangers = Array.from({ length: REQUESTS_MAX }, (_, at) => ask(own, keyOf('made_up', at)));
    await own.silent(REQUESTS_MAX);
    assert.equal(await ask(own, 'acuse_good_key').ended, 200);
    isSilent = true;
    const known = ask(own, 'acuse_good_key');
    await own.silent(REQUESTS_MAX + 1);
    const more = Array.from({ length: REQUESTS_MAX }, (_, at) => ask(own, keyOf('made_up', at)));
    await Promise.all(strangers.map(async ({ ended }) => assert.equal(await ended, null)));
    assert.equal(known.request.destroyed, false);
    for (const { request } of [...more, known]) request.destroy();
    await own.close();
  });

  /** Over a connection of its own. */
  async function statusOfNothing({ url }) {
    const options = { method: 'POST', agent: false, headers: { authorization: AUTHORIZATION } };
    const [response] = await once(httpRequest(url, options).end('x'), 'response');
    response.resume();
    return response.statusCode;
  }

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

describe('places', () => {
  const place = (network, waits = true) => {
    const made = { holders: network.split(' '), gone: false, waits: () => waits };
    made.giveUp = () => {
      made.gone = true;
    };
    return made;
  };
  it('are given up by the largest network, its oldest first, and never by what is at work', () => {
    const places = createPlaces(4);
    const [busy, first, second, other] = [place('a', false), place('a'), place('a'), place('b')];
    for (const each of [other, busy, first, second]) assert.ok(places.take(each));
    assert.ok(places.take(place('c')));
    assert.deepEqual([busy.gone, first.gone, second.gone, other.gone], [false, true, false, false]);
    const full = createPlaces(1);
    assert.ok(full.take(busy));
    assert.ok(!full.take(place('b')));
    full.leave(busy);
    assert.ok(full.take(place('b')));
  });
  it('are given up by the largest site, however many networks it has', () => {
    const places = createPlaces(4);
    const [alone, ...others] = ['b b1 b11', 'a a1 a11', 'a a2 a21', 'a a2 a22'].map((each) => place(each));
    for (const each of [alone, ...others]) assert.ok(places.take(each));
    assert.ok(places.take(place('c c1 c11')));
    assert.deepEqual(
      [alone, ...others].map(({ gone }) => gone),
      [false, false, true, false],
    );
  });
  it('know keys by their last use', () => {
    const known = createKnown(2);
    for (const key of ['a', 'b', 'a', 'c']) known.add(key);
    assert.deepEqual(['a', 'b', 'c'].map(known.has), [true, false, true]);
    known.forget('a');
    assert.ok(!known.has('a'));
  });
  it('count an address by its networks', () => {
    for (const [address, ...holders] of [
      ['192.0.2.7', '192.0.2.0/24', '192.0.2.7'],
      ['::ffff:192.0.2.7', '192.0.2.0/24', '192.0.2.7'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48', '2001:db8:1:0000::/56', '2001:db8:1:2::/64'],
      ['2001:db8:1:ab02::6', '2001:db8:1::/48', '2001:db8:1:ab00::/56', '2001:db8:1:ab02::/64'],
      ['2001:db8::6', '2001:db8:0::/48', '2001:db8:0:0000::/56', '2001:db8:0:0::/64'],
      ['::1', '0:0:0::/48', '0:0:0:0000::/56', '0:0:0:0::/64'],
    ])
      assert.deepEqual(holdersOf(address), holders);
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
    const { registerTool } = McpServer.prototype;
    let made = 0;
    McpServer.prototype.registerTool = function register(...tool) {
      made++;
      return registerTool.apply(this, tool);
    };
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
    assert.equal(made, 0);
    McpServer.prototype.registerTool = registerTool;
    for (const era of ERAS)
      await assert.rejects(
        overHttp({ era, address: http.url, apiKey: 'acuse_nobody_nothing' }),
        /does not know|HTTP 401/,
      );
    await http.close();
  });
});
