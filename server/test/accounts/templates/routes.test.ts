import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../../src/accounts/api-keys/operations.ts';
import { TEMPLATE_SOURCE_MAX_BYTES, TEMPLATE_VARIABLES_MAX } from '../../../src/accounts/templates/render.ts';
import { TEMPLATES_MAX } from '../../../src/accounts/templates/templates.ts';
import { createTenant } from '../../../src/accounts/tenants/operations.ts';
import { SCOPES, type Scope } from '../../../src/platform/http/http.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

let made = 0;
const name = () => `template ${made++}`;

async function create(fields: object = {}, key?: string) {
  const body = { name: name(), subject: 'Hello {{ name }}', text: 'Dear {{ name }}', ...fields };
  return service.call('POST', '/v1/templates', { body, ...(key !== undefined && { key }) });
}

const change = (id: string, body: object) => service.call('PATCH', `/v1/templates/${id}`, { body });
const read = (id: string) => service.call('GET', `/v1/templates/${id}`);
const preview = (id: string, variables?: object) =>
  service.call('POST', `/v1/templates/${id}/render`, { body: variables === undefined ? {} : { variables } });

async function otherTenant(scopes: readonly Scope[] = SCOPES): Promise<string> {
  const { db, clock, changes } = service.services;
  const { tenantId } = await createTenant({ db, clock, changes }, { name: 'other' });
  return (await createApiKey({ db, clock, changes }, tenantId, { name: 'test', scopes }, null)).key;
}

test('the versions of a template are listed, newest first, in pages, while it exists', async () => {
  const { body: template } = await create({ subject: 'one' });
  await change(template.id, { subject: 'two' });
  await change(template.id, { name: name() });
  await change(template.id, { subject: 'three', text: null, html: '<p>3</p>' });
  const versions = (query = '', key?: string) =>
    service.call('GET', `/v1/templates/${template.id}/versions${query}`, {
      ...(key !== undefined && { key }),
    });
  const { body: first } = await versions('?limit=2');
  expect(first.data).toMatchObject([
    { version: 3, subject: 'three', text: null, html: '<p>3</p>', variants: {} },
    { version: 2, subject: 'two', text: 'Dear {{ name }}' },
  ]);
  const { body: rest } = await versions(`?limit=2&after=${first.next_cursor}`);
  expect(rest).toMatchObject({ data: [{ version: 1, subject: 'one' }], next_cursor: null });
  expect((await versions('?after=x')).status).toBe(400);
  expect((await versions('', await otherTenant())).status).toBe(404);
  await service.call('DELETE', `/v1/templates/${template.id}`);
  expect((await versions()).status).toBe(404);
});

test('a draft is previewed as a template would be, and nothing of it is kept', async () => {
  const draft = (body: object, key?: string) =>
    service.call('POST', '/v1/templates/render', { body, ...(key !== undefined && { key }) });
  const before = (await service.call('GET', '/v1/templates?limit=100')).body.data.length;
  const given = { subject: 'Hi {{ name }}', html: '<p>{{ name }}</p>', variables: { name: '<Ana>' } };
  expect(await draft(given)).toMatchObject({
    status: 200,
    body: { subject: 'Hi <Ana>', text: null, html: '<p>&lt;Ana&gt;</p>' },
  });
  // The next draft is another, even of the same account.
  expect((await draft({ ...given, html: '<b>{{ name }}</b>' })).body.html).toBe('<b>&lt;Ana&gt;</b>');
  expect((await draft({ subject: 'x' })).body.error.code).toBe('invalid_body');
  expect((await draft({ subject: 'x', text: '{% if %}' })).body.error.code).toBe('invalid_body');
  const missing = await draft({ subject: 'x', text: '{{ nobody }}' });
  expect(missing).toMatchObject({ status: 422, body: { error: { code: 'template_render_error' } } });
  const many = Object.fromEntries(Array.from({ length: TEMPLATE_VARIABLES_MAX + 1 }, (_, i) => [`v${i}`, 1]));
  expect((await draft({ subject: 'x', text: 'y', variables: many })).status).toBe(422);
  expect((await draft({ subject: 'x', text: 'y' }, await otherTenant(['evidence:read']))).status).toBe(403);
  expect((await service.call('GET', '/v1/templates?limit=100')).body.data).toHaveLength(before);
});

describe('templates', () => {
  test('are made, read, listed and deleted', async () => {
    const answer = await create({ html: '<p>{{ name }}</p>' });
    expect(answer).toMatchObject({
      status: 201,
      headers: { location: `/v1/templates/${answer.body.id}` },
      body: {
        version: 1,
        subject: 'Hello {{ name }}',
        text: 'Dear {{ name }}',
        html: '<p>{{ name }}</p>',
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    });
    expect((await read(answer.body.id)).body).toEqual(answer.body);
    expect((await service.call('GET', '/v1/templates?limit=1')).body.data).toEqual([answer.body]);
    expect((await service.call('DELETE', `/v1/templates/${answer.body.id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE'])
      expect((await service.call(method, `/v1/templates/${answer.body.id}`)).status).toBe(404);
    expect((await preview(answer.body.id, { name: 'x' })).body.error.code).toBe('not_found');
    expect(
      (await service.send({ template_id: answer.body.id, subject: undefined, text: undefined })).body.error
        .code,
    ).toBe('template_not_found');
    expect((await create({ name: answer.body.name })).status).toBe(201);
  });

  test('lists are newest first, in pages', async () => {
    const key = await otherTenant();
    const ids: string[] = [];
    for (let each = 0; each < 5; each++) ids.unshift((await create({}, key)).body.id);
    const first = await service.call('GET', '/v1/templates?limit=3', { key });
    const second = await service.call('GET', `/v1/templates?limit=3&after=${first.body.next_cursor}`, {
      key,
    });
    expect([...first.body.data, ...second.body.data].map((each: { id: string }) => each.id)).toEqual(ids);
    expect(second.body.next_cursor).toBeNull();
    expect((await service.call('GET', '/v1/templates?limit=0', { key })).body.error.code).toBe(
      'invalid_parameter',
    );
  });

  const BAD: [string, object, RegExp][] = [
    ['no name', { name: undefined }, /name is required/],
    ['an empty name', { name: '' }, /name/],
    ['a blank name', { name: '  ' }, /name/],
    ['a control in the name', { name: 'a\nb' }, /name/],
    ['a long name', { name: 'a'.repeat(201) }, /name/],
    ['no subject', { subject: undefined }, /subject is required/],
    ['neither text nor html', { text: undefined }, /text and html/],
    ['neither, said with null', { text: null, html: null }, /text and html/],
    ['neither, said with nothing', { text: '', html: '' }, /text and html/],
    ['an unknown field', { body: 'x' }, /body is not a field/],
    ['a version of its own', { version: 3 }, /version is not a field/],
    ['NUL in a part', { text: 'a\0b' }, /text/],
    ['half a surrogate pair', { html: '\ud800' }, /html/],
    ['what is not Liquid', { text: 'a\n{% if x %}' }, /text: .*line:2/],
    ['an unknown filter', { html: '{{ a | nonsense }}' }, /html: undefined filter: nonsense, line:1/],
    ['an unknown tag', { subject: '{% nonsense %}' }, /subject: .*nonsense/],
    ['a file', { text: '{% include "x" %}' }, /include/],
    ['a large part', { text: 'ñ'.repeat(TEMPLATE_SOURCE_MAX_BYTES / 2 + 1) }, /exceeds 524288 bytes/],
    ['too many tags', { text: '{{ a }}'.repeat(2_001) }, /more than 2000/],
  ];

  test.each(BAD)('%s: 400 invalid_body that says what is wrong', async (_name, fields, message) => {
    const answer = await create(fields);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_body' } } });
    expect(answer.body.error.message).toMatch(message);
  });

  test('a change is held to the same', async () => {
    const { body } = await create();
    for (const bad of [{ text: null }, { text: '{{' }, { name: '' }, { subject: 7 }, { id: 'x' }])
      expect((await change(body.id, bad)).body.error.code, JSON.stringify(bad)).toBe('invalid_body');
    expect((await read(body.id)).body).toEqual(body);
  });

  test('an account has at most a thousand', async () => {
    const { db, clock, changes } = service.services;
    const { tenantId } = await createTenant({ db, clock, changes }, { name: 'full' });
    const { key } = await createApiKey(
      { db, clock, changes },
      tenantId,
      { name: 'test', scopes: SCOPES },
      null,
    );
    await db.execute(
      `insert into templates (tenant_id, template_id, name, version, created_at, updated_at)
       select $1, gen_random_uuid(), 'n' || n, 1, now(), now() from generate_series(1, $2::int) as n`,
      [tenantId, TEMPLATES_MAX],
    );
    expect(await create({}, key)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    await db.execute("update templates set deleted_at = now() where tenant_id = $1 and name = 'n1'", [
      tenantId,
    ]);
    expect((await create({}, key)).status).toBe(201);
  });
});

describe('names', () => {
  test('are one template each: of many at once one is made', async () => {
    const same = name();
    const answers = await Promise.all(Array.from({ length: 12 }, () => create({ name: same })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  });

  test('of many renamed to one at once one is', async () => {
    const ids = (await Promise.all(Array.from({ length: 8 }, () => create()))).map(({ body }) => body.id);
    const same = name();
    const answers = await Promise.all(ids.map((id) => change(id, { name: same })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    const list = await service.call('GET', '/v1/templates?limit=100');
    expect(list.body.data.filter((each: { name: string }) => each.name === same)).toHaveLength(1);
  });

  test('of another account do not matter', async () => {
    const { body } = await create();
    expect((await create({ name: body.name }, await otherTenant())).status).toBe(201);
  });

  test('of a change that keeps its own is none of another', async () => {
    const { body } = await create();
    expect((await change(body.id, { name: body.name })).status).toBe(200);
  });
});

describe('versions', () => {
  test('a change of content makes one, a change of name or none at all does not', async () => {
    const { body } = await create();
    expect((await change(body.id, { name: name() })).body.version).toBe(1);
    expect((await change(body.id, { subject: body.subject, text: body.text })).body.version).toBe(1);
    expect((await change(body.id, {})).body.version).toBe(1);
    expect((await change(body.id, { subject: 'Other' })).body.version).toBe(2);
    expect((await change(body.id, { html: '<p>x</p>', text: null })).body).toMatchObject({
      version: 3,
      subject: 'Other',
      text: null,
      html: '<p>x</p>',
    });
  });

  test('are numbered without gaps, however many change at once, and never change themselves', async () => {
    const { body } = await create();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => change(body.id, { subject: `Subject ${at}` })),
    );
    expect(answers.map((answer) => answer.body.version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, at) => at + 2),
    );
    const stored = await service.db.query<{ version: number; subject: string }>(
      'select version, subject from template_versions where template_id = $1 order by version',
      [body.id],
    );
    expect(stored.map(({ version }) => version)).toEqual(Array.from({ length: 11 }, (_, at) => at + 1));
    for (const answer of answers)
      expect(stored.find(({ version }) => version === answer.body.version)!.subject).toBe(
        answer.body.subject,
      );
    await expect(
      service.db.asTenant(service.account.tenantId, (tx) =>
        tx.execute("update template_versions set subject = 'forged' where template_id = $1", [body.id]),
      ),
    ).rejects.toThrow(/permission denied/);
  });

  test('a message keeps the one that made it, also when the template is gone', async () => {
    const { body } = await create();
    const send = (key: string) =>
      service.send(
        { template_id: body.id, variables: { name: 'Ana' }, subject: undefined, text: undefined },
        { headers: { 'idempotency-key': key } },
      );
    const first = await send(`${body.id}-1`);
    expect(first).toMatchObject({ status: 201, body: { template_id: body.id, subject: 'Hello Ana' } });
    await change(body.id, { subject: 'Bye {{ name }}' });
    expect((await send(`${body.id}-2`)).body.subject).toBe('Bye Ana');
    await service.call('DELETE', `/v1/templates/${body.id}`);
    expect((await send(`${body.id}-1`)).body.subject).toBe('Hello Ana');
    const rows = await service.db.query(
      'select template_version from messages where template_id = $1 order by message_id',
      [body.id],
    );
    expect(rows).toEqual([{ template_version: 1 }, { template_version: 2 }]);
    const kept = await service.db.query('select 1 from template_versions where template_id = $1', [body.id]);
    expect(kept).toHaveLength(2);
  });
});

describe('rendering', () => {
  test('a preview shows what a send would, and sends nothing', async () => {
    const { body } = await create({ html: '<b>{{ name }}</b>' });
    expect(await preview(body.id, { name: 'A & B' })).toMatchObject({
      status: 200,
      body: {
        template_id: body.id,
        version: 1,
        subject: 'Hello A & B',
        text: 'Dear A & B',
        html: '<b>A &amp; B</b>',
      },
    });
    expect(await service.db.query('select 1 from messages where template_id = $1', [body.id])).toEqual([]);
  });

  test('what fails names the variable and its place, in a preview and in a send', async () => {
    const { body } = await create({ text: 'a\nb {{ total }}' });
    const error = {
      code: 'template_render_error',
      message: 'text: undefined variable: total, line:2, col:6; variables has name',
    };
    expect(await preview(body.id, { name: 'Ana' })).toMatchObject({ status: 422, body: { error } });
    const send = await service.send({
      template_id: body.id,
      variables: { name: 'Ana' },
      subject: undefined,
      text: undefined,
    });
    expect(send).toMatchObject({ status: 422, body: { error } });
  });

  test('a line break in a value makes no header', async () => {
    const { body } = await create({ subject: 'Hi {{ name }}' });
    const send = await service.send({
      template_id: body.id,
      variables: { name: 'Ana\r\nBcc: victim@example.com' },
      subject: undefined,
      text: undefined,
    });
    expect(send.body.subject).toBe('Hi Ana Bcc: victim@example.com');
    const raw = (await service.call('GET', `/v1/messages/${send.body.id}/raw`)).raw.toString();
    expect(raw.split('\r\n\r\n', 1)[0]).not.toMatch(/^bcc:/im);
  });

  test('a bomb is an error soon, and the service answers others meanwhile', async () => {
    const { body } = await create({
      text: '{% for i in (1..30000) %}{% for j in (1..30000) %}{% endfor %}{% endfor %}',
    });
    const startedMs = performance.now();
    const [bomb, other] = await Promise.all([preview(body.id, { name: 'Ana' }), read(body.id)]);
    expect(bomb).toMatchObject({ status: 422, body: { error: { code: 'template_render_error' } } });
    expect(other.status).toBe(200);
    expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS);
  });

  test('more variables than the limit are refused', async () => {
    const { body } = await create({ text: 'x', subject: 'y' });
    const list = (count: number) => ({ list: Array(count).fill(1) });
    expect((await preview(body.id, list(TEMPLATE_VARIABLES_MAX - 1))).status).toBe(200);
    expect((await preview(body.id, list(TEMPLATE_VARIABLES_MAX))).body.error.code).toBe(
      'template_render_error',
    );
  });

  test('a preview refuses what is no request', async () => {
    const { body } = await create();
    for (const bad of [{ variables: [] }, { variables: 'x' }, { data: {} }, { variables: 7 }])
      expect(
        (await service.call('POST', `/v1/templates/${body.id}/render`, { body: bad })).body.error.code,
        JSON.stringify(bad),
      ).toBe('invalid_body');
  });
});

describe('who may do what', () => {
  const ROUTES: [string, string, object?][] = [
    ['GET', ''],
    ['PATCH', '', { subject: 'x' }],
    ['DELETE', ''],
    ['POST', '/render', {}],
  ];

  test.each(ROUTES)(
    '%s …%s of another tenant is, byte for byte, what an unknown id is',
    async (method, path, body) => {
      const { id } = (await create()).body;
      const key = await otherTenant();
      const call = (of: string) =>
        service.call(method, `/v1/templates/${of}${path}`, { key, ...(body !== undefined && { body }) });
      const theirs = await call(id);
      expect(theirs.status).toBe(404);
      expect(theirs.raw.equals((await call(newId())).raw)).toBe(true);
      expect(theirs.raw.equals((await call('x')).raw)).toBe(true);
      expect((await read(id)).body.version).toBe(1);
    },
  );

  test("a send with another tenant's template finds none", async () => {
    const key = await otherTenant();
    const { body } = await create({}, key);
    const send = await service.send({ template_id: body.id, subject: undefined, text: undefined });
    expect(send).toMatchObject({ status: 404, body: { error: { code: 'template_not_found' } } });
  });

  test('reading takes either scope, writing takes messages:send', async () => {
    const { id } = (await create()).body;
    const reader = await otherTenant(['evidence:read']);
    const neither = await otherTenant(['api_keys:write']);
    for (const [method, path, body] of ROUTES) {
      const status = async (key: string) =>
        (await service.call(method, `/v1/templates/${id}${path}`, { key, ...(body && { body }) })).status;
      expect(await status(neither)).toBe(403);
      expect(await status(reader)).toBe(method === 'GET' ? 404 : 403);
    }
    expect((await create({}, reader)).status).toBe(403);
    expect((await service.call('GET', '/v1/templates', { key: reader })).status).toBe(200);
  });
});
