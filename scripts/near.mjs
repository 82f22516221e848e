#!/usr/bin/env node
// npm run near [-- <commit>]: the tests nearest to what changed since the last commit (or that one), in less
// than a minute. A file of the server is behind nearly every test of a service by some way; a test that
// imports it directly, or by few others, says most about it. What goes through a browser or whole processes
// is left to those who name it.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTests, kindOf } from '../packages/testkit/src/test-kinds.mjs';
import { reachedBy } from './check-kinds.mjs';
import { ROOT } from './source-files.mjs';

/** Files of each kind: what two cores run in half a minute, with a PostgreSQL to start for the second. */
const MOST = { unit: 12, service: 5 };

/** Steps that a word of its path is worth which a changed file has too: tests lie as what they test. */
const WORTH = 3;

/**
 * Tests to run: those that changed themselves, whatever their kind, then the nearest of each kind by imports.
 * `all`: how many import any of it.
 */
export function nearest(changed, tests = findTests(), reached = reachedBy()) {
  const found = tests
    .map((path) => ({ path, steps: stepsTo(reached(path), changed) }))
    .filter(({ steps }) => steps !== null)
    .map((each) => ({ ...each, away: each.steps - WORTH * shared(each.path, changed) }))
    .sort((a, b) => a.away - b.away);
  const taken = Object.entries(MOST).flatMap(([kind, most]) =>
    found.filter(({ path, steps }) => steps > 0 && kindOf(path) === kind).slice(0, most),
  );
  const own = found.filter(({ steps }) => steps === 0);
  return { paths: [...own, ...taken].map(({ path }) => path), all: found.length };
}

/** Imports between a test and the first of these files; null: it reaches none. */
function stepsTo(files, changed) {
  const ways = changed.filter((file) => files.has(file)).map((file) => lengthOf(files, file));
  return ways.length === 0 ? null : Math.min(...ways);
}

function lengthOf(files, file) {
  let steps = 0;
  for (let from = files.get(file); from !== null; from = files.get(from)) steps++;
  return steps;
}

function shared(path, changed) {
  const words = path.split(/[/.]/);
  return Math.max(...changed.map((file) => file.split(/[/.]/).filter((word) => words.includes(word)).length));
}

function changedSince(commit) {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  return [
    ...git('diff', '--name-only', '--no-renames', '-z', commit),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ].filter(Boolean);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const changed = changedSince(process.argv[2] ?? 'HEAD');
  const { paths, all } = nearest(changed);
  console.log(
    all === 0
      ? 'near: no test imports what changed: those of a page are in web/test'
      : `near: ${paths.length} of ${all} test files that import what changed; all: npx vitest run --changed`,
  );
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  if (paths.length > 0)
    process.exitCode =
      spawnSync(process.execPath, [vitest, 'run', ...paths], {
        cwd: ROOT,
        stdio: 'inherit',
      }).status ?? 1;
}
