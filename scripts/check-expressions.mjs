#!/usr/bin/env node
// Every regular expression of the product takes time in proportion to its input: nothing that a stranger
// sends may take more. What is not linear stands in expressions/exceptions.mjs with the bound of its input;
// one that is not needed any more fails the check too.
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXCEPTIONS, SHORT_TEXTS } from './expressions/exceptions.mjs';
import { findExpressions } from './expressions/find.mjs';
import { judge } from './expressions/judge.mjs';
import { saveVerdicts, verdictsText } from './expressions/verdicts.mjs';
import { filesBelow, ROOT, readText, report } from './source-files.mjs';

const VERDICTS = 'scripts/expressions/verdicts.json';

/** Shipped code; the tests' own kit reads nothing from strangers. */
const PLACES = [
  ...['packages/evidence/src', 'packages/mail/src', 'packages/tsa/src', 'server/src', 'server/bin'],
  ...['sdks/typescript/src', 'mcp'],
];

/**
 * The breaches of one file, as lines. `exceptions`: those that hold in it; the ones that are met are added to
 * `used`.
 */
export function checkExpressions(path, text, exceptions = [], used = new Set(), readModule = () => null) {
  const short = SHORT_TEXTS.some(({ paths }) => paths.includes(path));
  return findExpressions(path, text, readModule).flatMap(({ line, source, flags, repeated, text: shown }) => {
    const written = source === null ? shown : `/${source}/${flags}`;
    const exception = exceptions.find((it) => it.path === path && it.expression === written);
    const wrong = source === null ? NOT_CONSTANT : judge(source, flags, { repeated, short });
    if (wrong === null) return [];
    if (exception === undefined) return [`${path}:${line}: ${shorten(written)} ${wrong}`];
    used.add(exception);
    return [];
  });
}

const NOT_CONSTANT = 'depends on more than constants: parse instead, or escape and list what it is made of';

function shorten(text) {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

/**
 * Every breach in the tree: an expression that is not linear, an exception without a bound or without its
 * expression.
 */
export function findBreaches(root = ROOT, exceptions = EXCEPTIONS) {
  const used = new Set();
  const readModule = (from, specifier) => moduleAt(root, from, specifier);
  const breaches = PLACES.flatMap((place) => filesBelow(root, place))
    .filter((path) => /\.(ts|mjs|js)$/.test(path))
    .flatMap((path) => checkExpressions(path, readText(join(root, path)), exceptions, used, readModule));
  for (const it of exceptions) {
    if (!used.has(it))
      breaches.push(`${it.path}: the exception for ${shorten(it.expression)} is not needed: remove it`);
    if (!(it.maxChars > 0) || !it.bound)
      breaches.push(
        `${it.path}: the exception for ${shorten(it.expression)} does not say what bounds its input`,
      );
  }
  return breaches;
}

/** scripts/expressions/verdicts.json: what the judge says of each expression of the product. */
export function expressionVerdicts() {
  findBreaches();
  saveVerdicts();
  return verdictsText();
}

function moduleAt(root, from, specifier) {
  const path = specifier.startsWith('.')
    ? normalize(join(dirname(from), specifier))
    : specifier.replace(/^@acuse\/([^/]+)\/(.+)$/, 'packages/$1/src/$2.ts');
  if (path === specifier || !existsSync(join(root, path))) return null;
  return { path, text: readText(join(root, path)) };
}

/** Breaches in the tree; verdicts.json too is as generating would write it. */
export function findAll() {
  const breaches = findBreaches();
  saveVerdicts();
  if (breaches.length === 0 && verdictsText() !== readText(join(ROOT, VERDICTS)))
    breaches.push(`${VERDICTS} is stale: run npm run generate and commit it`);
  return breaches;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findAll());
