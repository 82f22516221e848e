import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markVerified } from '../../src/accounts/domains/register.ts';
import { changeTenant } from '../../src/accounts/tenants/operations.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { createTemplateFixture } from './fixtures.ts';
import { GOOD, type Refusal, refuses } from './refusals.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

const of = (fields: Record<string, unknown>) => ({ body: { ...GOOD, ...fields } });
const without = (...names: string[]) => ({
  body: Object.fromEntries(Object.entries(GOOD).filter(([name]) => !names.includes(name))),
});
const CONTROLS = { CR: '\r', LF: '\n', CRLF: '\r\n', NUL: '\0', ESC: '\u001b', DEL: '\u007f', NEL: '\u0085' };
const controlled = (
  name: string,
  make: (text: string) => object,
  code: Refusal['code'],
  says: string,
): Refusal[] =>
  Object.entries(CONTROLS).map(([control, text]) => ({
    name: `${name} with ${control}`,
    ...of(make(`a${text}b`) as Record<string, unknown>),
    code,
    says,
  }));

describe('the idempotency key', () => {
  refuses(
    () => service,
    [
      {
        name: 'no Idempotency-Key',
        body: GOOD,
        headers: { 'idempotency-key': '' },
        code: 'missing_idempotency_key',
      },
      {
        name: '256 characters',
        body: GOOD,
        headers: { 'idempotency-key': 'k'.repeat(256) },
        code: 'invalid_idempotency_key',
      },
      {
        name: 'a tab inside',
        body: GOOD,
        headers: { 'idempotency-key': 'a\tb' },
        code: 'invalid_idempotency_key',
      },
      {
        name: 'not ASCII',
        body: GOOD,
        headers: { 'idempotency-key': 'caf\u00e9' },
        code: 'invalid_idempotency_key',
      },
    ],
  );

  test.each(['k', 'k'.repeat(255), ' !"#$%&~ x'])('%j is a key', async (key) => {
    expect((await service.send({}, { headers: { 'idempotency-key': key } })).status).toBe(201);
  });

  test('the same key with a different submission is refused, and sends nothing', async () => {
    const headers = { 'idempotency-key': newKey() };
    expect((await service.send({}, { headers })).status).toBe(201);
    const again = await service.send({ subject: 'Other' }, { headers });
    expect([again.status, again.body.error.code]).toEqual([422, 'idempotency_key_reused']);
    // Key order, white space and the spelling of an address do not make it another.
    const same = await service.call('POST', '/v1/messages', {
      body: ` { "text": "Hello Ana",\n "to": " ana@SANDBOX.test ", "subject":"Hello", "from":"<billing@sandbox.test>" }`,
      headers,
    });
    expect([same.status, same.headers['idempotent-replayed']]).toEqual([200, 'true']);
  });
});

describe('the body', () => {
  refuses(
    () => service,
    [
      { name: 'an array', body: [], code: 'invalid_body', says: 'The body must be an object' },
      { name: 'a string', body: '"x"', code: 'invalid_body', says: 'The body must be an object' },
      { name: 'null', body: 'null', code: 'invalid_body', says: 'The body must be an object' },
      {
        name: 'neither text nor html',
        ...without('text'),
        code: 'invalid_body',
        says: 'At least one of text and html',
      },
      {
        name: 'empty text and html',
        ...of({ text: '', html: '' }),
        code: 'invalid_body',
        says: 'At least one of text and html',
      },
      {
        name: 'an unknown field',
        ...of({ cerified: true }),
        code: 'invalid_body',
        says: /^cerified is not a field/,
      },
      {
        name: 'a field of a batch item',
        ...of({ idempotency_key: 'x' }),
        code: 'invalid_body',
        says: /^idempotency_key is not a field/,
      },
      {
        name: 'an unknown field of an attachment',
        ...of({ attachments: [{ filename: 'a', content: '', size: 1 }] }),
        code: 'invalid_body',
        says: /^attachments\[0\]\.size is not a field/,
      },
      ...['from', 'to', 'cc', 'bcc', 'subject', 'text', 'html', 'template_id', 'reply_to'].map(
        (field): Refusal => ({
          name: `${field} as a number`,
          ...of({ [field]: 7 }),
          code: 'invalid_body',
          says: `${field} must be a string`,
        }),
      ),
      ...[
        'subject',
        'text',
        'certified',
        'headers',
        'tags',
        'metadata',
        'attachments',
        'variables',
        'reply_to',
      ].map(
        (field): Refusal => ({
          name: `${field} as a list of null`,
          ...of({ [field]: [null] }),
          code: 'invalid_body',
          says: new RegExp(`^${field}(\\[0\\](\\.\\w+)?)? must be`),
        }),
      ),
      {
        name: 'certified as a string',
        ...of({ certified: 'true' }),
        code: 'invalid_body',
        says: 'certified must be a boolean',
      },
      {
        name: 'certified as a number',
        ...of({ certified: 1 }),
        code: 'invalid_body',
        says: 'certified must be a boolean',
      },
      {
        name: 'to as a list of numbers',
        ...of({ to: ['ana@sandbox.test', 7] }),
        code: 'invalid_body',
        says: 'to[1] must be a string',
      },
      {
        name: 'to as an object',
        ...of({ to: { email: 'ana@sandbox.test' } }),
        code: 'invalid_body',
        says: 'to must be a string or an array',
      },
      {
        name: 'skip_suppressed as a string',
        ...of({ skip_suppressed: 'yes' }),
        code: 'invalid_body',
        says: 'skip_suppressed must be a boolean',
      },
      {
        name: 'variables without a template',
        ...of({ variables: {} }),
        code: 'invalid_body',
        says: 'variables',
      },
      {
        name: 'a subject of 999 bytes',
        ...of({ subject: 'x'.repeat(999) }),
        code: 'invalid_body',
        says: /subject.*998/,
      },
      {
        name: 'a subject of 999 bytes in 500 characters',
        ...of({ subject: `${'ñ'.repeat(499)}x` }),
        code: 'invalid_body',
        says: /subject.*998/,
      },
      { name: 'text with NUL', ...of({ text: 'a\0b' }), code: 'invalid_body', says: 'text' },
      { name: 'html with NUL', ...of({ html: 'a\0b' }), code: 'invalid_body', says: 'html' },
      {
        name: 'text with half a surrogate pair',
        ...of({ text: '\ud800' }),
        code: 'invalid_body',
        says: 'text',
      },
      {
        name: 'a subject with half a surrogate pair',
        ...of({ subject: 'a\udc00' }),
        code: 'invalid_body',
        says: 'subject',
      },
      ...controlled('a subject', (subject) => ({ subject }), 'invalid_body', 'subject'),
    ],
  );
});

describe('addresses', () => {
  const addresses: Record<string, string> = {
    empty: '',
    blank: '  ',
    'no @': 'ana',
    'no local part': '@sandbox.test',
    'no domain': 'ana@',
    'two @': 'a@b@sandbox.test',
    'an address list': 'ana@sandbox.test, bob@sandbox.test',
    'a group': 'all: ana@sandbox.test;',
    'a comment': 'ana(x)@sandbox.test',
    'a domain of one label': 'ana@localhost',
    'an address literal': 'ana@[127.0.0.1]',
    'a space': 'a na@sandbox.test',
    'a leading dot': '.a@sandbox.test',
    'an underscore in the domain': 'a@sand_box.test',
    'a label of 64': `a@${'x'.repeat(64)}.test`,
    'a local part of 65 bytes': `${'a'.repeat(65)}@sandbox.test`,
    'more than 254 bytes': `a@${'x.'.repeat(130)}test`,
    'a name of 257 bytes': `${'n'.repeat(257)} <ana@sandbox.test>`,
    'an encoded word': '=?utf-8?q?ana?=@sandbox.test',
    'an unclosed name': '"Ana <ana@sandbox.test>',
    'a direction override': 'Ana\u202e <ana@sandbox.test>',
    'a zero-width space': 'a\u200bna@sandbox.test',
  };
  refuses(
    () => service,
    [
      { name: 'no from', ...without('from'), code: 'invalid_address', says: 'from' },
      { name: 'no to', ...without('to'), code: 'invalid_address', says: 'to' },
      ...(['from', 'to', 'reply_to'] as const).flatMap((field) =>
        Object.entries(addresses).map(
          ([name, address]): Refusal => ({
            name: `${field}: ${name}`,
            ...of({ [field]: address }),
            code: 'invalid_address',
            says: new RegExp(`^${field}`),
          }),
        ),
      ),
      ...(['from', 'to', 'reply_to'] as const).flatMap((field) => [
        ...controlled(field, (text) => ({ [field]: `${text}@sandbox.test` }), 'invalid_address', field),
        ...controlled(
          `the name in ${field}`,
          (text) => ({ [field]: `${text} <ana@sandbox.test>` }),
          'invalid_address',
          field,
        ),
      ]),
      {
        name: 'a header smuggled behind to',
        ...of({ to: 'ana@sandbox.test\r\nBcc: all@sandbox.test' }),
        code: 'invalid_address',
        says: 'to',
      },
    ],
  );
});

describe('header fields', () => {
  const header = (name: string, value = 'x') => of({ headers: { [name]: value } });
  refuses(
    () => service,
    [
      ...[
        'From',
        'to',
        'Bcc',
        'Subject',
        'Date',
        'Message-ID',
        'Sender',
        'Return-Path',
        'DKIM-Signature',
        'Content-Type',
        'MIME-Version',
        'Received',
        'Service-Evidence',
        'X-',
        'X y',
        'X:y',
        'X-é',
        '',
        '__proto__',
        `X-${'a'.repeat(39)}`,
      ].map(
        (name): Refusal => ({
          name: `the field ${JSON.stringify(name)}`,
          body: JSON.stringify({ ...GOOD }).replace('}', `,"headers":{${JSON.stringify(name)}:"x"}}`),
          code: 'invalid_body',
          says: /headers/,
        }),
      ),
      {
        name: 'a name twice',
        ...of({ headers: { 'X-A': '1', 'x-a': '2' } }),
        code: 'invalid_body',
        says: /headers\.x-a/,
      },
      {
        name: '51 fields',
        ...of({ headers: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`X-${at}`, 'x'])) }),
        code: 'invalid_body',
        says: 'at most 50',
      },
      {
        name: 'a value of 4097 bytes',
        ...header('X-A', 'x'.repeat(4097)),
        code: 'invalid_body',
        says: 'headers.X-A',
      },
      { name: 'an empty value', ...header('X-A', ' '), code: 'invalid_body', says: 'headers.X-A' },
      {
        name: 'a value that is a number',
        ...of({ headers: { 'X-A': 1 } }),
        code: 'invalid_body',
        says: 'headers.X-A',
      },
      {
        name: 'headers as an array',
        ...of({ headers: ['X-A: 1'] }),
        code: 'invalid_body',
        says: 'headers must be an object',
      },
      {
        name: 'References that are no message ids',
        ...header('References', 'abc'),
        code: 'invalid_body',
        says: 'References',
      },
      {
        name: 'List-Unsubscribe that is not ASCII',
        ...header('List-Unsubscribe', '<https://ñ.example>'),
        code: 'invalid_body',
        says: 'List-Unsubscribe',
      },
      ...controlled('a value', (value) => ({ headers: { 'X-A': value } }), 'invalid_body', 'headers.X-A'),
      ...controlled('a name', (name) => ({ headers: { [`X-${name}`]: 'x' } }), 'invalid_body', 'headers'),
    ],
  );
});

describe('attachments', () => {
  const file = (fields: object) => of({ attachments: [{ filename: 'a.txt', content: 'aGk=', ...fields }] });
  refuses(
    () => service,
    [
      {
        name: 'no filename',
        ...of({ attachments: [{ content: '' }] }),
        code: 'invalid_body',
        says: 'attachments[0].filename is required',
      },
      {
        name: 'no content',
        ...of({ attachments: [{ filename: 'a' }] }),
        code: 'invalid_body',
        says: 'attachments[0].content is required',
      },
      {
        name: 'content that is not base64',
        ...file({ content: 'hi!!' }),
        code: 'invalid_body',
        says: 'attachments[0].content',
      },
      {
        name: 'base64 without padding',
        ...file({ content: 'aGk' }),
        code: 'invalid_body',
        says: 'attachments[0].content',
      },
      {
        name: 'URL-safe base64',
        ...file({ content: '-_-_' }),
        code: 'invalid_body',
        says: 'attachments[0].content',
      },
      {
        name: 'an empty filename',
        ...file({ filename: '' }),
        code: 'invalid_body',
        says: 'attachments[0].filename',
      },
      {
        name: 'a path',
        ...file({ filename: '../etc/passwd' }),
        code: 'invalid_body',
        says: 'attachments[0].filename',
      },
      {
        name: 'a Windows path',
        ...file({ filename: 'C:\\a.txt' }),
        code: 'invalid_body',
        says: 'attachments[0].filename',
      },
      {
        name: 'a filename of 256 bytes',
        ...file({ filename: 'a'.repeat(256) }),
        code: 'invalid_body',
        says: 'attachments[0].filename',
      },
      {
        name: 'a filename that reads backwards',
        ...file({ filename: 'a\u202egpj.exe' }),
        code: 'invalid_body',
        says: 'attachments[0].filename',
      },
      {
        name: 'a content type that is none',
        ...file({ content_type: 'pdf' }),
        code: 'invalid_body',
        says: 'attachments[0].content_type',
      },
      {
        name: 'a content id of 129 characters',
        ...file({ content_id: 'c'.repeat(129) }),
        code: 'invalid_body',
        says: 'attachments[0].content_id',
      },
      {
        name: '99 attachments',
        ...of({ attachments: Array.from({ length: 99 }, () => ({ filename: 'a', content: '' })) }),
        code: 'invalid_body',
        says: 'attachments',
      },
      {
        name: 'a message over 25 MiB once encoded',
        ...file({ content: Buffer.alloc(20 * 1024 * 1024).toString('base64') }),
        code: 'payload_too_large',
      },
      ...controlled(
        'a filename',
        (filename) => ({ attachments: [{ filename, content: '' }] }),
        'invalid_body',
        'attachments[0].filename',
      ),
      ...controlled(
        'a content type',
        (text) => ({ attachments: [{ filename: 'a', content: '', content_type: `text/${text}` }] }),
        'invalid_body',
        'attachments[0].content_type',
      ),
      ...controlled(
        'a content id',
        (content_id) => ({ attachments: [{ filename: 'a', content: '', content_id }] }),
        'invalid_body',
        'attachments[0].content_id',
      ),
    ],
  );
});

describe('tags and metadata', () => {
  refuses(
    () => service,
    [
      {
        name: '11 tags',
        ...of({ tags: Array.from({ length: 11 }, (_, at) => `t${at}`) }),
        code: 'invalid_body',
        says: 'tags',
      },
      { name: 'an empty tag', ...of({ tags: [''] }), code: 'invalid_body', says: 'tags[0]' },
      {
        name: 'a tag of 65 characters',
        ...of({ tags: ['t'.repeat(65)] }),
        code: 'invalid_body',
        says: 'tags[0]',
      },
      { name: 'a tag that is a number', ...of({ tags: [1] }), code: 'invalid_body', says: 'tags[0]' },
      {
        name: 'tags as a string',
        ...of({ tags: 'invoice' }),
        code: 'invalid_body',
        says: 'tags must be an array',
      },
      ...controlled('a tag', (tag) => ({ tags: [tag] }), 'invalid_body', 'tags[0]'),
      {
        name: '21 pairs',
        ...of({ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, 'v'])) }),
        code: 'invalid_body',
        says: 'metadata must have at most 20',
      },
      { name: 'an empty key', ...of({ metadata: { '': 'v' } }), code: 'invalid_body', says: 'metadata' },
      {
        name: 'a key of 65 characters',
        ...of({ metadata: { ['k'.repeat(65)]: 'v' } }),
        code: 'invalid_body',
        says: 'metadata',
      },
      {
        name: 'a value of 513 characters',
        ...of({ metadata: { k: 'v'.repeat(513) } }),
        code: 'invalid_body',
        says: 'metadata.k',
      },
      {
        name: 'a value that is a number',
        ...of({ metadata: { k: 1 } }),
        code: 'invalid_body',
        says: 'metadata.k must be a string',
      },
      {
        name: 'a value that is an object',
        ...of({ metadata: { k: {} } }),
        code: 'invalid_body',
        says: 'metadata.k must be a string',
      },
      {
        name: 'a value with NUL',
        ...of({ metadata: { k: 'a\0b' } }),
        code: 'invalid_body',
        says: 'metadata.k',
      },
      {
        name: 'a value with half a surrogate pair',
        ...of({ metadata: { k: '\ud800' } }),
        code: 'invalid_body',
        says: 'metadata.k',
      },
      ...controlled('a key', (key) => ({ metadata: { [key]: 'v' } }), 'invalid_body', 'metadata'),
    ],
  );

  test('a value may have line breaks: it is never in the mail', async () => {
    const answer = await service.send({ metadata: { note: 'a\r\nb' } });
    expect([answer.status, answer.body.metadata]).toEqual([201, { note: 'a\r\nb' }]);
    const raw = await service.call('GET', `/v1/messages/${answer.body.id}/raw`);
    expect(raw.raw.toString()).not.toContain('note');
  });
});

describe('what the account allows', () => {
  const fixtures = createTemplateFixture(() => service);
  refuses(
    () => service,
    [
      {
        name: 'a domain that is not registered',
        ...of({ from: 'a@elsewhere.example' }),
        code: 'domain_not_verified',
        says: 'elsewhere.example',
      },
      {
        name: 'a template that does not exist',
        body: { from: GOOD.from, to: GOOD.to, template_id: '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11' },
        code: 'template_not_found',
      },
      {
        name: 'a template id that is no UUID',
        body: { from: GOOD.from, to: GOOD.to, template_id: 'invoice' },
        code: 'template_not_found',
      },
    ],
  );

  test('a template whose variables are missing is refused, naming part, variable and place', async () => {
    const template_id = await fixtures.template({
      subject: 'Invoice {{ number }}',
      text: 'Hi\nHello {{ name }}',
    });
    const send = (variables: object) =>
      service.call('POST', '/v1/messages', {
        body: { from: GOOD.from, to: GOOD.to, template_id, variables },
        headers: { 'idempotency-key': newKey() },
      });
    const refused = await send({ number: 7 });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'template_render_error']);
    expect(refused.body.error.message).toMatch(/^text: .*name.*line:2/);
    expect((await send({ number: 7, name: 'Ana' })).body).toMatchObject({
      subject: 'Invoice 7',
      template_id,
    });
    const many = await send(Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`v${at}`, 1])));
    expect([many.status, many.body.error.code]).toEqual([422, 'template_render_error']);
  });

  test('an account may refuse to send from a domain that is verified and not ready', async () => {
    const { services, account, db } = service;
    const { body: domain } = await service.call('POST', '/v1/domains', { body: { name: 'waits.example' } });
    await markVerified(services.domains, account.tenantId, domain.id);
    await service.call('POST', '/v1/senders', { body: { address: '*@waits.example' } });
    await db.execute("update dkim_keys set status = 'pending' where domain_id = $1", [domain.id]);
    const send = () => service.send({ from: 'a@waits.example' });
    expect((await send()).status).toBe(201);
    await changeTenant(services, account.tenantId, { requireReadyDomains: true });
    const refused = await send();
    expect([refused.status, refused.body.error.code]).toEqual([422, 'domain_not_verified']);
    expect(refused.body.error.message).toMatch(
      /^waits\.example is verified but not ready, .*: publish acuse-\w+-rsa\._domainkey\.waits\.example, then /,
    );
    // The sandbox's own was vouched for.
    expect((await service.send()).status).toBe(201);
    const { body } = await service.call('GET', '/v1/account');
    expect(body.settings.require_ready_domains).toBe(true);
    await changeTenant(services, account.tenantId, { requireReadyDomains: false });
    expect((await send()).status).toBe(201);
  });

  test('a refused send may be mended and retried with the same key', async () => {
    const headers = { 'idempotency-key': newKey() };
    expect((await service.send({ from: 'a@elsewhere.example' }, { headers })).body.error.code).toBe(
      'domain_not_verified',
    );
    expect((await service.send({ text: '' }, { headers })).body.error.code).toBe('invalid_body');
    expect((await service.send({}, { headers })).status).toBe(201);
  });
});
