import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeApi } from '../../../src/app/describe-api.ts';
import { API_ERRORS } from '../../../src/errors.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** The server's descriptions of itself: for programs, for people, and for programs that read. */
const document = describeApi();
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  service.call('GET', path, { key: null, headers });
const idsOf = (page: string) => [...page.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1]!);
const linksOf = (page: string) => [...page.matchAll(/\shref="([^"]*)"/g)].map((match) => match[1]!);

test('/openapi.json is the contract, as this process serves it', async () => {
  const answer = await get('/openapi.json');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.body).toEqual(JSON.parse(JSON.stringify(document)));
});

describe('/docs', () => {
  /** Every page that can be reached from the first, by path. */
  const pages = new Map<string, string>();
  beforeAll(async () => {
    const waiting = ['/docs'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const { status, raw } = await get(path);
      expect([path, status]).toEqual([path, 200]);
      pages.set(path, raw.toString());
      for (const link of linksOf(raw.toString())) {
        const [to] = link.split('#');
        if (/^\/docs(?:\/|$)/.test(to!) && !/\.\w+$/.test(to!) && !pages.has(to!) && !waiting.includes(to!))
          waiting.push(to!);
      }
    }
  });

  test('is a page for each group of operations, and for each guide', () => {
    for (const { name } of document.tags)
      expect([...pages.keys()]).toContain(`/docs/api/${name.toLowerCase().replaceAll(' ', '-')}`);
    const guides = ['quick-start', 'webhooks', 'errors', 'limits', 'evidence-format', 'operating'];
    for (const guide of guides) expect([...pages.keys()]).toContain(`/docs/${guide}`);
  });

  test('no page has a script, a style or a frame of its own, or asks another host for anything', () => {
    for (const [path, page] of pages) {
      const own = /<script(?! type="module" src="\/docs\/page\.js">)|<(?:style|iframe|form)\b/i.exec(page);
      expect([path, own?.[0]]).toEqual([path, undefined]);
      const inline = /<[^>]+\s(?:on\w+|style)=|(?:href|src)="javascript:/i.exec(page);
      expect([path, inline?.[0]]).toEqual([path, undefined]);
      const loaded = [...page.matchAll(/<(?:script|link|img)[^>]*\s(?:src|href)="([^"]*)"/g)];
      for (const [, from] of loaded) expect(from, path).toMatch(/^(?:\/docs\/page\.(?:js|css)|data:)/);
    }
  });

  test('the browser is told so', async () => {
    const { headers } = await get('/docs');
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test('every internal link of every page leads to a place that is there', async () => {
    const elsewhere = new Set<string>();
    for (const [path, page] of pages) {
      const ids = idsOf(page);
      expect(new Set(ids).size, path).toBe(ids.length);
      for (const link of linksOf(page)) {
        const [to, id] = link.split('#');
        if (/^(?:https:|data:)/.test(link)) continue;
        const target = to === '' ? page : pages.get(to!);
        if (target === undefined) elsewhere.add(to!);
        else if (id !== undefined) expect(idsOf(target), `${path} → ${link}`).toContain(id);
      }
    }
    for (const path of elsewhere) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  test('no link is inside another, and no Markdown is left', () => {
    for (const [path, page] of pages) {
      expect(page, path).not.toMatch(/<a [^>]*>(?:(?!<\/a>)[\s\S])*<a /);
      const prose = page.replace(/<pre>[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, '');
      expect(prose, path).not.toMatch(/\]\(|&lt;!--|^#{1,4} |\*\*\w/m);
    }
  });

  test('every operation, event, error and schema has a place of its own to link to', () => {
    const ids = (path: string) => idsOf(pages.get(path)!);
    for (const { operationId, tags } of operations)
      expect(ids(`/docs/api/${tags[0]!.toLowerCase().replaceAll(' ', '-')}`)).toContain(operationId);
    expect(ids('/docs/errors')).toEqual(expect.arrayContaining(Object.keys(API_ERRORS)));
    expect(ids('/docs/events')).toEqual(expect.arrayContaining(Object.keys(document.webhooks)));
    expect(ids('/docs/schemas')).toEqual(expect.arrayContaining(Object.keys(document.components.schemas)));
    expect(pages.get('/docs/api/messages')).toContain('curl -sS -X POST &quot;$ACUSE_URL/v1/messages&quot;');
  });

  test('an error says which operations answer it', () => {
    const page = pages.get('/docs/errors')!;
    const part = page.slice(page.indexOf('id="not_certified"'), page.indexOf('id="missing_proof_data"'));
    expect(part).toContain('href="/docs/api/evidence#sealMessage"');
    expect(part).not.toContain('#sendMessage"');
  });

  test('the index of the search leads to every operation, error, event, schema and guide', async () => {
    const { body } = await get('/docs/search.json');
    const entries = body as { href: string; title: string; kind: string; text: string }[];
    for (const { href } of entries) {
      const [path, id] = href.split('#');
      expect(pages.has(path!), href).toBe(true);
      if (id !== undefined) expect(idsOf(pages.get(path!)!), href).toContain(id);
    }
    const titles = (kind: string) => entries.filter((entry) => entry.kind === kind).map(({ title }) => title);
    expect(titles('Operation')).toEqual(expect.arrayContaining(operations.map(({ summary }) => summary)));
    expect(titles('Error').sort()).toEqual(Object.keys(API_ERRORS).sort());
    expect(titles('Event').sort()).toEqual(Object.keys(document.webhooks).sort());
    expect(titles('Schema').sort()).toEqual(Object.keys(document.components.schemas).sort());
    expect(titles('Guide')).toEqual(
      expect.arrayContaining(['Quick start', 'Check the signature', 'Retrying']),
    );
  });

  test('a path without a page is a 404 for people, with the menu', async () => {
    for (const path of ['/docs/nothing', '/docs/api/nothing', '/docs/decisions/9999', '/docs/../docs/x']) {
      const { status, raw, headers } = await get(path);
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8']);
      expect(raw.toString()).toContain('<h1>Page not found</h1>');
      expect(raw.toString()).toContain('href="/docs/quick-start"');
      expect((await get(path, { 'if-none-match': String(headers['etag']) })).status).toBe(404);
    }
  });

  test('a slash at the end changes nothing', async () => {
    for (const path of ['/docs', '/docs/api/messages'])
      expect((await get(`${path}/`)).raw.toString()).toBe(pages.get(path));
  });
});

test('/llms.txt is short, and names every operation and error', async () => {
  const answer = await get('/llms.txt');
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  const text = answer.raw.toString();
  expect(text.length).toBeLessThan(20_000);
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(methods)) expect(text).toContain(`- ${method.toUpperCase()} ${path}: `);
  for (const code of Object.keys(API_ERRORS)) expect(text).toContain(` ${code}: `);
});

test('/llms-full.txt adds errors, limits, webhooks, client libraries and agents', async () => {
  const [short, full] = [await get('/llms.txt'), await get('/llms-full.txt')];
  const text = full.raw.toString();
  expect(text.startsWith(short.raw.toString())).toBe(true);
  for (const title of ['Errors', 'Limits', 'Webhooks', 'Client libraries', 'Agents'])
    expect(text).toContain(`\n# ${title}\n`);
});

/** Zipped, in KiB. */
const SMALL = [
  ['/openapi.json', 64],
  ['/docs', 16],
  ['/docs/api/messages', 24],
  ['/docs/schemas', 32],
  // The text of every page: it grows with them.
  ['/docs/search.json', 96],
  ['/docs/page.js', 16],
  ['/docs/page.css', 8],
  ['/llms.txt', 8],
  ['/llms-full.txt', 40],
] as const;

test.each(SMALL)('%s is sent once, and small', async (path, kib) => {
  const plain = await get(path);
  const etag = String(plain.headers['etag']);
  const again = await get(path, { 'if-none-match': etag });
  expect([again.status, again.raw.length, again.headers['etag']]).toEqual([304, 0, etag]);
  const zipped = await service.http.app.inject({ url: path, headers: { 'accept-encoding': 'gzip, br' } });
  expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(gunzipSync(zipped.rawPayload).equals(plain.raw)).toBe(true);
  expect(zipped.rawPayload.length).toBeLessThan(kib * 1024);
});

test.each([
  [{}, '/docs'],
  [{ 'accept-language': 'de,en;q=0.8,es;q=0.5' }, '/docs'],
  [{ 'accept-language': 'es-MX,es;q=0.9,en;q=0.8' }, '/docs/es'],
])('/ leads to the page in the language of the browser (%j)', async (headers, page) => {
  const answer = await get('/', headers);
  expect([answer.status, answer.headers['location']]).toEqual([302, page]);
  expect(answer.headers['vary']).toBe('Accept-Language');
  expect((await get(page)).status).toBe(200);
});
