#!/usr/bin/env node
// Links between the pages of docs/, README.md and the other pages at the root: the file is there, and so is
// the heading. Links of the site that is made of them are followed by server/test/reference/routes.test.ts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const FENCED = /^```[^\n]*\n[\s\S]*?^```$/gm;
const LINK = /\]\((?!https?:|mailto:)([^()\s]+)\)/g;
const HEADING = /^#{1,6} (.+)$/gm;

/** Ids of headings as GitHub, and the site, make them. */
export function idsOf(text) {
  const seen = new Map();
  return [...text.replace(FENCED, '').matchAll(HEADING)].map(([, heading]) => {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** What is wrong with the links of a page, as lines. `read`: text by path; undefined: no such file. */
export function brokenLinks(page, text, read) {
  return [...text.replace(FENCED, '').matchAll(LINK)].flatMap(([, target]) => {
    const [file, id] = target.split('#');
    const there = file === '' ? text : read(join(dirname(page), file));
    if (there === undefined) return [`${page}: ${target}: no such file`];
    if (id === undefined || idsOf(there).includes(id)) return [];
    return [`${page}: ${target}: no such heading`];
  });
}

function pagesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pages = [...pagesBelow('docs'), ...readdirSync(root).filter((name) => name.endsWith('.md'))];
  const read = (path) => {
    const place = join(root, relative('.', path));
    if (!existsSync(place)) return undefined;
    return path.endsWith('.md') ? readFileSync(place, 'utf8') : '';
  };
  const broken = pages.flatMap((page) => brokenLinks(page, read(page), read));
  for (const line of broken) console.log(line);
  process.exit(broken.length === 0 ? 0 : 1);
}
