#!/usr/bin/env node
// npm run clients: unit tests, the dry run of publishing and the installation from a running service
// (scripts/package/clients/install.mjs) of every client library, and the MCP server's tests, two at a time;
// then the comparison of verifiers, the outbox of each, and the conformance suite over all of them, with one
// service. Says how long each took, and how many seconds of the processor. A language whose tools or registry
// are missing is skipped and named; with CI=true that is a failure. `--counts <file>` writes how many tests
// passed, failed and were skipped, `--only <language>` (or mcp) does one. `--part libraries` leaves the suite
// out, and `--part suite` is the suite alone, over the libraries that were built before: its scenarios count
// tries, so that nothing else should take the processor from its service meanwhile.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countClientTests, skipReasons } from './client-counts.mjs';
import { startService } from './contract/service.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const LANES = 2;
/** Of sdks/run and sdks/<language>/run: something is missing, and the last line says what. */
const SKIPPED = 77;
const SHOWN_LINES_MAX = 80;
/** Of one step of one language, or of the suite: what takes so long hangs, on a busy machine too (ms). */
const STEP_LIMIT_MS = 30 * 60_000;
const STEPS = ['unit', 'package', 'install'];
/** Of the MCP server, which no installation hands out. */
const MCP_STEPS = ['unit', 'package'];
/** The longest begins first, so that one core does not wait for it at the end. */
const LONGEST = ['typescript', 'rust', 'java', 'go'];
/** Their unit tests send, too; all packages do. */
const UNIT_SENDS = ['typescript', 'java'];
/** Its library is what the MCP server is built on. */
const OF_MCP = 'typescript';
/** Of the comparison of verifiers (sdks/conformance/run/differential.mjs): for about a minute. */
const DIFFERENTIAL = ['--fresh', '--seed', '2026', '--seed', 'commit', '--count', '150'];
/** Kills are at each such piece; all of them take two minutes of the processor. */
const OUTBOX_EVERY = '4';
/** Of the service: what the suite needs beyond what each has (sdks/conformance/run/server.mjs). */
const SETTINGS = { ACUSE_ADDRESS_RATE: '0', ACUSE_SEAL_INTERVAL: '1s' };

// Ends what was started too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const only = option('--only');
const part = option('--part') ?? 'all';
/** Languages whose shim can be started. */
const built = [];
/** Why tests were skipped. */
const reasons = [];

const { languages } = JSON.parse(readFileSync(join(root, 'sdks/names.json'), 'utf8'));

/** Runs a program and says on descriptor 3 how many seconds of the processor it took. */
const TIMED = 'exec 4>&2 2>&3; TIMEFORMAT="%U %S"; time "$@" 2>&4 3>&- 4>&-';

/** Output, exit code and seconds of the processor of a program, which runs in the root of the tree. */
async function run(program, args, env = {}) {
  // A group of its own, so that whatever hangs ends with it.
  const child = spawn('bash', ['-c', TIMED, '-', program, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  let times = '';
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  };
  process.once('exit', end);
  const timer = setTimeout(() => {
    output += `\nended: it took more than ${STEP_LIMIT_MS / 60_000} minutes\n`;
    end();
  }, STEP_LIMIT_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => {
      output += text;
    });
  }
  child.stdio[3].setEncoding('utf8').on('data', (text) => {
    times += text;
  });
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  process.off('exit', end);
  const processor = times.split(/\s+/).reduce((sum, each) => sum + Number(each), 0);
  return { code: signal === null ? code : 1, output, processor };
}

/** The statement about each: `since` of performance.now(), `processor` in seconds. */
const took = (since, processor) =>
  `${((performance.now() - since) / 1000).toFixed(1)} s, processor ${processor.toFixed(1)} s`;

/** One language: its counts. `service`: the variables that name it. */
async function language(name, service) {
  const started = performance.now();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let seconds = 0;
  for (const step of STEPS) {
    const sends = step !== 'unit' || UNIT_SENDS.includes(name);
    const { code, output, processor } = await run(...commandOf(step, name), sends ? service : {});
    seconds += processor;
    if (code === SKIPPED) return skip(name, step, counts, output.trim().split('\n').at(-1));
    const found = step === 'unit' ? countClientTests(output) : null;
    // A step without tests of its own counts as one.
    add(counts, found ?? (code === 0 ? { passed: 1 } : { failed: 1 }));
    if (code !== 0) {
      if (found !== null && found.failed === 0) add(counts, { failed: 1 });
      console.error(lastLines(output));
      console.error(`clients: ${name}: ${step} FAILED (${commandOf(step, name).flat().join(' ')})`);
      break;
    }
  }
  // The shim as the sources are now; the suite starts it.
  const { code, output, processor } = await run('bash', [`sdks/${name}/run`, 'conformance']);
  if (code === 0) built.push(name);
  else {
    add(counts, { failed: 1 });
    console.error(
      `${lastLines(output)}\nclients: ${name}: its shim FAILED (bash sdks/${name}/run conformance)`,
    );
  }
  console.log(`clients: ${name}: ${told(counts)} (${took(started, seconds + processor)})`);
  return counts;
}

const commandOf = (step, name) =>
  step === 'install'
    ? [process.execPath, ['scripts/package/clients/install.mjs', name]]
    : ['bash', ['sdks/run', name, step]];

function skip(name, step, counts, reason) {
  const isFailure = process.env.CI === 'true';
  console.error(`clients: ${name}: ${step} skipped: ${reason}`);
  return add(counts, isFailure ? { failed: 1 } : { skipped: 1 });
}

function add(counts, { passed = 0, failed = 0, skipped = 0 }) {
  counts.passed += passed;
  counts.failed += failed;
  counts.skipped += skipped;
  return counts;
}

const told = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;
/** Output of what passed is left out: a failure may have been printed long before the end. */
const PASSED = /^\s*(?:--- PASS|=== |✔|✓|ok\b|test .* ok$|PASSED\b|\[INFO\])/;
const lastLines = (text) =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => !PASSED.test(line))
    .slice(-SHOWN_LINES_MAX)
    .join('\n');

/** The MCP server: its tests, tasks and dry run. It counts an account's messages: services of its own. */
async function mcp() {
  const started = performance.now();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let seconds = 0;
  for (const step of MCP_STEPS) {
    const { code, output, processor } = await run('bash', ['mcp/run', step]);
    seconds += processor;
    reasons.push(...skipReasons(output).map((reason) => `mcp: ${reason}`));
    const found = step === 'unit' ? countClientTests(output) : null;
    add(counts, found ?? (code === 0 ? { passed: 1 } : { failed: 1 }));
    if (code === 0) continue;
    if (found !== null && found.failed === 0) add(counts, { failed: 1 });
    console.error(`${lastLines(output)}\nclients: mcp: ${step} FAILED (bash mcp/run ${step})`);
    break;
  }
  console.log(`clients: mcp: ${told(counts)} (${took(started, seconds)})`);
  return counts;
}

/** The suite over every language that has a library. */
async function conformance(names, service) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  if (!existsSync(join(root, 'sdks/conformance/run.mjs')) || names.length === 0) return counts;
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'acuse-conformance-'));
  let seconds = 0;
  try {
    const report = join(folder, 'report.json');
    const only = names.flatMap((name) => ['--only', name]);
    const args = ['sdks/conformance/run.mjs', ...only, '--json', report];
    const { code, output, processor } = await run(process.execPath, args, service);
    seconds = processor;
    if (existsSync(report)) add(counts, conformanceCounts(JSON.parse(readFileSync(report, 'utf8'))));
    if (code !== 0) {
      console.error(lastLines(output));
      if (counts.failed === 0) counts.failed = 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`clients: conformance: ${told(counts)} (${took(started, seconds)})`);
  return counts;
}

/** Changed bundles, about which all verifiers must agree: of a seed that stays, and of the commit's. */
async function differential(names, service) {
  if (names.length === 0) return {};
  const started = performance.now();
  const only = names.flatMap((name) => ['--only', name]);
  const args = ['sdks/conformance/run.mjs', '--differential', ...only, ...DIFFERENTIAL];
  const { code, output, processor } = await run(process.execPath, args, service);
  // Its last line says how many mutants there were, and how to make them again.
  console.log(`clients: ${code === 0 ? output.trim().split('\n').at(-1) : lastLines(output)}`);
  console.log(`clients: differential: ${code === 0 ? 'passed' : 'FAILED'} (${took(started, processor)})`);
  return code === 0 ? { passed: 1 } : { failed: 1 };
}

/** The outbox of each library, killed between any two steps. */
async function outbox(names, service) {
  const wanted = names.filter((name) => languages[name].outbox);
  if (wanted.length === 0) return {};
  const started = performance.now();
  const only = wanted.flatMap((name) => ['--only', name]);
  const { code, output, processor } = await run(
    process.execPath,
    ['sdks/conformance/run.mjs', '--outbox', '--every', OUTBOX_EVERY, ...only],
    service,
  );
  console.log(`clients: ${code === 0 ? output.trim().split('\n').at(-1) : lastLines(output)}`);
  console.log(`clients: outbox: ${code === 0 ? 'passed' : 'FAILED'} (${took(started, processor)})`);
  return code === 0 ? { passed: 1 } : { failed: 1 };
}

/** `report`: scenarios with the result of each language. */
function conformanceCounts({ scenarios }) {
  const results = scenarios.flatMap((scenario) => Object.values(scenario.results));
  const having = (wanted) => results.filter(({ status }) => status === wanted).length;
  return { passed: having('passed'), failed: having('failed'), skipped: having('skipped') };
}

function option(name) {
  const at = process.argv.indexOf(name);
  return at === -1 ? null : process.argv[at + 1];
}

const written = Object.keys(languages).filter((name) => existsSync(join(root, 'sdks', name, 'run')));
const wanted = only === null ? written : only === 'mcp' ? [] : [only];
for (const name of Object.keys(languages))
  if (!written.includes(name)) console.log(`clients: ${name}: not written yet`);
const rank = (name) => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);
const queue = wanted.toSorted((a, b) => rank(a) - rank(b));
const total = { passed: 0, failed: 0, skipped: 0 };
const service = wanted.length === 0 ? null : await startService(SETTINGS);
const address = service === null ? {} : { ACUSE_URL: service.url, ACUSE_API_KEY: service.key };
if (part === 'suite') built.push(...wanted);
else
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
        add(total, await language(name, address));
        if (name === OF_MCP && only === null) add(total, await mcp());
      }
    }),
  );
if (part !== 'suite')
  for (const counts of await Promise.all([differential(built, address), outbox(built, address)]))
    add(total, counts);
if (part !== 'libraries') add(total, await conformance(built, address));
if (only === 'mcp') add(total, await mcp());
await service?.stop();
const counts = option('--counts');
if (counts !== null) writeFileSync(counts, JSON.stringify({ ...total, reasons }));
for (const reason of reasons) console.log(`clients: skipped: ${reason}`);
console.log(`clients: ${told(total)}`);
process.exitCode = total.failed > 0 ? 1 : 0;
