import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { contractTexts, describeApi } from '../../../src/app/describe-api.ts';
import { PORTAL } from '../../../src/surfaces/reference/audiences.ts';
import type { OpenApiDocument } from '../../../src/surfaces/reference/openapi.ts';

/** The documents of contract/ for those who come with a session. */
const machine = describeApi();
const portal = describeApi(PORTAL);

describe.each(Object.entries(contractTexts()))('contract/%s', (name, text) => {
  test('is what the routes say', () => {
    const committed = readFileSync(new URL(`../../../../contract/${name}`, import.meta.url), 'utf8');
    expect(committed === text, 'stale: run npm run generate').toBe(true);
  });

  test('is OpenAPI 3.1 by the published meta-schema', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(text));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test('names each of its operations once, and each of its schemas in use', () => {
    const document = JSON.parse(text) as OpenApiDocument;
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const schema of Object.keys(document.components.schemas))
      expect(text).toContain(`"#/components/schemas/${schema}"`);
  });
});

/** Everything of the machine API with a key, as `GET /messages/{id}`: it is in the portal, too. */
const mirrored = Object.entries(machine.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security }]) => security.length > 0)
    .map(([method, operation]) => ({ method, path: path.slice('/v1'.length), operation })),
);

describe('the portal', () => {
  test.each(mirrored)('has $method $path of the machine API, with the same scopes', (each) => {
    const twin = portal.paths[`/v1/portal${each.path}`]?.[each.method];
    expect(twin).toMatchObject({
      operationId: each.operation.operationId,
      tags: each.operation.tags,
      security: each.operation.security.map(({ apiKey }) => ({ session: apiKey })),
    });
    for (const part of ['parameters', 'requestBody'] as const)
      expect(twin![part]).toEqual(each.operation[part]);
    expect(Object.keys(twin!.responses)).toEqual(Object.keys(each.operation.responses));
  });

  test('has no path outside of its own, and the machine API has none of its', () => {
    for (const path of Object.keys(portal.paths)) expect(path).toMatch(/^\/v1\/portal\//);
    for (const path of Object.keys(machine.paths)) expect(path).not.toMatch(/^\/v1\/(portal|admin)/);
  });

  test('describes no webhooks, and no command for a cookie that no command has', () => {
    expect(portal.webhooks).toEqual({});
    for (const methods of Object.values(portal.paths))
      for (const operation of Object.values(methods)) expect(operation['x-codeSamples']).toBeUndefined();
  });
});
