#!/usr/bin/env node
// The checks that read the sources, in one process, in which each file is read and parsed once. Each says
// what is wrong, and then whether it held. With --fast the one that parses every file is left out.
import { findAll as findCoverage } from './check-coverage.mjs';
import { findAll as findExpressions } from './check-expressions.mjs';
import { findBreaches as findKinds } from './check-kinds.mjs';
import { findAll as findLinks } from './check-links.mjs';
import { findBreaches as findMigrations } from './check-migrations.mjs';
import { findAll as findRegistries } from './check-registries.mjs';
import { findBreaches as findShape } from './check-shape.mjs';
import { findBreaches as findStandards } from './check-standards.mjs';
import { findBreaches as findStatements } from './check-statements.mjs';
import { findBreaches as findTables } from './check-tables.mjs';
import { findAll as findUnowned } from './check-unowned.mjs';
import { findBreaches as findVersions } from './check-version.mjs';
import { findBreaches as findWalls } from './check-walls.mjs';
import { findBreaches as findWords } from './check-words.mjs';
import { findStale } from './texts.mjs';

/** Name, what finds its breaches, what fixes them. */
const CHECKS = [
  ['texts', findStale, 'when the wording is meant: npm run generate'],
  ['plain words', () => findWords(), 'see scripts/check-words.mjs'],
  ['walls', findWalls, 'see ARCHITECTURE.md'],
  ['tables', findTables, 'one domain writes a table: see scripts/check-tables.mjs'],
  ['statements', findStatements, 'see docs/decisions/0041 and scripts/check-statements.mjs'],
  ['shape', findShape, 'see scripts/check-shape.mjs: a type moved to where it belongs opens most circles'],
  ['landed migrations', () => findMigrations(), 'see scripts/check-migrations.mjs'],
  ['one version', () => findVersions(), 'node scripts/check-version.mjs <version>, then npm run generate'],
  ['kinds of tests', () => findKinds(), 'see packages/testkit/src/test-kinds.mjs'],
  ['standards that comments name', findStandards, 'see scripts/check-standards.mjs'],
  ['expressions', findExpressions, 'make the expression linear, or parse: see scripts/check-expressions.mjs'],
  ["the specification's tests", findCoverage, 'see contract/coverage.json'],
  ['links', findLinks, 'a page or heading moved: name where it is now'],
  ['packages that nobody owns', findUnowned, 'see scripts/check-unowned.mjs'],
  ['packages that a registry would refuse', findRegistries, 'see scripts/check-registries.mjs'],
];

const fast = process.argv.includes('--fast');
for (const [name, find, fix] of CHECKS) {
  if (fast && find === findShape) continue;
  const started = process.cpuUsage();
  const breaches = await find();
  for (const breach of breaches) console.log(breach);
  const { user, system } = process.cpuUsage(started);
  const verdict = breaches.length === 0 ? 'ok' : `FAILED (${fix})`;
  console.log(`check: ${name} ${verdict} (${((user + system) / 1_000_000).toFixed(1)} s of processor)`);
  if (breaches.length > 0) process.exitCode = 1;
}
