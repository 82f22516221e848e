import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findForeign } from '../../../src/accounts/templates/foreign-syntax.ts';
import {
  canonicalLocale,
  chooseVariant,
  TEMPLATE_VARIANTS_MAX,
} from '../../../src/accounts/templates/locales.ts';
import { closeNames } from '../../../src/accounts/templates/names.ts';
import { newKey, startTestService, type TestService } from '../../support/service.ts';
import { giveDomain, makeTenant, type TestTenant } from '../../support/tenants.ts';

/** Templates by name and in several languages, and what is said to people who write another kind. */
let service: TestService;
let stranger: TestTenant;
beforeAll(async () => {
  service = await startTestService();
  stranger = await makeTenant(service);
  await giveDomain(service, stranger.tenantId, 'stranger.example.com');
});
afterAll(() => service?.stop());

const create = (fields: object, key?: string) =>
  service.call('POST', '/v1/templates', {
    body: { name: newKey(), subject: 'Hello', text: 'Hello {{ name }}', ...fields },
    ...(key !== undefined && { key }),
  });
const change = (id: string, body: object) => service.call('PATCH', `/v1/templates/${id}`, { body });
const send = (fields: object, idempotencyKey = newKey()) =>
  service.send(
    { subject: undefined, text: undefined, variables: { name: 'Ana' }, ...fields },
    { headers: { 'idempotency-key': idempotencyKey } },
  );
const ES = { subject: 'Hola', text: 'Hola {{ name }}' };
const MX = { subject: 'Qué tal', text: 'Qué tal, {{ name }}' };

describe('a template by its name', () => {
  test('is the template by its id', async () => {
    const { body } = await create({ name: 'welcome' });
    const sent = await send({ template: 'welcome' });
    expect([sent.status, sent.body.template_id, sent.body.subject]).toEqual([201, body.id, 'Hello']);
    const batch = await service.call('POST', '/v1/messages/batch', {
      body: {
        messages: [
          {
            idempotency_key: newKey(),
            from: 'billing@sandbox.test',
            to: 'ana@sandbox.test',
            template: 'welcome',
            variables: { name: 'Ana' },
          },
        ],
      },
    });
    expect(batch.body.results[0].message.template_id).toBe(body.id);
  });

  test('and by its id at once is refused, as are fields of a template without one', async () => {
    const { body } = await create({ name: 'both' });
    const refused = async (fields: object) => (await send(fields)).body.error;
    expect(await refused({ template: 'both', template_id: body.id })).toEqual({
      code: 'invalid_body',
      message: 'template and template_id both name a template: send one of them.',
    });
    expect((await refused({ locale: 'es', text: 'x', variables: undefined })).message).toContain(
      'locale requires',
    );
    expect((await refused({ template: '' })).code).toBe('invalid_body');
    expect((await refused({ template: 'a\u0000' })).code).toBe('invalid_body');
    expect((await refused({ template: 'both', locale: 'es_MX' })).code).toBe('invalid_body');
  });

  test('that is unknown is refused with the names that come near, and none of another account', async () => {
    await create({ name: 'invoice' });
    await create({ name: 'Invoice' });
    await create({ name: 'invoicf' }, stranger.key);
    const { status, body } = await send({ template: 'invioce' });
    expect([status, body.error]).toEqual([
      404,
      {
        code: 'template_not_found',
        message: 'No template named "invioce" in this account: did you mean "Invoice" or "invoice"?',
      },
    ]);
    const far = (await send({ template: 'x'.repeat(200) })).body.error;
    expect(far.message).toMatch(/x…" in this account: list them with GET \/v1\/templates\.$/);
    expect((await send({ template: 'invoicf' })).body.error.code).toBe('template_not_found');
  });

  test('follows a new name at once, and is a replay whatever became of it', async () => {
    const { body } = await create({ name: 'before' });
    const key = newKey();
    const made = await send({ template: 'before' }, key);
    await change(body.id, { name: 'after' });
    expect((await send({ template: 'before' })).body.error.code).toBe('template_not_found');
    expect((await send({ template: 'after' })).body.template_id).toBe(body.id);
    const again = await send({ template: 'before' }, key);
    expect([again.status, again.body.id]).toEqual([200, made.body.id]);
    expect((await send({ template: 'after' }, key)).body.error.code).toBe('idempotency_key_reused');
    await service.call('DELETE', `/v1/templates/${body.id}`);
    expect((await send({ template: 'after' })).body.error.code).toBe('template_not_found');
    expect((await send({ template: 'before' }, key)).status).toBe(200);
  });
});

describe('variants', () => {
  test.each([
    [undefined, 'Hello'],
    ['es-MX', 'Qué tal'],
    ['ES-mx', 'Qué tal'],
    ['es-AR', 'Hola'],
    ['es', 'Hola'],
    ['es-MX-x1', 'Qué tal'],
    ['en-GB', 'Hello'],
    ['de', 'Hello'],
  ])('%s is answered in the nearest language', async (locale, subject) => {
    const { body } = await create({ variants: { es: ES, 'es-mx': MX } });
    expect(Object.keys(body.variants)).toEqual(['es', 'es-MX']);
    const sent = await send({ template_id: body.id, ...(locale !== undefined && { locale }) });
    expect([sent.status, sent.body.subject]).toEqual([201, subject]);
    const preview = await service.call('POST', `/v1/templates/${body.id}/render`, {
      body: { variables: { name: 'Ana' }, locale },
    });
    expect(preview.body).toMatchObject({
      subject,
      text: `${subject === 'Qué tal' ? 'Qué tal,' : subject} Ana`,
    });
  });

  test('of one key are different requests', async () => {
    const { body } = await create({ variants: { es: ES } });
    const key = newKey();
    await send({ template_id: body.id, locale: 'es' }, key);
    expect((await send({ template_id: body.id, locale: 'es' }, key)).status).toBe(200);
    expect((await send({ template_id: body.id }, key)).body.error.code).toBe('idempotency_key_reused');
  });

  test('are changed one by one, each change a version, and null takes one away', async () => {
    const { body } = await create({ variants: { es: ES } });
    const more = (await change(body.id, { variants: { 'es-MX': MX } })).body;
    expect([more.version, Object.keys(more.variants)]).toEqual([2, ['es', 'es-MX']]);
    const same = (await change(body.id, { variants: { es: { ...ES, html: null } } })).body;
    expect(same.version).toBe(2);
    const less = (await change(body.id, { variants: { es: null, 'ES-MX': null } })).body;
    expect([less.version, less.variants]).toEqual([3, {}]);
    expect((await service.call('GET', `/v1/templates/${body.id}`)).body).toEqual(less);
  });

  test.each<[object, RegExp]>([
    [{ es: { subject: 'x' } }, /^variants\.es\.At least one of text and html is required/],
    [{ es: { ...ES, html: '{{ a | nonsense }}' } }, /^variants\.es\.html: undefined filter: nonsense/],
    [{ es: { ...ES, text: 'a\u0000' } }, /^variants\.es\.text contains/],
    [{ spanish_mx: ES }, /is not a language tag/],
    [{ '': ES }, /is not a language tag/],
    [{ 'es-MX': ES, 'es-mx': MX }, /es-MX twice/],
    [{ es: { ...ES, body: 'x' } }, /variants\.es\.body is not a field/],
    [{ es: 'Hola' }, /variants\.es must be an object/],
    [
      Object.fromEntries(
        Array.from({ length: TEMPLATE_VARIANTS_MAX + 1 }, (_, at) => [
          `es-${String(at).padStart(3, '0')}`,
          ES,
        ]),
      ),
      /more than 20 languages/,
    ],
  ])('%j are refused', async (variants, message) => {
    const made = await create({ variants });
    expect([made.status, made.body.error.code]).toEqual([400, 'invalid_body']);
    expect(made.body.error.message).toMatch(message);
    const { body } = await create({});
    expect((await change(body.id, { variants })).body.error.message).toMatch(message);
    expect((await service.call('GET', `/v1/templates/${body.id}`)).body).toEqual(body);
  });

  test('that cannot be rendered are named', async () => {
    const { body } = await create({ variants: { es: { subject: 'S', text: '{{ nombre }}' } } });
    const { error } = (await send({ template_id: body.id, locale: 'es' })).body;
    expect(error).toMatchObject({ code: 'template_render_error' });
    expect(error.message).toMatch(/^variants\.es\.text: undefined variable: nombre/);
  });

  test('hostile tags choose nothing', () => {
    for (const tag of ['__proto__', 'constructor', 'toString'])
      expect(chooseVariant({ es: ES }, tag)).toBeNull();
    expect(canonicalLocale('ZH-hANT-tw')).toBe('zh-Hant-TW');
  });
});

describe('Mustache and Handlebars', () => {
  test.each([
    ['{{#if paid}}x{{/if}}', '{% if paid %} … {% endif %}'],
    ['{{#unless paid}}', '{% unless paid %} … {% endunless %}'],
    ['{{#each items}}', '{% for item in items %}'],
    ['{{ #each items }}', '{% for item in items %}'],
    ['{{#with user}}', '{{ user.name }}'],
    ['{{#items}}', '{% for item in items %}'],
    ['{{^items}}', '{% unless items %} … {% endunless %}'],
    ['{{^}}', '{% else %}'],
    ['{{else}}', '{% else %}'],
    ['{{ else if late }}', '{% elsif late %}'],
    ['x {{/if}}', '{% endif %}'],
    ['{{/each}}', '{% endfor %}'],
    ['{{/items}}', '{% endif %}, {% endunless %} or {% endfor %}'],
    ['{{> footer}}', 'partials are not supported'],
    ['{{{raw}}}', '{{ raw | raw }}'],
    ['{{& raw}}', '{{ raw | raw }}'],
    ['{{! note }}', '{% comment %}'],
    ['{{@index}}', '{{ forloop.index0 }}'],
  ])('%s is said in Liquid', async (source, instead) => {
    const { status, body } = await create({ html: `<p>\n  ${source}` });
    expect([status, body.error.code]).toEqual([400, 'invalid_body']);
    expect(body.error.message).toContain('is Mustache or Handlebars, and templates are Liquid: ');
    expect(body.error.message).toContain(instead);
    expect(body.error.message).toMatch(/^html: .*, line:2, col:\d+$/);
  });

  test('are no business of what is Liquid, raw or a comment', async () => {
    const fine = [
      '{% if paid %}x{% else %}y{% endif %}',
      '{% raw %}{{#if x}}{{{y}}}{% endraw %}',
      '{%- comment -%}{{> x}}{%- endcomment -%}',
      '{{ "#if" }}{{ name }}',
      'a { b } {{name}} }} {',
    ];
    for (const text of fine) expect([text, (await create({ text })).status]).toEqual([text, 201]);
    for (const text of ['', '{', '{{', '{%', '{% raw %}', '{{#', '}}{{'])
      expect(findForeign(text)).toBeNull();
    expect(findForeign(`{{#${'x'.repeat(1_000)}}}`)!.hint.length).toBeLessThan(4_000);
  });
});

test('close names are near ones, and few', () => {
  expect(closeNames('welcom', ['welcome', 'Welcome', 'goodbye', 'welcome-2', 'x'])).toEqual([
    'Welcome',
    'welcome',
  ]);
  expect(closeNames('a'.repeat(65), ['a'.repeat(65)])).toEqual([]);
  expect(closeNames('ab', ['ab1', 'ab2', 'ab3', 'ab4'])).toHaveLength(3);
});
