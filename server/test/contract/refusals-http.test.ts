import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { countRows, GOOD, refuses } from './refusals.ts';

let service: TestService;
let port: number;
beforeAll(async () => {
  service = await startTestService();
  await service.http.app.listen({ host: '127.0.0.1', port: 0 });
  port = (service.http.app.server.address() as { port: number }).port;
});
afterAll(() => service?.stop());

const typed = (type: string) => ({ 'content-type': type });

describe('JSON', () => {
  const bodies: Record<string, string | Uint8Array> = {
    'an unclosed object': '{',
    'a trailing comma': '{"from":"a@sandbox.test",}',
    'single quotes': "{'from':'a'}",
    'a comment': '{"from":"a" /* me */}',
    'two documents': '{}{}',
    'a raw line break in a string': '{"text":"a\nb"}',
    NaN: '{"certified":NaN}',
    'an infinite nesting': '['.repeat(100_000),
    'bytes that are not UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    'UTF-16': Buffer.from('\ufeff{"from":"a"}', 'utf16le'),
    'an overlong encoding': Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
    'a surrogate in UTF-8': Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  };
  const paths = ['/v1/messages/batch', '/v1/templates', '/v1/verify', '/v1/webhooks', '/v1/api-keys'];
  refuses(
    () => service,
    Object.entries(bodies).flatMap(([name, body]) => [
      { name: `send: ${name}`, body, code: 'invalid_body' as const, says: 'The body is not valid' },
      ...paths.map((path) => ({
        name: `${path}: ${name}`,
        path,
        body,
        code: 'invalid_body' as const,
        says: 'The body is not valid',
      })),
    ]),
  );
  refuses(
    () => service,
    [
      { name: 'no body at all', body: '', code: 'invalid_body' },
      ...paths.map((path) => ({
        name: `${path}: no body`,
        path,
        code: 'invalid_body' as const,
        says: path.endsWith('batch') ? 'Send {"messages"' : 'The body must be an object',
      })),
      {
        name: 'a body where none is taken',
        path: '/v1/domains/x/verify',
        body: { force: true },
        code: 'invalid_body',
        says: 'force is not a field',
      },
      {
        name: 'an array where no body is taken',
        method: 'DELETE',
        path: '/v1/templates/x',
        body: [],
        code: 'invalid_body',
        says: 'takes no body',
      },
    ],
  );
});

describe('media types', () => {
  const types = [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/vnd.api+json',
    'application/json-patch+json',
    'json',
    ' ',
    'application/json; charset=iso-8859-1',
    'application/json; charset="utf-16"',
    'message/rfc822x',
    'message/partial',
  ];
  refuses(
    () => service,
    [
      ...types.map((type) => ({
        name: `send: ${JSON.stringify(type)}`,
        body: JSON.stringify(GOOD),
        headers: typed(type),
        code: 'unsupported_media_type' as const,
      })),
      ...types.map((type) => ({
        name: `batch: ${JSON.stringify(type)}`,
        path: '/v1/messages/batch',
        body: '{}',
        headers: typed(type),
        code: 'unsupported_media_type' as const,
      })),
      {
        name: 'message/rfc822 elsewhere than on a send',
        path: '/v1/messages/batch',
        body: 'x',
        headers: typed('message/rfc822'),
        code: 'unsupported_media_type',
      },
      {
        name: 'a send without Content-Type',
        body: undefined,
        code: 'unsupported_media_type',
        says: 'application/json or message/rfc822',
      },
      {
        name: 'Content-Encoding gzip',
        body: JSON.stringify(GOOD),
        headers: { 'content-encoding': 'gzip' },
        code: 'unsupported_media_type',
        says: 'Content-Encoding',
      },
      {
        name: 'Content-Encoding br',
        path: '/v1/templates',
        body: '{}',
        headers: { 'content-encoding': 'br' },
        code: 'unsupported_media_type',
        says: 'Content-Encoding',
      },
    ],
  );

  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=us-ascii',
  ])('%s is taken', async (type) => {
    const answer = await service.call('POST', '/v1/messages', {
      body: JSON.stringify(GOOD),
      headers: { ...typed(type), 'idempotency-key': newKey() },
    });
    expect(answer.status).toBe(201);
  });
});

describe('sizes', () => {
  const MiB = 1024 * 1024;
  test.each([
    ['/v1/messages', 36 * MiB],
    ['/v1/messages/batch', 64 * MiB],
    ['/v1/templates', 4 * MiB],
    ['/v1/webhooks', MiB],
    ['/v1/verify', MiB],
  ])('%s takes %i bytes and refuses one more, before it is read', async (path, limit) => {
    const before = await countRows(service.db);
    // Only the head is sent: an answer proves that nobody waited for the body.
    const answer = await headOnly(path, {
      'content-type': 'application/json',
      'content-length': String(limit + 1),
    });
    expect([answer.status, answer.body.error.code]).toEqual([413, 'payload_too_large']);
    expect(answer.body.error.message).toContain(String(limit));
    expect(await countRows(service.db)).toEqual(before);
    const whole = await service.call('POST', path, {
      body: Buffer.alloc(limit, ' '),
      headers: { 'idempotency-key': newKey() },
    });
    expect(whole.body.error.code).toBe('invalid_body');
  });

  test('a body without a length is refused once it is too large', async () => {
    const { status, body } = await new Promise<{ status: number; body: { error: { code: string } } }>(
      (resolve, reject) => {
        const request = httpRequest({
          port,
          method: 'POST',
          path: '/v1/templates',
          headers: { authorization: `Bearer ${service.account.apiKey}`, 'content-type': 'application/json' },
        });
        request.on('response', (response) => {
          let text = '';
          response
            .on('data', (chunk) => (text += chunk))
            .on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text) }));
        });
        request.on('error', (error: NodeJS.ErrnoException) =>
          error.code === 'EPIPE' || error.code === 'ECONNRESET' ? undefined : reject(error),
        );
        const chunk = Buffer.alloc(256 * 1024, ' ');
        for (let sent = 0; sent <= 4 * MiB; sent += chunk.length) request.write(chunk);
        request.end();
      },
    );
    expect([status, body.error.code]).toEqual([413, 'payload_too_large']);
  });
});

describe('paths and methods', () => {
  test.each([
    ['PUT', '/v1/messages', 'GET, HEAD, OPTIONS, POST'],
    ['DELETE', '/v1/messages', 'GET, HEAD, OPTIONS, POST'],
    ['GET', '/v1/verify', 'OPTIONS, POST'],
    ['POST', '/v1/account', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/v1/api-keys/x', 'DELETE, OPTIONS'],
    ['PUT', '/v1/webhooks/x', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['POST', '/log/checkpoint', 'GET, HEAD, OPTIONS'],
    ['GET', '/v1', null],
    ['GET', '/v2/messages', null],
    ['GET', '/v1/portal/me', null],
    ['POST', '/v1/Messages', null],
    ['GET', '/v1/messages/x/y/z', null],
    ['GET', '/v1/messages/%zz/events', null],
    ['GET', '/.env', null],
  ])('%s %s', async (method, path, allow) => {
    const answers = await Promise.all([
      service.call(method, path),
      service.call(method, path, { key: null }),
      service.call(method, path, { body: '{', headers: typed('text/plain') }),
    ]);
    for (const answer of answers) {
      if (allow === null) {
        expect([answer.status, answer.body]).toEqual([
          404,
          { error: { code: 'not_found', message: expect.any(String) } },
        ]);
      } else {
        expect([answer.status, answer.body]).toEqual([
          405,
          { error: { code: 'method_not_allowed', message: `This path supports ${allow}.` } },
        ]);
        expect(answer.headers['allow']).toBe(allow);
      }
      expect(answer.headers['request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('what is no HTTP', () => {
  test.each([
    ['a request line of nonsense', 'NONSENSE\r\n\r\n'],
    ['a header without a colon', 'GET /v1/account HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n'],
    [
      'both lengths',
      'POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
    ],
    ['headers of 64 KiB', `GET /v1/account HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(65_536)}\r\n\r\n`],
  ])('%s', async (_name, text) => {
    const answer = await raw(text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/\r\nRequest-Id: [0-9a-f-]{36}\r\n/);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      error: { code: 'invalid_parameter', message: expect.any(String) },
    });
  });
});

/** Sends the head of a request and never the body. */
function headOnly(path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; body: { error: { code: string; message: string } } }>(
    (resolve, reject) => {
      const request = httpRequest({
        port,
        method: 'POST',
        path,
        headers: { authorization: `Bearer ${service.account.apiKey}`, ...headers },
      });
      request.on('response', (response) => {
        let text = '';
        response
          .on('data', (chunk) => (text += chunk))
          .on('end', () => {
            resolve({ status: response.statusCode!, body: JSON.parse(text) });
            request.destroy();
          });
      });
      request.on('error', reject);
      request.flushHeaders();
    },
  );
}

function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket
      .on('data', (chunk) => (answer += chunk))
      .on('end', () => resolve(answer))
      .on('error', reject);
  });
}
