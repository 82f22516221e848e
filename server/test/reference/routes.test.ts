import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeApi } from '../../src/app/describe-api.ts';
import { API_ERRORS } from '../../src/errors.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** What the server says about itself: to programs, to people, and to programs that read. */
const document = describeApi();
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  service.call('GET', path, { key: null, headers });

test('/openapi.json is the contract, as this process serves it', async () => {
  const answer = await get('/openapi.json');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.body).toEqual(JSON.parse(JSON.stringify(document)));
});

describe('/docs', () => {
  test('is one page without scripts, forms or other hosts, and says so to the browser', async () => {
    const answer = await get('/docs');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const page = answer.raw.toString();
    expect(page).not.toMatch(/<script|<iframe|<form|\son\w+=|javascript:/i);
    const linked = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1]!);
    for (const link of linked) expect(link).toMatch(/^(#[\w.-]+|\/openapi\.json|\/llms\.txt|data:,)$/);
    expect(answer.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'unsafe-inline'/,
    );
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  test('has every operation, event, error and schema, each with a place of its own to link to', async () => {
    const page = (await get('/docs')).raw.toString();
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1]!);
    expect(new Set(ids).size).toBe(ids.length);
    for (const link of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(link[1]);
    for (const { operationId } of operations) expect(ids).toContain(operationId);
    for (const type of Object.keys(document.webhooks)) expect(ids).toContain(type);
    for (const name of Object.keys(document.components.schemas)) expect(ids).toContain(`schema-${name}`);
    for (const code of Object.keys(API_ERRORS)) expect(page).toContain(`<code>${code}</code>`);
    expect(page).toContain('curl -sS -X POST &quot;$ACUSE_URL/v1/messages&quot;');
  });
});

test('/llms.txt is short, and names every operation and error', async () => {
  const answer = await get('/llms.txt');
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  const text = answer.raw.toString();
  expect(text.length).toBeLessThan(16_000);
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(methods)) expect(text).toContain(`- ${method.toUpperCase()} ${path}: `);
  for (const code of Object.keys(API_ERRORS)) expect(text).toContain(` ${code}: `);
});

test.each(['/openapi.json', '/docs', '/llms.txt'])('%s is sent once, and small', async (path) => {
  const plain = await get(path);
  const etag = String(plain.headers['etag']);
  const again = await get(path, { 'if-none-match': etag });
  expect([again.status, again.raw.length, again.headers['etag']]).toEqual([304, 0, etag]);
  const zipped = await service.http.app.inject({ url: path, headers: { 'accept-encoding': 'gzip, br' } });
  expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(gunzipSync(zipped.rawPayload).equals(plain.raw)).toBe(true);
  expect(zipped.rawPayload.length).toBeLessThan(64 * 1024);
});

test('/ leads to the page', async () => {
  const answer = await get('/');
  expect([answer.status, answer.headers['location']]).toEqual([302, '/docs']);
});
