import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readId } from '../../src/platform/ids.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { makeTenant } from '../support/tenants.ts';
import { OPERATIONS } from './conform.ts';
import { createTemplateFixture } from './fixtures.ts';
import { countRows, GOOD } from './refusals.ts';

/** The content of a URL: its parameters, cursors and ids, a slash at its end, and the methods of its path. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

const ID = '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11';
const urlOf = (path: string) =>
  path
    .replace('{path}', '0/000')
    .replace('{tree_size}', '1')
    .replaceAll(/\{\w+\}/g, ID);

describe('a query parameter that the operation does not have', () => {
  test.each(OPERATIONS)('$method $path', async ({ method, path, operation }) => {
    const before = await countRows(service.db);
    const known = (operation.parameters ?? []).filter((it) => it.in === 'query').map(({ name }) => name);
    for (const name of ['colour', '__proto__', 'constructor', 'limit[]', '%22', 'colour&colour', '=x']) {
      const answer = await service.call(method, `${urlOf(path)}?${name}=1`, {
        ...(method !== 'GET' && { body: GOOD }),
        headers: { 'idempotency-key': newKey(), ...(path === '/tsa' && TIME_STAMP_QUERY) },
      });
      expect([name, answer.status, answer.body.error?.code]).toEqual([name, 400, 'invalid_parameter']);
      const { message } = answer.body.error;
      expect(message).toContain(`${method} ${path.replace('{path}', '*')}`);
      for (const each of known) expect(message).toContain(each);
      if (known.length === 0) expect(message).toContain('takes no query parameters: remove "');
    }
    expect(await countRows(service.db)).toEqual(before);
  });
  const TIME_STAMP_QUERY = { 'content-type': 'application/timestamp-query' };

  test('that is a field of the body is said to belong there, and nothing is sent', async () => {
    const answer = await service.call('POST', '/v1/messages?certified=false', {
      body: GOOD,
      headers: { 'idempotency-key': 'in the wrong place' },
    });
    expect([answer.status, answer.body.error]).toEqual([
      400,
      {
        code: 'invalid_parameter',
        message: 'POST /v1/messages takes no query parameters: remove "certified", and send it in the body.',
      },
    ]);
    // The key is still free.
    expect((await service.send({}, { headers: { 'idempotency-key': 'in the wrong place' } })).status).toBe(
      201,
    );
  });

  test('and is near to one that it has: that one is named', async () => {
    const { body } = await service.call('GET', '/v1/messages?statu=sent');
    expect(body.error.message).toMatch(
      /^"statu" is not a query parameter of GET \/v1\/messages, .*Did you mean status\?$/,
    );
  });

  test('comes after the key, and a long one is cut', async () => {
    expect((await service.call('GET', '/v1/account?x=1', { key: null })).status).toBe(401);
    const { body } = await service.call('GET', `/v1/account?${'x'.repeat(4_000)}=1`);
    expect(body.error.message.length).toBeLessThan(200);
  });

  test('is nothing to pages for people: links to them carry marks', async () => {
    for (const page of ['/docs', '/verify', '/openapi.json', '/llms.txt'])
      expect((await service.call('GET', `${page}?utm_source=mail`, { key: null })).status).toBe(200);
  });
});

describe('a cursor', () => {
  let key: string;
  let lists: string[];
  beforeAll(async () => {
    ({ key } = await makeTenant(service));
    const templates = createTemplateFixture(() => service);
    for (let at = 0; at < 3; at++) {
      await templates.template({ subject: 'S', text: 'T' }, key);
      await service.call('POST', '/v1/suppressions', { body: { address: `n${at}@example.net` }, key });
      await service.call('POST', '/v1/domains', { body: { name: `cursor-${at}.example.com` }, key });
    }
    lists = ['/v1/templates', '/v1/suppressions', '/v1/domains'];
  });

  const page = (list: string) => service.call('GET', list, { key });

  test('continues its own list, whatever the limit', async () => {
    for (const list of lists) {
      const all = (await page(list)).body.data.map(({ id }: { id: string }) => id);
      const first = (await page(`${list}?limit=1`)).body;
      const rest = (await page(`${list}?limit=2&after=${first.next_cursor}`)).body;
      expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(all);
      expect(rest.next_cursor).toBeNull();
    }
  });

  test('of another list is refused', async () => {
    for (const list of lists) {
      const { next_cursor: cursor } = (await page(`${list}?limit=1`)).body;
      for (const other of lists.filter((it) => it !== list).concat(`/v1/messages/${ID}/events`)) {
        const answer = await page(`${other}?after=${cursor}`);
        expect([answer.status, answer.body.error]).toEqual([
          400,
          { code: 'invalid_parameter', message: expect.stringContaining('cursor of another list') },
        ]);
      }
    }
  });

  test('of other filters is refused', async () => {
    const { next_cursor: cursor } = (await page('/v1/suppressions?limit=1')).body;
    const answer = await page(`/v1/suppressions?address=n0@example.net&after=${cursor}`);
    expect(answer.body.error.message).toContain('of other filters');
  });

  test('of which a character is changed, added or taken is refused', async () => {
    const { next_cursor: cursor } = (await page('/v1/templates?limit=1')).body as { next_cursor: string };
    const changed = [...cursor].map(
      (char, at) => cursor.slice(0, at) + (char === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
    );
    for (const bad of [...changed, `${cursor}A`, cursor.slice(1), cursor.slice(0, -1), `${cursor}=`]) {
      const answer = await page(`/v1/templates?after=${bad}`);
      // A changed id is a place in the list as good as any: the mark protects from mistakes alone.
      expect([bad, [200, 400].includes(answer.status)]).toEqual([bad, true]);
      if (bad.length !== cursor.length) expect([bad, answer.status]).toEqual([bad, 400]);
    }
  });
});

describe('an id in upper case', () => {
  test('is the same id, in every path', async () => {
    const sent = await service.send();
    const upper = sent.body.id.toUpperCase();
    for (const path of ['', '/events', '/attempts', '/raw', '/reports'])
      expect((await service.call('GET', `/v1/messages/${upper}${path}`)).status, path).toBe(200);
    const { body: webhook } = await service.call('POST', '/v1/webhooks', {
      body: { url: 'https://example.com/hooks', events: ['*'] },
    });
    if (webhook.id !== undefined)
      expect((await service.call('GET', `/v1/webhooks/${webhook.id.toUpperCase()}/deliveries`)).status).toBe(
        200,
      );
  });

  test('is the same id in a body, and the same request', async () => {
    const templateId = await createTemplateFixture(() => service).template({ subject: 'S', text: 'T' });
    const template = (id: string) => ({ subject: undefined, text: undefined, template_id: id });
    const key = newKey();
    const made = await service.send(template(templateId.toUpperCase()), {
      headers: { 'idempotency-key': key },
    });
    expect([made.status, made.body.template_id]).toEqual([201, templateId]);
    const again = await service.send(template(templateId), { headers: { 'idempotency-key': key } });
    expect([again.status, again.body.id]).toEqual([200, made.body.id]);
    const { body } = await service.call('POST', '/v1/verify', {
      body: { message_id: made.body.id.toUpperCase() },
    });
    expect(body.error.code).toBe('missing_proof_data');
  });

  test('readId takes one in any case, and nothing else', () => {
    expect(readId(ID.toUpperCase())).toBe(ID);
    expect(readId(ID)).toBe(ID);
    for (const bad of [
      '',
      'x',
      ID.slice(1),
      `${ID} `,
      `{${ID}}`,
      ID.replaceAll('-', ''),
      ID.replace('b', '\u212a'),
    ])
      expect(readId(bad)).toBeNull();
  });
});

describe('a slash at the end', () => {
  test.each(OPERATIONS)('$method $path/ is the same operation', async ({ method, path }) => {
    const url = urlOf(path);
    const ask = (target: string) =>
      service.call(method, target, {
        key: path.startsWith('/v1') ? null : undefined!,
        headers: { 'idempotency-key': newKey() },
      });
    const [plain, slashed] = [await ask(url), await ask(`${url}/`)];
    if (path.includes('{path}')) return;
    expect([slashed.status, slashed.body?.error]).toEqual([plain.status, plain.body?.error]);
  });

  test('makes and reads', async () => {
    const sent = await service.call('POST', '/v1/messages/', {
      body: GOOD,
      headers: { 'idempotency-key': newKey() },
    });
    expect(sent.status).toBe(201);
    expect((await service.call('GET', `/v1/messages/${sent.body.id}/?`)).body.id).toBe(sent.body.id);
    expect((await service.call('GET', '/v1/messages/?limit=1')).body.data).toHaveLength(1);
    expect((await service.call('GET', '/v1/messages//')).status).toBe(404);
  });
});

describe('Allow', () => {
  const methodsOf = new Map<string, Set<string>>();
  for (const { path, method } of OPERATIONS) {
    const methods = methodsOf.get(path) ?? new Set(['OPTIONS']);
    methods.add(method);
    if (method === 'GET') methods.add('HEAD');
    methodsOf.set(path, methods);
  }
  // The page of a shared link, for people, is at the address that its program posts to.
  for (const method of ['GET', 'HEAD']) methodsOf.get('/prove/{id}')!.add(method);
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

  const ADVICE: Record<string, RegExp> = {
    DELETE: / cancel one that has not been sent with POST \/v1\/messages\/\{id\}\/cancel\.$/,
    PUT: / move a scheduled one with PATCH, or cancel it and send another\.$/,
    POST: / POST \/v1\/messages\/\{id\}\/resend with a new Idempotency-Key\.$/,
  };
  /** The supported methods, and for those that people try on a message the ones that do what they want. */
  function advised(path: string, method: string, allow: string): RegExp {
    const end = path === '/v1/messages/{id}' ? ADVICE[method]?.source : undefined;
    return new RegExp(`^This path supports ${allow}\\.${end === undefined ? '$' : `.*${end}`}`);
  }

  test.each([...methodsOf.keys()])('%s', async (path) => {
    const methods = methodsOf.get(path)!;
    const allow = [...methods].sort().join(', ');
    for (const method of METHODS) {
      for (const url of [urlOf(path), `${urlOf(path)}/`, `${urlOf(path)}?x=1`]) {
        const answer = await service.call(method, url);
        const asked = `${method} ${url}`;
        if (method === 'OPTIONS') {
          expect([asked, answer.status, answer.headers['allow']]).toEqual([asked, 204, allow]);
          expect(answer.raw).toHaveLength(0);
        } else if (methods.has(method)) {
          expect([asked, answer.status === 405, answer.headers['allow']]).toEqual([asked, false, undefined]);
        } else {
          expect([asked, answer.status, answer.headers['allow']]).toEqual([asked, 405, allow]);
          if (method === 'HEAD') expect(answer.raw).toHaveLength(0);
          else expect(answer.body.error.message).toMatch(advised(path, method, allow));
        }
      }
    }
  });

  test('is not sent for what does not exist', async () => {
    for (const method of METHODS) {
      const answer = await service.call(method, '/v1/nowhere');
      expect([method, answer.status, answer.headers['allow']]).toEqual([method, 404, undefined]);
    }
  });
});
