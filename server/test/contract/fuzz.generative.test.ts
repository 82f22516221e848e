import { casesOf } from '@acuse/testkit/cases';
import fc from '@acuse/testkit/properties';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { sealMessage } from '../support/sealed.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { arbitraryOf, nastyText } from './arbitrary.ts';
import { DOCUMENT, type DocumentedOperation, expectDocumented, OPERATIONS } from './conform.ts';
import { createTemplateFixture } from './fixtures.ts';

/**
 * Requests out of the document's own schemas, and out of spite: every answer is documented, none is a 5xx
 * (but where an authority that is not there would have to be asked), none stalls. A failure prints the
 * request, shrunk; ACUSE_TEST_FUZZ_SEED and ACUSE_TEST_CASES look further than the run that everybody makes.
 */
const SEED = Number(process.env['ACUSE_TEST_FUZZ_SEED'] ?? 20_261_120);
const RUNS = casesOf(20);
/** A stall, whatever else the machine does; no measurement. */
const STALLED_MS = 120_000;

let service: TestService;
/** Ids that exist, by the first part of the path; what is deleted is made again. */
const ids: Record<string, string[]> = {};
let templateId: string;

beforeAll(async () => {
  service = await startTestService({
    environment: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true', ACUSE_DNS_SERVERS: '127.0.0.1:9' },
  });
  const make = async (path: string, body: object) =>
    (await service.call('POST', path, { body })).body.id as string;
  ids['webhooks'] = [await make('/v1/webhooks', { url: 'https://127.0.0.1:1/', events: ['*'] })];
  ids['messages'] = [
    (await sealMessage(service)).id,
    (await service.send({ certified: false })).body.id,
    (await service.send()).body.id,
  ];
  templateId = await createTemplateFixture(() => service).template({
    subject: 'S {{ a }}',
    text: '{{ b | upcase }}',
    html: '{% for c in d %}{{ c }}{% endfor %}',
  });
  ids['templates'] = [templateId, await make('/v1/templates', { name: newKey(), subject: 'S', text: 'T' })];
  ids['domains'] = [await make('/v1/domains', { name: 'fuzz.example.com' })];
  ids['senders'] = [await make('/v1/senders', { address: 'fuzz@sandbox.test' })];
  ids['suppressions'] = [await make('/v1/suppressions', { address: 'fuzz@example.net' })];
  ids['api-keys'] = [await make('/v1/api-keys', { name: 'fuzz', scopes: ['evidence:read'] })];
  const deliveries = await service.call('GET', `/v1/webhooks/${ids['webhooks'][0]}/deliveries`);
  ids['deliveries'] = deliveries.body.data.map((each: { id: string }) => each.id);
});
afterAll(() => service?.stop());

/** Values that get past the first checks, by the name of the field. */
function good(): Record<string, readonly unknown[]> {
  return {
    from: ['billing@sandbox.test', 'Billing <billing@sandbox.test>'],
    to: ['ana@sandbox.test', 'delivered@sandbox.test'],
    text: ['Hello'],
    template_id: [templateId],
    message_id: ids['messages']!,
    url: ['https://127.0.0.1:1/', 'https://localhost:1/x', 'https://10.0.0.1/'],
    since: ['2026-01-01T00:00:00Z'],
    reply_to: ['Help <help@sandbox.test>'],
    headers: [{ 'X-Order': '7' }, { 'List-Unsubscribe': '<https://example.com/u>' }, {}],
    attachments: [[{ filename: 'a.txt', content: 'aGk=' }], []],
    tags: [['a', 'b'], []],
    metadata: [{ order: '7' }, {}],
    variables: [{ a: '1', b: 'x', d: [1, 2] }, {}],
    html: ['<p>x</p>'],
    name: ['fuzz', 'fuzz.example.org'],
    address: ['fuzz2@sandbox.test', '*@sandbox.test', 'fuzz@fuzz.example.com'],
    limit: [1, 100],
  };
}

interface Fuzzed {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | undefined;
}

const RFC822 = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.constantFrom(
          'From',
          'To',
          'Subject',
          'Cc',
          'Sender',
          'Content-Type',
          'Content-Transfer-Encoding',
          'X-A',
          'References',
          'Date',
          '',
        ),
        fc.oneof(
          fc.constantFrom(
            'billing@sandbox.test',
            'text/html',
            'base64',
            'multipart/mixed; boundary=b',
            '=?utf-8?b?8A==?=',
          ),
          nastyText,
        ),
      ),
      { maxLength: 8 },
    ),
    nastyText,
  )
  .map(([fields, body]) =>
    Buffer.from(`${fields.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`),
  );

function requests({ id, method, path, operation }: DocumentedOperation): fc.Arbitrary<Fuzzed> {
  const kind = path.split('/')[2] ?? '';
  const idIn = (known: string) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...(ids[known] ?? ['1', '0/000.p/1', 'entries/000.p/1'])) },
      { weight: 1, arbitrary: fc.constantFrom(newId(), '0/000', 'x') },
      { weight: 1, arbitrary: nastyText },
    );
  const resolve = (ref: string) => DOCUMENT.components.schemas[ref.slice(ref.lastIndexOf('/') + 1)]!;
  const query = (operation.parameters ?? []).filter((it) => it.in === 'query');
  const values = query.map((it) =>
    fc.oneof(
      { weight: it.name === 'after' ? 9 : 1, arbitrary: fc.constant('') },
      {
        weight: 1,
        arbitrary: arbitraryOf(it.schema, resolve).map((value) => `${it.name}=${encode(String(value))}`),
      },
    ),
  );
  const stray = fc.oneof(
    { weight: 19, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: nastyText.map((text) => `${encode(text)}=1`) },
  );
  const schema = operation.requestBody?.content['application/json']?.schema;
  const json =
    schema === undefined
      ? fc.oneof(
          { weight: 9, arbitrary: fc.constant('{}') },
          { weight: 1, arbitrary: fc.constantFrom('[]', '{"a":1}', '') },
        )
      : fc
          .tuple(arbitraryOf(schema, resolve, good()), fc.boolean())
          .map(([value, tidy]) => JSON.stringify(tidy ? tidied(value) : value));
  const body = fc.oneof({ weight: 19, arbitrary: json }, { weight: 1, arbitrary: nastyText });
  const key = fc
    .oneof(
      { weight: 9, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom('used', ' ', 'é', 'k'.repeat(300)) },
    )
    .map((text) => text || newKey());
  return fc
    .tuple(
      idIn(kind),
      idIn('deliveries'),
      fc.tuple(...values, stray),
      body,
      key,
      fc.integer({ min: 0, max: 9 }),
      RFC822,
    )
    .map(([first, second, parts, text, idempotencyKey, roll, raw]) => {
      const url = path
        .replace('{id}', encode(first))
        .replace('{did}', encode(second))
        .replace('{path}', first)
        .replace('{tree_size}', encode(first));
      const search = parts.filter((part) => part !== '').join('&');
      const asMessage = id === 'sendMessage' && roll < 3;
      return {
        path: `${safePath(url)}${search === '' ? '' : `?${search}`}`,
        headers: {
          'idempotency-key': idempotencyKey,
          ...(method !== 'GET' && {
            'content-type': asMessage
              ? 'message/rfc822'
              : id === 'developmentTimeStamp'
                ? 'application/timestamp-query'
                : 'application/json',
          }),
        },
        body: method === 'GET' ? undefined : asMessage ? raw : text,
      };
    });
}

/** Without variables that no template is there for, and with content: hardly a send would be accepted. */
function tidied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { messages, template_id, variables, text, ...rest } = value as Record<string, unknown>;
  if (Array.isArray(messages)) return { ...value, messages: messages.map(tidied) };
  if (!('from' in value)) return value;
  return template_id === undefined
    ? { ...rest, text: text ?? 'x' }
    : { ...rest, text, template_id, variables };
}

/** Now and then as it is, where it can stand in a URL: `%ff` and the like are for the server to read. */
function encode(text: string): string {
  return /^%[\w%]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}

function safePath(path: string): string {
  return path.replace(/[^\x21-\x7e]/g, (char) => encodeURIComponent(char.toWellFormed()));
}

/** Deleted last, so that there is something left to ask for. */
const inOrder = [...OPERATIONS].sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

test.each(inOrder)('$id', async (documented) => {
  const { method } = documented;
  await fc.assert(
    fc.asyncProperty(requests(documented), async ({ path, headers, body }) => {
      // Clients and servers resolve dot segments: that would be another operation.
      fc.pre(!/\/\.\.?(?:\/|\?|$)/.test(path));
      const began = performance.now();
      const answer = await service.http.app.inject({
        method: method as 'GET',
        url: path,
        headers: { authorization: `Bearer ${service.account.apiKey}`, ...headers },
        ...(body !== undefined && { payload: body }),
      });
      expect(performance.now() - began).toBeLessThan(STALLED_MS);
      if (!(documented.id === 'sealMessage' && answer.statusCode === 503))
        expect(answer.statusCode).toBeLessThan(500);
      // A path that reads as another one is answered as that one: nothing to compare with.
      if (isElsewhere(documented, answer)) return;
      expectDocumented(documented, {
        status: answer.statusCode,
        headers: answer.headers,
        body: answer.rawPayload,
      });
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

/** The unknown route's 404 and the known path's 405 belong to the server, not to an operation. */
function isElsewhere(
  { operation }: DocumentedOperation,
  answer: { statusCode: number; body: string },
): boolean {
  if (answer.statusCode === 405) return true;
  return answer.statusCode === 404 && operation.responses['404'] === undefined;
}

test('after all that the service is as good as new', async () => {
  expect((await service.send()).status).toBe(201);
  expect((await service.call('GET', '/readyz')).status).toBe(200);
});
