#!/usr/bin/env node
// npm run check: format and lint, walls, tables, shape, kinds of tests, standards that comments name, linear
// expressions, the specification's tests, links, texts, types, generated files. Runs all of them and fails when
// one does; each says what is wrong.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** In the order in which they are cheap to fix: name, program of scripts/ or node_modules, what fixes it. */
const STEPS = [
  ['format and lint', 'biome check --error-on-warnings .', 'npm run format'],
  ['walls', 'check-walls.mjs', 'see ARCHITECTURE.md'],
  ['tables', 'check-tables.mjs', 'one domain writes a table: see scripts/check-tables.mjs'],
  ['statements', 'check-statements.mjs', 'see docs/decisions/0041 and scripts/check-statements.mjs'],
  [
    'shape',
    'check-shape.mjs',
    'see scripts/check-shape.mjs: a type moved to where it belongs opens most circles',
  ],
  ['kinds of tests', 'check-kinds.mjs', 'see scripts/test-kinds.mjs'],
  ['standards that comments name', 'check-standards.mjs', 'see scripts/check-standards.mjs'],
  [
    'expressions',
    'check-expressions.mjs',
    'make the expression linear, or parse: see scripts/check-expressions.mjs',
  ],
  ["the specification's tests", 'check-coverage.mjs', 'see docs/specification-coverage.md'],
  ['links', 'check-links.mjs', 'a page or heading moved: name where it is now'],
  ['texts', 'texts.mjs --check', 'when the wording is meant: npm run generate'],
  ['types', 'tsc -b', 'npm run typecheck'],
  ['generated files', 'generate.mjs --check', 'npm run generate'],
];

async function run(program, ...args) {
  const command = program.endsWith('.mjs')
    ? [process.execPath, join(root, 'scripts', program)]
    : [join(root, 'node_modules/.bin', program)];
  const child = spawn(command[0], [...command.slice(1), ...args], { cwd: root, stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  if (signal !== null) console.error(`ended by ${signal}`);
  return code === 0;
}

const failed = [];
for (const [name, program, fix] of STEPS) {
  console.log(`check: ${name}`);
  const started = performance.now();
  if (await run(...program.split(' ')))
    console.log(`check: ${name} ok (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  else failed.push(`check: ${name} FAILED (${fix})`);
}
for (const line of failed) console.error(line);
process.exit(failed.length === 0 ? 0 : 1);
