#!/usr/bin/env node
// contract/coverage.json names, for each promise of the specification and each threat of docs/threats.md,
// the tests that show it. Each of them exists: a literal that is the title of a test, of a group, or of a
// row of a table of tests, in that file. Paths are below server/test unless they begin with another folder;
// a title may be cut with an ellipsis, and "all" is every test of the file.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, readText, report } from './source-files.mjs';
import { stringsOf } from './source-text.mjs';

const PAGE = 'contract/coverage.json';
const THREATS = 'docs/threats.md';
/** The reason for a promise that no test shows. */
const REASON = /^\(.{10,}\)$/;
/** A test, or a scenario that the suite runs against every client library. */
const NAMED =
  /^([\w./-]+\.test\.m?ts|mcp\/[\w./-]+\.test\.mjs|sdks\/conformance\/scenarios\/[\w-]+\.mjs) › (.+)$/;

/** The fault in one promise or threat, as lines; `read` gives a file's text, or null. */
export function findGaps(promise, shown, read) {
  const gap = (what) => `${PAGE}: ${promise}: ${what}`;
  if (typeof shown === 'string')
    return REASON.test(shown) ? [] : [gap('names no test, and no reason in parentheses')];
  if (shown.length === 0) return [gap('names no test')];
  return shown.flatMap((named) => {
    const [, file, title] = NAMED.exec(named) ?? [];
    if (file === undefined)
      return [gap(`names no test: ${JSON.stringify(named)} is not "file.test.ts › title"`)];
    const path = /^(server|packages|scripts|web|sdks|mcp)\//.test(file) ? file : `server/test/${file}`;
    const there = titlesIn(path, read);
    if (there === null) return [gap(`${path} does not exist`)];
    return isThere(there, title.replace(LEADING_PLACEHOLDER, ''))
      ? []
      : [gap(`${path} has no test called ${JSON.stringify(title)}`)];
  });
}

function titlesIn(path, read) {
  const text = read(path);
  return text === null ? null : new Set(titlesOf(text));
}

/** Threats of the page that the file does not have, and the other way round. */
export function findStrangers(page, threats) {
  const onPage = page
    .split('\n')
    .filter((line) => /^\| (?!threat \|)/.test(line))
    .map((line) => line.split('|')[1].trim());
  return [
    ...onPage.filter((threat) => !(threat in threats)).map((threat) => `${PAGE} lacks: ${threat}`),
    ...Object.keys(threats)
      .filter((threat) => !onPage.includes(threat))
      .map((threat) => `${THREATS} lacks: ${threat}`),
  ];
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

const texts = new Map();
function read(path) {
  if (!texts.has(path)) texts.set(path, existsSync(join(ROOT, path)) ? readText(join(ROOT, path)) : null);
  return texts.get(path);
}

/** Every gap in the tree. */
export function findAll() {
  const { specification, threats } = JSON.parse(readText(join(ROOT, PAGE)));
  const promises = [...Object.values(specification), threats].flatMap(Object.entries);
  return [
    ...promises.flatMap(([promise, shown]) => findGaps(promise, shown, read)),
    ...findStrangers(readText(join(ROOT, THREATS)), threats),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findAll());
