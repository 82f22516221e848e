import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { siteFiles } from '../../../src/app/describe-api.ts';
import { ENGLISH, IN_SPANISH, SPANISH } from '../../../src/surfaces/reference/site/menu.ts';

/** Its codes are sections. */
const APART = 'errors';

/** Output of npm run docs:build. */
const PUBLIC_URL = 'https://mail.example.com';

describe.each(['', '/0.1.0'])('published at "%s"', (base) => {
  const files = siteFiles({ publicUrl: PUBLIC_URL, base });
  const pages = [...files].filter(([path]) => path.endsWith('.html'));

  test('every link leads to a file and a place in it, or to the installation', () => {
    expect(pages.length).toBeGreaterThan(70);
    for (const [path, page] of pages) {
      for (const [, link] of page.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
        if (/^(?:https:|data:)/.test(link!)) continue;
        const [to = '', id] = link!.split('#');
        expect(to === '' || to.startsWith(`${base}/`), `${path} → ${link}`).toBe(true);
        const place = to.slice(base.length + 1);
        const target = to === '' ? page : (files.get(place) ?? files.get(posix.join(place, 'index.html')));
        expect(target, `${path} → ${link}`).toBeDefined();
        if (id !== undefined) expect(target, `${path} → ${link}`).toContain(` id="${id}"`);
      }
    }
  });

  test('search leads to its pages, and /verify to the installation', () => {
    const entries: { href: string }[] = JSON.parse(files.get('docs/search.json')!);
    for (const { href } of entries)
      expect(files.has(`${href.slice(base.length + 1).split('#')[0]}/index.html`), href).toBe(true);
    expect(files.get('docs/index.html')).toContain(`href="${PUBLIC_URL}/verify"`);
  });
});

test('pages in Spanish say so', () => {
  const files = siteFiles({ publicUrl: PUBLIC_URL, base: '' });
  expect(files.get('docs/guides/es/perito/index.html')).toContain('<main id="main" lang="es">');
  expect(files.get('docs/guides/court-expert/index.html')).toContain('<main id="main">');
});

test('a page leads to itself in the other language, and its menu is in its own', () => {
  const files = siteFiles({ publicUrl: PUBLIC_URL, base: '' });
  const [english, spanish] = ['guides/dns', 'guides/es/dns'].map(
    (page) => files.get(`docs/${page}/index.html`)!,
  );
  expect(english).toContain('<a href="/docs/guides/es/dns" lang="es" hreflang="es">Español</a>');
  expect(spanish).toContain('<a href="/docs/guides/dns" lang="en" hreflang="en">English</a>');
  const groupsOf = (page: string) =>
    [...page.matchAll(/<section><h2>([^<]+)<\/h2>/g)].map(([, title]) => title);
  expect(groupsOf(english!)).toEqual(ENGLISH.map(({ title }) => title));
  expect(groupsOf(spanish!)).toEqual(SPANISH.map(({ title }) => title));
  for (const [from, to] of Object.entries(IN_SPANISH))
    for (const path of [from, to]) expect([...files.keys()]).toContain(`${path.slice(1)}/index.html`);
});

test('every page of docs/ for readers is in the menu', () => {
  const listed = new Set([...ENGLISH, ...SPANISH].flatMap(({ pages }) => pages));
  const there = ['', 'guides', 'guides/es'].flatMap((folder) =>
    readdirSync(new URL(`../../../../docs/${folder}`, import.meta.url))
      .filter((name) => name.endsWith('.md'))
      .map((name) => posix.join(folder, name.slice(0, -'.md'.length))),
  );
  expect(there.filter((page) => !listed.has(page) && page !== APART)).toEqual([]);
});
