import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { siteFiles } from '../../../src/app/describe-api.ts';

/** What npm run docs:build writes. */
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
