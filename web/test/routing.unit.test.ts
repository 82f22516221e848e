import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import type { ApiClient } from '../shared/api/client.ts';
import { route } from '../shared/routing/page.ts';
import { createPageRouter } from '../shared/routing/router.tsx';

const Nothing = () => null;
const frame = () => Promise.resolve({ default: Nothing });
const router = createPageRouter({
  basepath: '/',
  routes: [route('/things/$id', () => Promise.reject(new Error('nothing is loaded')))],
  queryClient: new QueryClient(),
  api: {} as ApiClient,
  shell: frame,
  openFrame: frame,
  Loading: Nothing,
  Failed: Nothing,
  FrameFailed: Nothing,
  Missing: Nothing,
});
const shown = (path: string, search: object) => router.matchRoutes(path, search).at(-1)?.id;

// A match of its own is loaded before it is shown: on a slow machine what somebody typed was lost.
test('another search is the same page, another parameter is not', () => {
  const page = shown('/things/1', {});
  expect(page).toContain('/things/1');
  expect(shown('/things/1', { tab: 'use', language: 'en' })).toBe(page);
  expect(shown('/things/2', {})).not.toBe(page);
});
