import { Type } from 'typebox';
import { expect, test } from 'vitest';
import type { Deprecation } from '../../src/platform/http/deprecation.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { collectRoutes } from '../../src/platform/http/route-list.ts';
import { createLog } from '../../src/platform/logger.ts';
import { writeOpenApi } from '../../src/surfaces/reference/document.ts';

const ENDING = { since: '2027-03-01', sunset: '2028-03-01', instead: 'Call GET /v1/new.' };

/** A server with one route that ends and one that stays. */
function serve(deprecation: Deprecation) {
  const app = createHttpServer({
    log: createLog('silent'),
    authenticate: async () => {},
    trustProxy: null,
  });
  const routes = collectRoutes(app);
  const answer = Type.Object({ ok: Type.Boolean() }, { $id: 'Ok' });
  for (const [name, config] of Object.entries({ old: { deprecation }, new: {} }))
    app.get(
      `/v1/${name}`,
      {
        config,
        schema: {
          ...{ operationId: name, summary: name, tags: ['Messages'] },
          querystring: Type.Object({ n: Type.Optional(Type.Integer()) }),
          response: { 200: answer },
        },
      },
      async () => ({ ok: true }),
    );
  return { app, routes };
}

test('every answer of what ends says since when, until when, and where to read on', async () => {
  const { app } = serve(ENDING);
  for (const [url, status] of [
    ['/v1/old', 200],
    ['/v1/old?n=x', 400],
  ] as const) {
    const { statusCode, headers } = await app.inject({ url });
    expect([statusCode, headers]).toEqual([
      status,
      expect.objectContaining({
        deprecation: '@1803859200',
        sunset: 'Wed, 01 Mar 2028 00:00:00 GMT',
        link: expect.stringContaining('rel="deprecation"'),
      }),
    ]);
  }
  expect((await app.inject({ url: '/v1/old?n=x' })).headers['link']).toContain('rel="help"');
  const { headers } = await app.inject({ url: '/v1/new' });
  expect(headers).not.toHaveProperty('deprecation');
  expect(headers).not.toHaveProperty('sunset');
});

test('the contract says so, and what takes its place', async () => {
  const { app, routes } = serve(ENDING);
  await app.ready();
  const { paths } = writeOpenApi(routes, '1.0.0');
  const text = 'Deprecated since 2027-03-01, and may be gone from 2028-03-01 on. Call GET /v1/new.';
  expect(paths['/v1/old']!['get']).toMatchObject({
    deprecated: true,
    description: expect.stringContaining(text),
  });
  expect(paths['/v1/new']!['get']).not.toHaveProperty('deprecated');
});

test.each([
  ['2027-03-01', '2028-02-28'],
  ['2027-03-01', 'soon'],
  ['2027-02-30x', '2029-01-01'],
])('from %s to %s is no year: the service does not start', (since, sunset) => {
  expect(() => serve({ ...ENDING, since, sunset })).toThrow('deprecated for less than a year');
});
