import { expect, test } from 'vitest';
import { routes as adminRoutes } from '../admin/src/routes.ts';
import { routes as portalRoutes } from '../portal/src/routes.ts';
import { ADMIN_PAGES, PORTAL_PAGES } from './pages.mjs';

test.each([
  ['portal', portalRoutes, PORTAL_PAGES],
  ['console', adminRoutes, ADMIN_PAGES],
])('every page that routes.ts of the %s lists is visited', (_name, routes, pages) => {
  const visited = new Set(pages.map(({ route }) => route));
  expect(routes.map(({ path }) => path).filter((path) => !visited.has(path))).toEqual([]);
});

test('every browser profile of these tests is watched: it comes from startPortal', () => {
  const sources = import.meta.glob<string>('./**/*.ts', { eager: true, query: '?raw', import: 'default' });
  const opening = Object.entries(sources).filter(([, source]) =>
    /\b(?:newContext|startBrowser)\(/.test(source),
  );
  expect(opening.map(([file]) => file)).toEqual(['./support/profiles.ts']);
  const taking = Object.entries(sources).filter(([, source]) => /\bnewProfile\b/.test(source));
  const expected = ['./support/portal.ts', './support/profiles.ts'];
  expect(taking.map(([file]) => file).filter((file) => !file.includes('.unit.'))).toEqual(expected);
});
