import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { describeApi, openApiText } from '../../../src/app/describe-api.ts';
import { API_ERRORS, type ApiErrorCode, DOOR_ERRORS } from '../../../src/errors.ts';
import { BODY_ERRORS, KEYED_ERRORS } from '../../../src/platform/http/api-schema.ts';
import { SCOPES } from '../../../src/platform/http/http.ts';
import { PORTAL } from '../../../src/surfaces/reference/audiences.ts';
import { DESCRIPTIONS } from '../../../src/surfaces/reference/descriptions.ts';
import { answerOf } from '../../../src/surfaces/reference/document.ts';
import type { Schema } from '../../../src/surfaces/reference/example.ts';
import type { MediaType, Operation } from '../../../src/surfaces/reference/openapi.ts';
import { documentSchemas } from '../../support/json-schema.ts';

const document = describeApi();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: operation.operationId,
    method,
    path,
    operation,
  })),
);
const schemas = documentSchemas(document);

/** The codes that an operation says it can answer. */
function codesOf(operation: Operation): Set<ApiErrorCode> {
  const media = Object.values(operation.responses).flatMap((answer) =>
    Object.values(answerOf(document, answer).content ?? {}),
  );
  return new Set(media.flatMap(({ examples }) => Object.keys(examples ?? {})) as ApiErrorCode[]);
}

test('the committed contract is what the routes say', () => {
  const committed = readFileSync(new URL('../../../../contract/openapi.json', import.meta.url), 'utf8');
  expect(committed === openApiText(document), 'stale: run npm run generate').toBe(true);
});

test('the document is OpenAPI 3.1 by the published meta-schema', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(openApiText(document)));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test.each([
  ['openapi', document],
  ['portal', describeApi(PORTAL)],
])('%s: every property has a description, of its own or of its type', (_name, { components }) => {
  const missing = Object.entries(components.schemas).flatMap(([name, schema]) =>
    Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).flatMap(([property, its]) => {
      const { $ref, description } = its as { $ref?: string; description?: string };
      const target = $ref === undefined ? undefined : components.schemas[$ref.split('/').at(-1)!];
      return (description ?? target?.['description']) === undefined ? [`${name}.${property}`] : [];
    }),
  );
  expect(missing).toEqual([]);
});

test('the descriptions beside the schemas name properties that are there, and are used', () => {
  const all = { ...describeApi(PORTAL).components.schemas, ...document.components.schemas };
  const unused = Object.entries(DESCRIPTIONS).flatMap(([name, properties]) =>
    Object.entries(properties)
      .filter(([property, text]) => {
        const its = (all[name]?.['properties'] as Record<string, Schema> | undefined)?.[property];
        return its?.['description'] !== text;
      })
      .map(([property]) => `${name}.${property}`),
  );
  expect(unused).toEqual([]);
});

test('every operation says what it does, beyond its scope', () => {
  const bare = operations.filter(({ operation }) => {
    const own = operation.description?.split('\n\n').slice(0, -1).join(' ') ?? '';
    return own.length < 20;
  });
  expect(bare.map(({ name }) => name)).toEqual([]);
});

describe.each(operations)('$name', ({ method, path, operation }) => {
  test('says what it is, whom it lets in and what it answers', () => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
    const scopes = operation.security.flatMap(({ apiKey = [] }) => apiKey);
    expect(scopes.length > 0).toBe(path.startsWith('/v1/'));
    for (const scope of scopes) expect(SCOPES).toContain(scope);
    expect(Object.keys(operation.responses).some((status) => status.startsWith('2'))).toBe(true);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const given = (operation.parameters ?? []).filter((it) => it.in === 'path').map((it) => it.name);
    expect(given).toEqual(named);
  });

  test('says how a client may repeat it', () => {
    const retry = operation['x-acuse-retry'];
    const keyed = (operation.parameters ?? []).some(({ name }) => name === 'Idempotency-Key');
    // The items of a batch have their keys in the body.
    expect(retry === 'keyed').toBe(keyed || operation.operationId === 'sendBatch');
    expect(retry === 'safe').toBe(method === 'get');
    if (method !== 'post') expect(['safe', 'repeatable']).toContain(retry);
  });

  test('names every refusal that its place in the server brings with it', () => {
    const codes = codesOf(operation);
    expect(codes).toContain('internal_error');
    if (!path.startsWith('/v1/')) return;
    for (const code of KEYED_ERRORS) expect(codes).toContain(code);
    if (method !== 'get') for (const code of BODY_ERRORS) expect(codes).toContain(code);
    if (method === 'get' && operation.parameters?.some((it) => it.in === 'query')) {
      expect(codes).toContain('invalid_parameter');
    }
    if (path.includes('{')) expect(codes).toContain('not_found');
  });

  test('has examples that its schemas allow', () => {
    const media: [string, MediaType][] = [
      ...Object.entries(operation.requestBody?.content ?? {}),
      ...Object.values(operation.responses).flatMap((answer) =>
        Object.entries(answerOf(document, answer).content ?? {}),
      ),
    ];
    for (const [type, { schema, example, examples }] of media) {
      if (type !== 'application/json') continue;
      const shown = examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);
      for (const value of shown) expect(schemas.problem(schema, value), JSON.stringify(value)).toBeNull();
    }
    for (const { schema, example } of operation.parameters ?? [])
      if (example !== undefined) expect(schemas.problem(schema, example)).toBeNull();
  });
});

describe('what generators make of it', () => {
  const media = operations.flatMap(({ name, operation }) => [
    ...Object.entries(operation.requestBody?.content ?? {}).map(
      ([type, it]) => [`${name} request`, type, it] as const,
    ),
    ...Object.entries(operation.responses).flatMap(([status, answer]) =>
      Object.entries(answerOf(document, answer).content ?? {}).map(
        ([type, it]) => [`${name} ${status}`, type, it] as const,
      ),
    ),
  ]);

  test('each JSON body and answer has a name, and all refusals are one Error', () => {
    for (const [place, type, { schema }] of media) {
      if (type !== 'application/json') continue;
      expect(String(schema['$ref']), place).toMatch(/^#\/components\/schemas\/[A-Z][A-Za-z]+$/);
      if (/ [45]\d\d$/.test(place)) expect(schema['$ref'], place).toBe('#/components/schemas/Error');
    }
    for (const [name, answer] of Object.entries(document.components.responses)) {
      expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(answer.content!['application/json']!.schema['$ref']).toBe('#/components/schemas/Error');
    }
  });

  test('no schema has a union beside its properties, a nameless object or a pattern that needs flags', () => {
    const problems: string[] = [];
    const visit = (value: unknown, path: string, named: boolean): void => {
      if (typeof value !== 'object' || value === null) return;
      const schema = value as Record<string, unknown>;
      if (schema['type'] === 'object' && schema['properties'] !== undefined) {
        if (!named) problems.push(`${path} has no name`);
        if (schema['anyOf'] !== undefined || schema['oneOf'] !== undefined)
          problems.push(`${path} has a union`);
      }
      if (typeof schema['pattern'] === 'string' && /\\[pPu]|\(\?/.test(schema['pattern']))
        problems.push(`${path} has the pattern ${schema['pattern']}`);
      for (const [key, part] of Object.entries(schema))
        if (key !== 'example' && key !== 'examples')
          visit(part, `${path}/${key}`, path === '/components/schemas');
    };
    visit(JSON.parse(openApiText(document)), '', false);
    expect(problems).toEqual([]);
  });
});

describe('errors', () => {
  test('each code stands at its one status', () => {
    for (const { operation } of operations) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        for (const { examples } of Object.values(answerOf(document, answer).content ?? {}))
          for (const code of Object.keys(examples ?? {}))
            expect([code, API_ERRORS[code as ApiErrorCode].status]).toEqual([code, Number(status)]);
      }
    }
  });

  test('every code is answered by some operation, but for a wrong method and behind doors', () => {
    const answered = new Set(operations.flatMap(({ operation }) => [...codesOf(operation)]));
    // Only sealing on demand answers not_certified.
    const sealing = document.paths['/v1/messages/{id}/seal'] === undefined ? ['not_certified'] : [];
    const unanswered = Object.keys(API_ERRORS).filter((code) => !answered.has(code as ApiErrorCode));
    expect(unanswered.sort()).toEqual(['method_not_allowed', ...DOOR_ERRORS, ...sealing].sort());
  });

  test('the envelope is exactly {"error":{"code","message"}}', () => {
    const schema = document.components.schemas['Error']!;
    const error = { code: 'not_found', message: 'x' };
    expect(schemas.problem(schema, { error })).toBeNull();
    for (const other of [
      {},
      { error, more: 1 },
      { error: { ...error, field: 'x' } },
      { error: { code: 'x', message: 'y' } },
    ])
      expect(schemas.problem(schema, other)).not.toBeNull();
  });
});

describe('webhooks', () => {
  test('every event type has a body, an example and the specified headers', () => {
    expect(Object.keys(document.webhooks)).toEqual([
      ...['queued', 'sent', 'deferred', 'bounced', 'complained', 'sealed'].map((name) => `email.${name}`),
      ...['given', 'refused', 'expired'].map((name) => `acknowledgement.${name}`),
    ]);
    for (const { post } of Object.values(document.webhooks)) {
      const { schema, example } = post.requestBody!.content['application/json']!;
      expect(schemas.problem(schema, example)).toBeNull();
      expect(post.parameters!.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['Service-Event', 'Service-Signature', 'Service-Webhook-Id', 'User-Agent']),
      );
    }
  });
});
