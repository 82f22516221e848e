import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { readModel, readSources } from './model.mjs';
// @ts-expect-error: a script without types
import { TABLE } from './outbox.mjs';
// @ts-expect-error: a script without types
import { newlyRequired } from './released.mjs';
// @ts-expect-error: a script without types
import { emitterOf, languages, placed } from './run.mjs';
// @ts-expect-error: a script without types
import { readSchema, typeOf } from './schemas.mjs';

const sources = readSources() as Record<'openapi' | 'names' | 'errors' | 'essential', string>;

/** The sources with one of them changed, as texts. */
function changed(key: 'openapi' | 'names', change: (document: Record<string, never>) => void) {
  const document = JSON.parse(sources[key]);
  change(document);
  return { [key]: JSON.stringify(document) };
}

test('docs/clients.md shows the table of the outbox as the libraries create it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8');
  expect(page).toContain(`\`\`\`sql\n${TABLE}\`\`\``);
});

test('the model has every operation and every schema of the contract', () => {
  const model = readModel();
  const document = JSON.parse(sources.openapi);
  const inContract = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>)
    .flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    .sort();
  const inModel = model.operations.map(({ operationId }: { operationId: string }) => operationId);
  const leftOut = model.leftOut.map(({ operationId }: { operationId: string }) => operationId);
  expect([...new Set(inModel), ...leftOut].sort()).toEqual(inContract);
  expect(leftOut).toEqual(['reportLeakedApiKey', 'developmentTimeStamp', 'developmentRootCertificate']);
  expect(model.schemas.map(({ name }: { name: string }) => name).sort()).toEqual(
    Object.keys(document.components.schemas).sort(),
  );
  expect(model.errors.map(({ code }: { code: string }) => code).sort()).toEqual(
    [...document.components.schemas.ErrorCode.enum].sort(),
  );
  expect(model.events.map(({ type }: { type: string }) => type)).toEqual(Object.keys(document.webhooks));
});

test('a send in the model: body, key, classes, scope, errors with their fixes', () => {
  const model = readModel();
  const send = model.operations.find(({ id }: { id: string }) => id === 'sendMessage');
  expect(send).toMatchObject({
    resource: 'messages',
    method: 'send',
    http: 'POST',
    path: '/v1/messages',
    retry: 'keyed',
    scope: 'messages:send',
    success: [200, 201],
    body: { type: { kind: 'ref', name: 'Send' }, media: 'application/json', required: true },
    result: { kind: 'json', type: { kind: 'ref', name: 'Message' } },
  });
  expect(send.headers.map(({ name }: { name: string }) => name)).toEqual(['Idempotency-Key']);
  expect(send.errors).toContain('recipient_suppressed');
  const raw = model.operations.find(({ id }: { id: string }) => id === 'sendRawMessage');
  expect(raw).toMatchObject({
    operationId: 'sendMessage',
    method: 'sendRaw',
    body: { type: null, media: 'message/rfc822' },
  });
  const list = model.operations.find(({ id }: { id: string }) => id === 'listMessages');
  expect(list.result).toEqual({ kind: 'page', page: 'MessagePage', item: { kind: 'ref', name: 'Message' } });
  const tile = model.operations.find(({ id }: { id: string }) => id === 'getLogTile');
  expect(tile.pathParams).toMatchObject([{ name: 'path', slashes: true }]);
  const unavailable = model.errors.find(({ code }: { code: string }) => code === 'unavailable');
  expect(unavailable).toMatchObject({
    status: 503,
    fix: expect.stringMatching(/Retry-After.*same `Idempotency-Key`/),
  });
  const unsealed = model.errors.find(({ code }: { code: string }) => code === 'missing_proof_data');
  expect(unsealed.fix).toMatch(/Retry.* plain message .*`certified=true`/);
});

test('which schemas requests hold, and which answers', () => {
  const { schemas } = readModel();
  const of = (name: string) => schemas.find((schema: { name: string }) => schema.name === name);
  expect(of('Send')).toMatchObject({ kind: 'object', input: true, output: false });
  expect(of('Message')).toMatchObject({ kind: 'object', input: false, output: true });
  expect(of('Scope')).toMatchObject({ kind: 'enum', input: true, output: true });
  expect(of('Recipients')).toMatchObject({ kind: 'union', input: true });
  expect(of('EmailBouncedData')).toMatchObject({ output: true });
});

test('a route without a name is an error that says what to write', () => {
  const sourcesWithRoute = changed('openapi', (document: { paths?: Record<string, unknown> }) => {
    document.paths!['/v1/mail-lists/{id}'] = {
      patch: { operationId: 'updateMailList', 'x-acuse-retry': 'repeatable', responses: {} },
    };
  });
  expect(() => readModel(sourcesWithRoute)).toThrow(
    'sdks/generate/names.json: PATCH /v1/mail-lists/{id} (updateMailList) has no name: ' +
      'add "updateMailList": { "resource": "mailLists", "method": "update" }',
  );
});

test.each([
  [
    'names an operation that is gone',
    { operations: { goneAway: { resource: 'gone', method: 'away' } } },
    /names goneAway, which contract\/openapi\.json does not have: remove the line/,
  ],
  [
    'has a name twice',
    { operations: { getHealth: { resource: 'health', method: 'ready' } } },
    /health\.ready is the name of getHealth and getReadiness: give each its own/,
  ],
  [
    'has a name in another case',
    { operations: { getHealth: { resource: 'health', method: 'is_live' } } },
    /getHealth: "is_live" is not in camelCase/,
  ],
  [
    'leaves out without a reason',
    { operations: { getHealth: { leftOut: '' } } },
    /getHealth: say in leftOut/,
  ],
  [
    'forgets a media type of a body',
    { operations: { sendMessage: { resource: 'messages', method: 'send' } } },
    /sendMessage: message\/rfc822 has no name: add .*"body": "message\/rfc822"/,
  ],
  [
    'has a media type that the contract lacks',
    {
      operations: {
        getRates: {
          resource: 'rates',
          method: 'get',
          variants: [{ id: 'getRatesCsv', method: 'csv', accept: 'text/csv' }],
        },
      },
    },
    /getRates: a variant has text\/csv, which the contract does not/,
  ],
])('names.json %s', (_what, difference, message) => {
  const names = JSON.parse(sources.names);
  Object.assign(names.operations, difference.operations);
  expect(() => readModel({ names: JSON.stringify(names) })).toThrow(message);
});

test('docs/errors.md without a row for a code', () => {
  const errors = sources.errors.replace(/\n\| 429 \| `rate_limited`[^\n]*/, '');
  expect(() => readModel({ errors })).toThrow('docs/errors.md has no row for rate_limited: add one');
});

test.each([
  [{ type: ['string', 'null'], format: 'date-time' }, { kind: 'string', format: 'date-time' }, true],
  [
    { anyOf: [{ $ref: '#/components/schemas/Reply' }, { type: 'null' }] },
    { kind: 'ref', name: 'Reply' },
    true,
  ],
  [{ type: 'object', additionalProperties: {} }, { kind: 'map', of: { kind: 'json' } }, false],
  [
    { type: 'array', items: { type: ['string', 'null'] } },
    { kind: 'array', of: { kind: 'union', of: [{ kind: 'string' }, { kind: 'null' }] } },
    false,
  ],
  [{ type: ['string', 'null'], enum: ['inline', null] }, { kind: 'string', values: ['inline'] }, true],
  [{ type: 'string', const: 'ok' }, { kind: 'string', values: ['ok'] }, false],
  [{ description: 'any' }, { kind: 'json' }, false],
])('the type of %j', (schema, type, nullable) => {
  expect(typeOf(schema)).toEqual({ type, nullable });
});

test('an answer does not require what servers of the last release do not have', () => {
  expect(newlyRequired(readModel())).toEqual([]);
  const document = JSON.parse(sources.openapi);
  document.components.schemas.Message.properties.priority = { type: 'string' };
  expect(newlyRequired(readModel({ openapi: JSON.stringify(document) }))).toEqual([]);
  document.components.schemas.Message.required.push('priority');
  expect(newlyRequired(readModel({ openapi: JSON.stringify(document) }))).toEqual([
    expect.stringMatching(/^Message\.priority is required in answers, and servers of /),
  ]);
  // Fields that a request must have, and that a new answer has, are no answer of an older server.
  document.components.schemas.Message.required.pop();
  document.components.schemas.Send.properties.priority = { type: 'string' };
  document.components.schemas.Send.required.push('priority');
  expect(newlyRequired(readModel({ openapi: JSON.stringify(document) }))).toEqual([]);
});

test('what is essential is in the contract, and required there', () => {
  const essential = JSON.parse(sources.essential);
  const wrong = (message: string[]) => ({ essential: JSON.stringify({ ...essential, Message: message }) });
  expect(() => readModel(wrong(['id', 'mood']))).toThrow('Message has no required field mood');
  expect(() => readModel(wrong(['copies']))).toThrow('Message has no required field copies');
});

test('what the generator does not know is refused', () => {
  expect(() => typeOf({ oneOf: [] }, 'A.b')).toThrow(/A\.b: the generator knows no oneOf: teach it/);
  expect(() => typeOf({ type: 'object', properties: {} }, 'A.b')).toThrow(
    /has a name: give its schema an \$id/,
  );
  expect(() => readSchema('A', { type: 'string' })).toThrow(/an object, an enum or a union/);
});

test.each([
  ['a.generated.txt', '# Generated by npm run generate; do not edit.\n', null],
  ['../go/a.generated.txt', '# Generated; do not edit.\n', /an emitter writes only below sdks\/x\//],
  ['a.txt', '# Generated; do not edit.\n', /has "generated" in its name/],
  ['a.generated.txt', 'nothing\n', /lack "Generated … do not edit"/],
  ['a.generated.txt', '# Generated; do not edit.', /does not end in a line break/],
])('an emitter that writes %s', (path, text, problem) => {
  if (problem === null) expect(placed('sdks/x', [{ path, text }], [])).toEqual([[`sdks/x/${path}`, text]]);
  else expect(() => placed('sdks/x', [{ path, text }], [])).toThrow(problem);
});

test('what an emitter no longer writes is to be removed', () => {
  const present = ['sdks/x/src/generated/old.txt', 'sdks/x/src/old.generated.txt', 'sdks/x/src/hand.txt'];
  expect(placed('sdks/x', [], present)).toEqual([
    ['sdks/x/src/generated/old.txt', undefined],
    ['sdks/x/src/old.generated.txt', undefined],
  ]);
});

test('every emitter writes the same twice, below its own folder', async () => {
  const model = readModel();
  for (const language of languages()) {
    const emit = await emitterOf(language);
    if (emit === null) continue;
    const [once, again] = [emit(structuredClone(model)), emit(structuredClone(model))];
    expect(placed(`sdks/${language}`, once, [])).toEqual(placed(`sdks/${language}`, again, []));
  }
});

/** Where each library, and the service's command, has which media type a file's extension stands for. */
const MEDIA_TYPES: Record<string, string> = {
  typescript: 'src/media-types.ts',
  python: 'src/acuse/_files.py',
  go: 'files.go',
  rust: 'src/files.rs',
  java: 'src/main/java/dev/acuse/AttachedFile.java',
  php: 'src/Attachment.php',
  ruby: 'lib/acuse/attachment.rb',
  command: '../server/src/cli/send-body.ts',
};

test('a file as an attachment has the same media type in every library', () => {
  expect(Object.keys(MEDIA_TYPES).sort()).toEqual(['command', ...languages()].sort());
  const tables = Object.entries(MEDIA_TYPES).map(([language, path]) => {
    const text = readFileSync(
      join(import.meta.dirname, '..', path.startsWith('..') ? '' : language, path),
      'utf8',
    );
    const pairs = text.matchAll(/['"]?\.?\b([a-z]{2,4})['"]?(?:,|:| =>)\s+['"]([a-z]+\/[a-z0-9.+-]+)['"]/g);
    return { language, pairs: [...pairs].map(([, extension, type]) => `${extension} ${type}`).sort() };
  });
  expect(tables[0]?.pairs.length).toBe(23);
  for (const { language, pairs } of tables) expect(pairs, language).toEqual(tables[0]?.pairs);
});
