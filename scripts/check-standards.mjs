#!/usr/bin/env node
// Comments name the rule that their code follows as `RFC 5321 §4.5.3.2`, so that
// `git grep -F 'RFC 5321 §4.5'` finds where it is followed. What is named must be in standards.json, with the
// sections that exist.
//
// An RFC is named with a section, so that a reader finds the rule. Without one it may be named in the comment
// that a file begins with (the file follows the whole of it), and where standards.json says why (`whole`).
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, readText, report } from './source-files.mjs';
import { commentsOf } from './source-text.mjs';

const SOURCES =
  /^(?:bench|scripts|sdks|web|mcp|(?:packages\/[^/]+|server)\/(?:bin|src|test|interop))\/.*\.[cm]?[jt]sx?$/;
const SKIPPED =
  /(?:^|\/)(?:node_modules|dist|vendor|\.venv|target)\/|^web\/shared\/api\/\w+-types\.ts$|^sdks\/[^/]+\/.*generated/;

/**
 * `sections`: those that exist: `2.3.1-11` are 2.3.1 … 2.3.11, `A-B A.1-2` appendices; headings are between
 * semicolons.
 */
const STANDARDS = withOwnFormat(JSON.parse(readText(join(ROOT, 'scripts/standards.json'))));

const SECTION = /§+\s?([\dA-Z]+(?:\.\d+)*)/y;
const HEADING = /, "([^"]+)"/y;
/** Between two sections of one standard. */
const BETWEEN = /(?:,|,? and|,? or|;)? (?=§)|[–-](?=\d)/y;

/** Our own format is a standard too: its sections are its numbered headings. */
function withOwnFormat(standards) {
  const name = 'docs/evidence-format.md';
  const headings = readText(join(ROOT, name)).matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm);
  return {
    ...standards,
    [name]: { ...standards[name], sections: [...headings].map(([, it]) => it).join(' ') },
  };
}

/**
 * Standards that the comments of a file name: `sections` are as written; empty for a standard as a whole.
 * `head`: begins the file.
 */
export function citationsOf(text) {
  return commentsOf(text).flatMap((comment) =>
    citationsIn(comment.text).map((it) => ({ ...it, ...comment })),
  );
}

function citationsIn(text) {
  const names = Object.keys(STANDARDS).filter((name) => !name.startsWith('RFC '));
  const found = [];
  let read = 0;
  const pattern = new RegExp(
    `(?<!\\w)(?:RFCs?[ -]?|[Rr]fcs?[ -])\\d{3,}|C2SP [a-z-]+|(?:${names.map(escaped).join('|')})|§`,
    'g',
  );
  for (const match of text.matchAll(pattern)) {
    if (match.index < read) continue;
    const { sections, end } = sectionsAt(text, match.index + (match[0] === '§' ? 0 : match[0].length));
    read = end;
    found.push({ name: match[0] === '§' ? null : match[0], sections });
  }
  return found;
}

function sectionsAt(text, start) {
  const sections = [];
  let at = start + (/^,? \(?(?=§)/.exec(text.slice(start, start + 3))?.[0].length ?? 0);
  for (;;) {
    const pattern = sections.length > 0 && text[at] !== '§' ? /([\d]+(?:\.\d+)*)/y : SECTION;
    const match = matchAt(pattern, text, at) ?? matchAt(HEADING, text, at);
    if (match === null) return { sections, end: at };
    sections.push(match[1]);
    at += match[0].length;
    const between = matchAt(BETWEEN, text, at);
    if (between === null) return { sections, end: at };
    at += between[0].length;
  }
}

function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** The breaches of one file, as lines. */
export function checkStandards(path, text) {
  return citationsOf(text).flatMap(({ name, sections, line, head }) => {
    const breach = (message) => [`${path}:${line}: ${message}`];
    if (name === null) return breach('names a section (§) of no standard: write the standard before it');
    const standard = STANDARDS[name];
    if (standard === undefined)
      return breach(`names ${name}: write it as in scripts/standards.json, or add it`);
    const existing = new Set(expand(standard.sections ?? ''));
    const dead = sections.filter((it) => !existing.has(it));
    if (dead.length > 0)
      return breach(`${name} has no section ${dead.join(', ')} (sections: scripts/standards.json)`);
    if (sections.length > 0 || head || standard.whole || !name.startsWith('RFC ')) return [];
    return breach(`names ${name} without a section: write "${name} §…" where the rule is`);
  });
}

/**
 * Every section of a list: `2.1-3` are 2.1, 2.2 and 2.3; a list with semicolons, or of one heading, is of
 * headings.
 */
function expand(list) {
  if (/[a-z]/.test(list)) return list.split('; ');
  return list.split(' ').flatMap((item) => {
    const [, before, first, last] = /^((?:\w+\.)*)(\w+)(?:-(\w+))?$/.exec(item) ?? [];
    if (first === undefined) return [];
    if (/[A-Z]/.test(first)) return letters(first, last ?? first);
    return Array.from(
      { length: Number(last ?? first) - Number(first) + 1 },
      (_, i) => before + (Number(first) + i),
    );
  });
}

const letters = (first, last) =>
  Array.from({ length: last.charCodeAt(0) - first.charCodeAt(0) + 1 }, (_, i) =>
    String.fromCharCode(first.charCodeAt(0) + i),
  );

/** Every source whose comments are checked, as [path, text]. */
export function checkedFiles(root = ROOT) {
  return ['bench', 'mcp', 'packages', 'scripts', 'sdks', 'server', 'web']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`),
    )
    .filter((path) => SOURCES.test(path) && !SKIPPED.test(path))
    .sort()
    .map((path) => [path, readText(join(root, path))]);
}

/** Every breach in the tree. */
export function findBreaches() {
  return checkedFiles().flatMap(([path, text]) => checkStandards(path, text));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findBreaches());
