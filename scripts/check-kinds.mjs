#!/usr/bin/env node
// Each test is of the kind that it says (packages/testkit/src/test-kinds.mjs): it reaches, by its imports and
// theirs, nothing that its kind does not have, and what its kind is for. A breach is one line: place, what is
// wrong, what would be right.
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTests, KINDS, kindOf } from '../packages/testkit/src/test-kinds.mjs';
import { ROOT, readText, report } from './source-files.mjs';
import { importsOf } from './source-text.mjs';

/** The abilities that helpers give a test, by their files. */
const GIVES = {
  database: ['packages/testkit/src/database.ts'],
  processes: [
    'packages/testkit/src/built-command.ts',
    'packages/testkit/src/server-process.ts',
    'server/test/support/command-process.ts',
    'server/test/support/shell.ts',
    'server/src/platform/database/embedded-postgres.ts',
  ],
  browser: ['packages/testkit/src/browser.ts'],
  outside: [
    'packages/testkit/src/mail-peers.ts',
    'packages/testkit/src/postfix.ts',
    'server/test/support/citus.ts',
  ],
};
/** The product can start PostgreSQL; it starts none for a test that does not ask it to. */
const PRODUCT = 'server/src/';

/** Kind → what it may reach, and what it must reach one of to need that kind. */
const RULES = {
  unit: { may: [] },
  service: { may: ['database'], must: ['database'] },
  process: { may: ['database', 'processes'], must: ['processes'] },
  browser: { may: ['database', 'processes', 'browser'], must: ['browser'] },
  generative: { may: ['database'] },
  outside: { may: ['database', 'processes', 'browser', 'outside'] },
};

/** Every breach among tests, by their paths; `read` returns a file's text, null where there is none. */
export function findBreaches(tests = findTests(), read = readFile) {
  const reached = reachedBy(read);
  return tests.flatMap((path) => {
    const kind = kindOf(path);
    if (kind === null)
      return [`${path}: the word before .test.ts names no kind: it is one of ${KINDS.join(', ')}`];
    const files = reached(path);
    const gets = Object.keys(GIVES).filter((what) => GIVES[what].some((file) => files.has(file)));
    const { may, must = [] } = RULES[kind];
    const breaches = gets
      .filter((what) => !may.includes(what))
      .map((what) => `${path}: a test of kind ${kind} has no ${what} (${wayTo(path, GIVES[what], files)})`);
    if (must.length > 0 && !must.some((what) => gets.includes(what)))
      breaches.push(`${path}: needs no ${must.join(', no ')}, and so is of a lesser kind than ${kind}`);
    return breaches;
  });
}

/** Path → the files that it imports, and theirs, each with the one that imported it. */
export function reachedBy(read = readFile) {
  const known = new Map();
  const direct = (path) => {
    if (!known.has(path)) known.set(path, importedBy(path, read));
    return known.get(path);
  };
  return (path) => {
    const files = new Map([[path, null]]);
    for (const [from] of files)
      for (const file of direct(from)) {
        const hidden = from.startsWith(PRODUCT) && GIVES.processes.includes(file);
        if (!files.has(file) && !hidden) files.set(file, from);
      }
    return files;
  };
}

function importedBy(path, read) {
  const text = read(path);
  if (text === null || !/\.(ts|tsx|mjs)$/.test(path)) return [];
  return importsOf(text)
    .filter(({ from, typeOnly }) => from !== null && !typeOnly)
    .map(({ from }) => fileOf(path, from))
    .filter((file) => file !== null && read(file) !== null);
}

function fileOf(path, from) {
  if (from.startsWith('.')) return normalize(join(dirname(path), from));
  const [, name, rest] = /^@acuse\/([^/]+)\/(.+)$/.exec(from) ?? [];
  return name === undefined ? null : `packages/${name}/src/${rest}.ts`;
}

function wayTo(path, targets, files) {
  const way = [targets.find((file) => files.has(file))];
  while (files.get(way[0]) !== path && files.get(way[0]) !== null) way.unshift(files.get(way[0]));
  return `by ${way.join(' → ')}`;
}

function readFile(path) {
  const file = join(ROOT, path);
  return existsSync(file) && /\.\w+$/.test(path) ? readText(file) : null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findBreaches());
