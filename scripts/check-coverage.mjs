#!/usr/bin/env node
// contract/specification-coverage.md names, for each promise of the specification, the test that shows it,
// and docs/threats.md for each threat. Every test that they name exists: a literal that is the title of a
// test, of a group, or of a row of a table of tests, in the file that they name.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, readText, report } from './source-files.mjs';
import { stringsOf } from './source-text.mjs';

const PAGES = ['contract/specification-coverage.md', 'docs/threats.md'];
/** A row says which test shows its promise, or in parentheses why none does. */
const REASON = /^\(.{10,}\)$/;
/** A test, or a scenario that the suite runs against every client library. */
const NAMED =
  /^`([\w./-]+\.test\.m?ts|mcp\/[\w./-]+\.test\.mjs|sdks\/conformance\/scenarios\/[\w-]+\.mjs)` › (.+)$/;

/** What is wrong with a page, as lines; `read` gives a file's text, or null. */
export function findGaps(page, read, name = PAGES[0]) {
  const known = new Map();
  const titles = (file) => {
    if (!known.has(file)) {
      const text = read(file);
      known.set(file, text === null ? null : new Set(titlesOf(text)));
    }
    return known.get(file);
  };
  const rows = page
    .split('\n')
    .flatMap((line, at) => (isRow(line) ? [{ line: at + 1, cells: cellsOf(line) }] : []));
  if (rows.length === 0) return ['the page has no rows'];
  return rows.flatMap(({ line, cells: [promise, ...rest] }) => {
    const shown = rest.at(-1) ?? '';
    const gap = (what) => `${name}:${line}: ${promise}: ${what}`;
    if (REASON.test(shown)) return [];
    return shown.split('<br>').flatMap((named) => {
      const [, file, title] = NAMED.exec(named.trim()) ?? [];
      if (file === undefined)
        return [gap(`names no test: ${JSON.stringify(named)} is not \`file.test.ts\` › title`)];
      const path = /^(server|packages|scripts|web|sdks|mcp)\//.test(file) ? file : `server/test/${file}`;
      const there = titles(path);
      if (there === null) return [gap(`${path} does not exist`)];
      return isThere(there, title.replace(LEADING_PLACEHOLDER, ''))
        ? []
        : [gap(`${path} has no test called ${JSON.stringify(title)}`)];
    });
  });
}

/** `all`: every test of the file; an ellipsis stands for what is left out of a title. */
function isThere(titles, title) {
  if (titles.has(title)) return true;
  if (title === 'all') return titles.size > 0;
  if (!title.includes('…')) return false;
  const parts = title.split('…').map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`, 's');
  return title.length > 10 && [...titles].some((it) => pattern.test(it));
}

/** Of a title that is a template and begins with a placeholder, the rest counts. */
const LEADING_PLACEHOLDER = /^\$\{\w+\}/;

/**
 * Every literal that may be a title: of a test or a group, or of a row, which is its `name` or its first
 * item.
 */
function titlesOf(text) {
  const lines = text.split('\n');
  return stringsOf(text)
    .filter(({ value, line }) => mayBeTitle(value, lines[line - 1], lines[line - 2] ?? ''))
    .map(({ value }) => value.replace(/\\(['"`])/g, '$1'));
}

function mayBeTitle(value, line, before) {
  const at = line.indexOf(value) - 1;
  const lead = line.slice(0, Math.max(0, at)).trim() || before.trim();
  return /(?:\(|\[|\bname:|\btitle:|^\$\{\w+)$/.test(lead) || line.slice(0, at + 1).endsWith('}');
}

function isRow(line) {
  return line.startsWith('|') && !/^\|(-+\||\s*(?:Promise|threat)\s*\|)/.test(line);
}

function cellsOf(line) {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function read(path) {
  return existsSync(join(ROOT, path)) ? readText(join(ROOT, path)) : null;
}

/** Every gap in the tree's pages. */
export function findAll() {
  return PAGES.flatMap((page) => findGaps(readText(join(ROOT, page)), read, page));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findAll());
