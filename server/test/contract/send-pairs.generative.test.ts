import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_ERRORS, type ApiErrorCode } from '../../src/errors.ts';
import { BATCH_MAX_ITEMS } from '../../src/messages/send-schema.ts';
import { newId } from '../../src/platform/ids.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { giveDomain, makeTenant } from '../support/tenants.ts';
import { createTemplateFixture } from './fixtures.ts';

/**
 * Every two values of two fields of a send beside each other, all others being good, against a model of the
 * order of checks (docs/errors.md): two sentences of the specification that hold alone may contradict each
 * other.
 */
let service: TestService;
let key: string;

const DOMAIN = 'pairs.example.com';
const SUPPRESSED = 'never@example.net';
const ROLES = ['plain', 'strict', 'foreign', 'unknown', 'malformed', 'empty'] as const;
type TemplateRole = (typeof ROLES)[number];
const templates = { unknown: newId(), malformed: 'x', empty: '' } as Record<TemplateRole, string>;

/** The rendering of the template `plain`; `strict` renders a text that needs variables, and no html. */
const RENDERED = { subject: 'Rendered subject', text: 'Rendered text', html: '<p>Rendered html</p>' };

/** Refusals in the order in which they are answered. */
const ORDER = [
  'invalid_body',
  'invalid_address',
  'send_at_out_of_range',
  'template_not_found',
  'template_render_error',
  'domain_not_verified',
  'from_not_approved',
  'recipient_suppressed',
] as const satisfies readonly ApiErrorCode[];

interface Value {
  /** Undefined: the field is left out. */
  readonly value?: unknown;
  /** The fault in it, whatever stands beside it. */
  readonly wrong?: (typeof ORDER)[number];
  readonly role?: TemplateRole;
}

const LEFT_OUT: Value[] = [{}, { value: null }];
const BAD = (value: unknown): Value => ({ value, wrong: 'invalid_body' });

const SPECIFIED: Record<string, readonly Value[]> = {
  from: [
    { value: `ok@${DOMAIN}` },
    { wrong: 'invalid_address' },
    { value: '', wrong: 'invalid_address' },
    { value: 'nobody', wrong: 'invalid_address' },
    { value: 'a@pending.example.com', wrong: 'domain_not_verified' },
    { value: `other@${DOMAIN}`, wrong: 'from_not_approved' },
    BAD(7),
  ],
  to: [
    { value: 'ana@example.net' },
    { wrong: 'invalid_address' },
    { value: 'nobody', wrong: 'invalid_address' },
    { value: [], wrong: 'invalid_address' },
    { value: ['ana@example.net', 'bob@example.net'] },
    { value: SUPPRESSED },
    BAD(7),
  ],
  subject: [...LEFT_OUT, { value: '' }, { value: 'Own subject' }, BAD(7), BAD('a\nb')],
  text: [...LEFT_OUT, { value: '' }, { value: 'Own text' }, BAD(7), BAD('a\0b')],
  html: [...LEFT_OUT, { value: '' }, { value: '<p>Own html</p>' }, BAD(7), BAD('a\0b')],
  certified: [...LEFT_OUT, { value: true }, { value: false }, BAD('true')],
  template_id: [...LEFT_OUT, ...ROLES.map((role) => ({ role })), BAD(7)],
};
const ADDED: Record<string, readonly Value[]> = {
  template: [{ value: 'pairs-plain' }, { value: 'pairs-none', wrong: 'template_not_found' }, BAD('')],
  locale: [{ value: 'es-MX' }, BAD('!')],
  variables: [{ value: { name: 'Ana' } }, { value: {} }, BAD([])],
  cc: [{ value: 'carl@example.net' }, { value: 'nobody', wrong: 'invalid_address' }, BAD(7)],
  bcc: [{ value: 'dora@example.net' }, { value: 'nobody', wrong: 'invalid_address' }, BAD(7)],
  skip_suppressed: [{ value: true }, { value: false }, BAD('yes')],
  reply_to: [{ value: 'reply@example.net' }, { value: 'nobody', wrong: 'invalid_address' }, BAD(7)],
  send_at: [
    { value: new Date(Date.now() + 86_400_000).toISOString() },
    { value: '2020-01-01T00:00:00Z', wrong: 'send_at_out_of_range' },
    BAD('tomorrow'),
  ],
  headers: [{ value: { 'X-A': 'b' } }, BAD({ Subject: 'x' })],
  attachments: [{ value: [{ filename: 'a.txt', content: 'eA==' }] }, BAD([{ filename: 'a' }])],
  tags: [{ value: ['a'] }, BAD([''])],
  metadata: [{ value: { a: 'b' } }, BAD({ '': 'b' })],
  cerified: [BAD(true)],
};

type Chosen = Readonly<Record<string, Value>>;
const BASE: Chosen = {
  from: SPECIFIED['from']![0]!,
  to: SPECIFIED['to']![0]!,
  subject: { value: 'Own subject' },
  text: { value: 'Own text' },
};
/** The same with the content of a template, and with what its variables are. */
const TEMPLATE_BASE: Chosen = {
  from: BASE['from']!,
  to: BASE['to']!,
  template_id: { role: 'strict' },
  variables: { value: { name: 'Ana' } },
};

function pairsOf(fields: Record<string, readonly Value[]>, base: Chosen): Chosen[] {
  const names = Object.keys(fields);
  return names.flatMap((one, at) =>
    names
      .slice(at + 1)
      .flatMap((other) =>
        fields[one]!.flatMap((first) =>
          fields[other]!.map((second) => ({ ...base, [one]: first, [other]: second })),
        ),
      ),
  );
}

const givenOf = ({ value, role }: Value) => (role === undefined ? value : templates[role]);

function bodyOf(chosen: Chosen): Record<string, unknown> {
  const given = Object.entries(chosen).map(([name, value]) => [name, givenOf(value)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

interface Content {
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
}

/** The service's answer, by the rules as they are written. */
function model(chosen: Chosen): { refused: ApiErrorCode } | { content: Content; certified: boolean } {
  const given = (name: string) => chosen[name] !== undefined && (givenOf(chosen[name]) ?? null) !== null;
  const own = (name: string) => (given(name) && chosen[name]!.value !== '' ? chosen[name]!.value : null);
  const wrong = new Set(Object.values(chosen).map((value) => value.wrong));
  const byTemplate = given('template_id') || given('template');
  if (given('template_id') && given('template')) wrong.add('invalid_body');
  if (!byTemplate && (given('variables') || given('locale'))) wrong.add('invalid_body');
  if (!byTemplate && own('text') === null && own('html') === null) wrong.add('invalid_body');
  const role = given('template') ? 'plain' : chosen['template_id']?.role;
  if (given('template_id') && role !== 'plain' && role !== 'strict') wrong.add('template_not_found');
  const named = givenOf(chosen['variables'] ?? {}) as { name?: string } | null | undefined;
  // A part that the request has of its own is not rendered, and so needs no variables.
  if (role === 'strict' && own('text') === null && named?.name === undefined)
    wrong.add('template_render_error');
  const others = given('cc') || given('bcc');
  const skips = chosen['skip_suppressed']?.value === true && others;
  if (chosen['to']!.value === SUPPRESSED && !skips) wrong.add('recipient_suppressed');
  const refused = ORDER.find((code) => wrong.has(code));
  if (refused !== undefined) return { refused };
  const strict = { ...RENDERED, text: `Hello ${named?.name}`, html: null };
  const none = { subject: '', text: null, html: null };
  const rendered: Content = !byTemplate ? none : role === 'strict' ? strict : RENDERED;
  const part = <P extends keyof Content>(name: P) => (own(name) ?? rendered[name]) as Content[P];
  const content = { subject: part('subject'), text: part('text'), html: part('html') };
  return { content, certified: chosen['certified']?.value !== false };
}

beforeAll(async () => {
  service = await startTestService();
  const tenant = await makeTenant(service);
  key = tenant.key;
  await giveDomain(service, tenant.tenantId, DOMAIN, `ok@${DOMAIN}`);
  await service.call('POST', '/v1/domains', { body: { name: 'pending.example.com' }, key });
  await service.call('POST', '/v1/suppressions', { body: { address: SUPPRESSED }, key });
  const plain = await service.call('POST', '/v1/templates', {
    body: { name: 'pairs-plain', ...RENDERED },
    key,
  });
  templates.plain = plain.body.id;
  const { template } = createTemplateFixture(() => service);
  templates.strict = await template({ subject: RENDERED.subject, text: 'Hello {{ name }}' }, key);
  const stranger = await makeTenant(service);
  templates.foreign = await template({ subject: 's', text: 't' }, stranger.key);
});
afterAll(() => service?.stop());

const ADDED_TO_BASE = { ...SPECIFIED, ...ADDED };
const CASES: [string, Chosen[]][] = [
  ['content', pairsOf(ADDED_TO_BASE, BASE)],
  ['a template', pairsOf(ADDED_TO_BASE, TEMPLATE_BASE)],
];

describe('two values beside each other', () => {
  test.each(CASES)('in items of batches with %s are answered as the order of checks says', async (_, all) => {
    let [made, refused] = [0, 0];
    for (let at = 0; at < all.length; at += BATCH_MAX_ITEMS) {
      const group = all.slice(at, at + BATCH_MAX_ITEMS);
      const messages = group.map((chosen) => ({ ...bodyOf(chosen), idempotency_key: newKey() }));
      const answer = await service.call('POST', '/v1/messages/batch', { body: { messages }, key });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      for (const [index, chosen] of group.entries()) {
        const { error, message } = answer.body.results[index];
        const expected = model(chosen);
        const said = JSON.stringify([bodyOf(chosen), error]);
        if ('refused' in expected) {
          expect(error?.code, said).toBe(expected.refused);
          refused++;
        } else {
          expect([message?.subject, message?.certified], said).toEqual([
            expected.content.subject,
            expected.certified,
          ]);
          made++;
        }
      }
    }
    expect(Math.min(made, refused)).toBeGreaterThan(300);
  });

  test("of the specification's fields alone, sent one by one, make the mail that they say", async () => {
    const all = pairsOf(SPECIFIED, BASE).concat(pairsOf(SPECIFIED, TEMPLATE_BASE));
    for (const chosen of all) {
      const body = bodyOf(chosen);
      const answer = await service.call('POST', '/v1/messages', {
        body,
        headers: { 'idempotency-key': newKey() },
        key,
      });
      const expected = model(chosen);
      const said = JSON.stringify([body, answer.body]);
      if ('refused' in expected) {
        const { status } = API_ERRORS[expected.refused];
        expect([answer.status, answer.body.error?.code], said).toEqual([status, expected.refused]);
        continue;
      }
      expect([answer.status, answer.body.certified], said).toEqual([201, expected.certified]);
      const path = `/v1/messages/${answer.body.id}/raw`;
      const raw = (await service.call('GET', path, { key })).raw.toString();
      const shown = ['Own', 'Rendered', 'Hello'].flatMap((word) =>
        [...raw.matchAll(new RegExp(`${word} \\w+`, 'g'))].map(([found]) => found),
      );
      const { subject, text, html } = expected.content;
      const plainHtml = html?.replace(/<.*?>/g, '') ?? '';
      expect(shown.sort(), said).toEqual([subject, text ?? '', plainHtml].filter(Boolean).sort());
    }
  });
});

describe('content beside a template', () => {
  const sendWith = (fields: object, idempotencyKey = newKey()) =>
    service.call('POST', '/v1/messages', {
      body: { from: `ok@${DOMAIN}`, to: 'ana@example.net', template_id: templates.plain, ...fields },
      headers: { 'idempotency-key': idempotencyKey },
      key,
    });

  test('is part of what makes two requests the same', async () => {
    const parts = [{}, { subject: 'x' }, { text: 'x' }, { html: 'x' }, { text: 'x', html: 'x' }];
    for (const first of parts) {
      const idempotencyKey = newKey();
      expect((await sendWith(first, idempotencyKey)).status).toBe(201);
      for (const second of parts) {
        const again = await sendWith(second, idempotencyKey);
        expect([again.status, again.body.error?.code]).toEqual(
          first === second ? [200, undefined] : [422, 'idempotency_key_reused'],
        );
      }
    }
  });

  test('may be large: a thread composes it, and what is left out is rendered', async () => {
    const text = `${'Own text\n'.repeat(60_000)}end`;
    for (const more of [{ subject: undefined }, { subject: 'Own subject' }]) {
      const answer = await sendWith({ text, ...more });
      expect([answer.status, answer.body.subject]).toEqual([201, more.subject ?? RENDERED.subject]);
      const raw = (await service.call('GET', `/v1/messages/${answer.body.id}/raw`, { key })).raw.toString();
      expect([raw.match(/Own text/g)?.length, raw.includes('Rendered text')]).toEqual([60_000, false]);
      expect(raw).toContain(RENDERED.html);
    }
  });
});
