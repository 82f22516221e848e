import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const listed = (folder: string, pattern: RegExp) =>
  readdirSync(join(root, folder))
    .filter((name) => pattern.test(name))
    .map((name) => `${folder}/${name}`);
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const decisions = listed('docs/decisions', /\.md$/);
/** Decisions are history: they may name what has moved since. */
const PAGES = [
  ...listed('.', /^[A-Z]+\.md$/).filter((path) => !path.includes('CHANGELOG')),
  ...listed('docs', /\.md$/),
  ...['docs/guides', 'docs/guides/es'].flatMap((folder) => listed(folder, /\.md$/)),
  ...listed('packages', /^\w+$/).map((folder) => `${folder}/README.md`),
  'contract/README.md',
];

test('each decision has a number of its own, in its name and its title', () => {
  const numbers = decisions.map((path) => path.slice('docs/decisions/'.length).slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const [index, path] of decisions.entries())
    expect(read(path)).toMatch(new RegExp(`^# ${numbers[index]}: `));
});

test.each(PAGES)('%s names files and decisions that are there', (page) => {
  const text = read(page);
  const files = [...text.matchAll(/`((?:server|packages|scripts|contract|docs|bench)\/[\w./-]+)`/g)];
  expect(files.map(([, path]) => path!).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const numbers = [...text.matchAll(/docs\/decisions\/(\d{4})/g)].map(([, number]) => number!);
  expect(numbers.filter((number) => !decisions.some((path) => path.includes(`/${number}-`)))).toEqual([]);
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, to]) => to!);
  expect(links.filter((to) => !existsSync(join(root, page, '..', to)))).toEqual([]);
});
