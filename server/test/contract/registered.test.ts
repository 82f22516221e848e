import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAdminSide } from '../../src/app/admin-side.ts';
import type { DescribedRoute } from '../../src/platform/http/route-list.ts';
import { createValidator } from '../../src/platform/http/validator.ts';
import { startTestService, type TestService } from '../support/service.ts';

/**
 * The server's answers and its documents agree, in both directions: the matrices of roles and accounts
 * are made from the documents, so that a route that is in none of them would have no rule.
 */
const DOCUMENTS = [
  { name: 'openapi.json', below: /^\/(?:v1|log)\/(?!portal\/|admin\/)/ },
  { name: 'portal.json', below: /^\/v1\/portal(?:\/|$)/ },
  { name: 'admin.json', below: /^\/v1\/admin(?:\/|$)/ },
];

const OF_KEY = ['checkpoint', 'key', 'end', 'tile/{path}', 'certificates/{tree_size}'];
/** Public, and for monitors and verifiers alone: what it answers is in docs/evidence-format.md. */
const FOR_VERIFIERS = ['GET /log/end', 'GET /log/policy', 'GET /log/m/{hash}/{key}'];
const NOT_FOR_CLIENTS = [...FOR_VERIFIERS, ...OF_KEY.map((path) => `GET /log/of/{key}/${path}`)];

let service: TestService;
let registered: readonly DescribedRoute[];

beforeAll(async () => {
  service = await startTestService();
  const admin = createAdminSide(service.services);
  await admin.app.ready();
  registered = [...service.http.routes, ...admin.routes];
  await admin.close(0);
});
afterAll(() => service?.stop());

function documented(name: string, below: RegExp): string[] {
  const file = new URL(`../../../contract/${name}`, import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, object> };
  return Object.entries(paths)
    .filter(([path]) => below.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
}

test.each(DOCUMENTS)('$name has every route that is answered, and no other', ({ name, below }) => {
  const answered = registered
    .filter(({ url, method }) => below.test(url) && method !== 'OPTIONS')
    .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')}`)
    .filter((route) => !NOT_FOR_CLIENTS.includes(route));
  expect(answered.length).toBeGreaterThan(0);
  expect([...new Set(answered)].sort()).toEqual(documented(name, below).sort());
});

test('every schema can be compiled: the server does it when a route is first asked', () => {
  const parts = ['body', 'querystring', 'params', 'headers'] as const;
  const schemas = registered.flatMap(({ schema }) =>
    parts.flatMap((part) => {
      const found = (schema as Record<string, object | undefined> | undefined)?.[part];
      return found === undefined ? [] : [{ part, found }];
    }),
  );
  expect(schemas.length).toBeGreaterThan(100);
  for (const { part, found } of schemas) {
    const validate = createValidator(found, part === 'body' ? 'body' : 'parameters');
    expect(() => validate({})).not.toThrow();
  }
});
