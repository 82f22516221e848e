#!/usr/bin/env node
// npm run check: format and lint, types, generated files, and what scripts/check-sources.mjs reads of the
// sources. Runs all of them, two at a time, and fails when one does; each says what is wrong. With --fast
// only files that changed since the branch left main are formatted and linted, and the tree's shape is left
// out.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files.mjs';

const SIDE_BY_SIDE = 2;
/** Files for biome, and no others: it would say so of those that biome.json leaves out. */
const FORMATTED = /\.(?:[cm]?[jt]sx?|jsonc?|css|html|graphql)$/;

const fast = process.argv.includes('--fast');

/** Name, program, arguments, what fixes it; the longest first. The sources say their own verdicts. */
const JOBS = [
  ['types', node('node_modules/typescript-7/bin/tsc'), ['-b'], 'npm run typecheck'],
  ['generated files', node('scripts/generate.mjs'), ['--check'], 'npm run generate'],
  ['sources', node('scripts/check-sources.mjs'), fast ? ['--fast'] : [], null],
  ['format and lint', [join(ROOT, 'node_modules/.bin/biome')], biomeArguments(), 'npm run format'],
].filter(([, , args]) => args !== null);

function node(program) {
  return [process.execPath, join(ROOT, program)];
}

function biomeArguments() {
  const args = ['check', '--error-on-warnings'];
  if (!fast) return [...args, '.'];
  const files = changedFiles().filter((path) => FORMATTED.test(path));
  return files.length === 0 ? null : [...args, '--no-errors-on-unmatched', ...files];
}

/** Against the commit at which this branch left main, with what is not committed yet. */
function changedFiles() {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n');
  let since = 'HEAD';
  try {
    [since] = execFileSync('git', ['merge-base', 'HEAD', 'main'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).split('\n');
  } catch {}
  const changed = [
    ...git('diff', '--name-only', '--diff-filter=d', since),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  return changed.filter((path) => path !== '' && existsSync(join(ROOT, path)));
}

/** The output of a job is kept together: the jobs side by side print it one after the other. */
async function run([name, [program, ...first], args, fix]) {
  const started = performance.now();
  const child = spawn(program, [...first, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  const [code, signal] = await once(child, 'close');
  process.stdout.write(Buffer.concat(said));
  const ended = signal === null ? '' : `, ended by ${signal}`;
  const verdict = code === 0 ? 'ok' : fix === null ? 'FAILED' : `FAILED (${fix})`;
  console.log(`check: ${name} ${verdict} (${((performance.now() - started) / 1000).toFixed(1)} s${ended})`);
  return { name, ok: code === 0 };
}

const waiting = [...JOBS];
const results = [];
async function work() {
  for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) results.push(await run(job));
}
await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
const failed = results.filter(({ ok }) => !ok).map(({ name }) => name);
if (failed.length > 0) console.error(`check: FAILED: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
