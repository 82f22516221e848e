#!/usr/bin/env node
// npm run check: format and lint, walls, tables, shape, standards that comments name, linear expressions, the
// specification's tests, texts, types, generated files. Runs all of them and fails when one does; each says
// what is wrong.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => join(root, 'node_modules/.bin', name);

/** In the order in which they are cheap to fix. */
const STEPS = [
  {
    name: 'format and lint',
    command: [bin('biome'), 'check', '--error-on-warnings', '.'],
    fix: 'npm run format',
  },
  {
    name: 'walls',
    command: [process.execPath, join(root, 'scripts/check-walls.mjs')],
    fix: 'see ARCHITECTURE.md',
  },
  {
    name: 'tables',
    command: [process.execPath, join(root, 'scripts/check-tables.mjs')],
    fix: 'one domain writes a table: see scripts/check-tables.mjs',
  },
  {
    name: 'shape',
    command: [process.execPath, join(root, 'scripts/check-shape.mjs')],
    fix: 'see scripts/check-shape.mjs: a type moved to where it belongs opens most circles',
  },
  {
    name: 'standards that comments name',
    command: [process.execPath, join(root, 'scripts/check-standards.mjs')],
    fix: 'see scripts/check-standards.mjs',
  },
  {
    name: 'expressions',
    command: [process.execPath, join(root, 'scripts/check-expressions.mjs')],
    fix: 'make the expression linear, or parse: see scripts/check-expressions.mjs',
  },
  {
    name: "the specification's tests",
    command: [process.execPath, join(root, 'scripts/check-coverage.mjs')],
    fix: 'see docs/specification-coverage.md',
  },
  {
    name: 'texts',
    command: [process.execPath, join(root, 'scripts/texts.mjs'), '--check'],
    fix: 'when the wording is meant: npm run generate',
  },
  { name: 'types', command: [bin('tsc'), '-b'], fix: 'npm run typecheck' },
  {
    name: 'generated files',
    command: [process.execPath, join(root, 'scripts/generate.mjs'), '--check'],
    fix: 'npm run generate',
  },
];

async function run({ command: [program, ...args] }) {
  const child = spawn(program, args, { cwd: root, stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  if (signal !== null) console.error(`ended by ${signal}`);
  return code === 0;
}

const failed = [];
for (const step of STEPS) {
  console.log(`check: ${step.name}`);
  const started = performance.now();
  if (!(await run(step))) failed.push(step);
  else console.log(`check: ${step.name} ok (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}
for (const { name, fix } of failed) console.error(`check: ${name} FAILED (${fix})`);
process.exit(failed.length === 0 ? 0 : 1);
