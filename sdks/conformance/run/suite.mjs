import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCertificates } from '../proxy/certificates.mjs';
import { startProxy } from '../proxy/proxy.mjs';
import { scenarios } from '../scenarios/index.mjs';
import { columnsOf } from './columns.mjs';
import { mutants, mutated } from './mutants.mjs';
import { makeContext } from './scenario.mjs';
import { startServer } from './server.mjs';
import { Skip, startShim } from './shim.mjs';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const REASON_CHARS_MAX = 600;
/** Scenarios of one library at once: most of them wait for most of their time. */
const LANES = 2;

/**
 * `only`: languages or columns, null for all; `wanted`: numbers or letters of scenarios, null for all;
 * `shims`: commands in place of those in names.json; `isStrict`: a language that is built but cannot run is a
 * failure. The report: `{ok, seconds, skipped: {column: reason}, scenarios: [{number, letter, title,
 * results}]}`, where `results` has an entry for each column.
 */
export async function runSuite({ only, wanted, shims = {}, isStrict = false }) {
  const since = performance.now();
  const { languages } = JSON.parse(readFileSync(join(ROOT, 'sdks/names.json'), 'utf8'));
  const columns = columnsOf(languages).filter(
    ({ name, language }) => only === null || only.includes(name) || only.includes(language),
  );
  for (const name of only ?? [])
    if (!columns.some(({ name: column, language }) => name === column || name === language))
      throw new Error(`no language ${name}`);
  const chosen = scenarios.filter(
    ({ number, letter }) => wanted === null || wanted.includes(String(number)) || wanted.includes(letter),
  );
  if (chosen.length === 0) throw new Error(`no scenario ${wanted}`);
  const report = {
    ok: true,
    seconds: 0,
    skipped: {},
    scenarios: chosen.map(({ number, letter, title }) => ({ number, letter, title, results: {} })),
  };
  await withServer((shared) =>
    Promise.all(columns.map((column) => runColumn(column, { shims, chosen, report, shared, isStrict }))),
  );
  report.seconds = Math.round((performance.now() - since) / 100) / 10;
  return report;
}

/** Shared by all scenarios of a run. */
async function withServer(work) {
  const folder = mkdtempSync(join(tmpdir(), 'acuse-conformance-'));
  const server = await startServer(folder);
  const between = await startProxy({ server: server.url });
  try {
    await work({
      turns: { alone: oneAtATime(), heavy: oneAtATime() },
      server,
      through: between.url,
      folder,
      root: ROOT,
      certificates: makeCertificates(folder),
    });
  } finally {
    between.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Each mutant with the scenario that must fail: `{ok, seconds, mutants: [{number, letter, title, what,
 * caught}]}`, `caught` the reason of the failure or null. `language` is the library that they are made of.
 */
export async function runMutants({ wanted, language }) {
  const since = performance.now();
  const { languages } = JSON.parse(readFileSync(join(ROOT, 'sdks/names.json'), 'utf8'));
  // One that can be told to believe every certificate, which the mutants of D do.
  const name = language ?? Object.keys(languages).find((each) => languages[each].trusting !== undefined);
  const { shim: command, trusting = {} } = languages[name];
  const found = [];
  await withServer(async (shared) => {
    for (const mutant of mutants) {
      const scenario = scenarios.find(({ number }) => number === mutant.number);
      const { number, letter, title } = scenario;
      if (wanted !== null && !wanted.includes(String(number)) && !wanted.includes(letter)) continue;
      const env = mutant.isTrusting ? trusting : {};
      const shim = await startShim(command, join(ROOT, 'sdks', name), env);
      const result = await runScenario(scenario, { ...shared, shim: mutated(shim, mutant) });
      await shim.stop();
      const caught = result.status === 'failed' ? result.reason : null;
      found.push({ number, letter, title, what: mutant.what, caught });
    }
  });
  const seconds = Math.round((performance.now() - since) / 100) / 10;
  return { ok: found.every(({ caught }) => caught !== null), seconds, mutants: found };
}

async function runColumn(column, { shims, chosen, report, shared, isStrict }) {
  const { name } = column;
  const note = (at, result) => {
    report.scenarios[at].results[name] = result;
    if (result.status === 'failed') report.ok = false;
  };
  let shim;
  try {
    shim = await shimOf(column, shims[name]);
  } catch (error) {
    const isSkip = error instanceof Skip && !(isStrict && column.status !== 'planned');
    report.skipped[name] = String(error.message).slice(-REASON_CHARS_MAX);
    if (!isSkip) report.ok = false;
    const status = isSkip ? 'skipped' : 'failed';
    for (const at of chosen.keys()) note(at, { status, reason: report.skipped[name] });
    return;
  }
  const run = async ({ at, scenario }) => {
    if (column.missing.includes(scenario.needs)) {
      note(at, { status: 'absent', reason: `sdks/${column.language} has no ${scenario.needs} yet` });
      return;
    }
    const since = performance.now();
    const result = await runScenario(scenario, { ...shared, shim });
    note(at, { ...result, ms: Math.round(performance.now() - since) });
  };
  const all = chosen.map((scenario, at) => ({ at, scenario }));
  // Code that makes no request is one on all surfaces of a library.
  const own = all.filter(({ scenario }) => !(column.isVariant && scenario.offline));
  for (const each of all) if (!own.includes(each)) note(each.at, { status: 'same' });
  await inLanes(own, run, shared.turns);
  await shim.stop();
}

function shimOf({ language, shim }, other) {
  const folder = join(ROOT, 'sdks', language);
  if (other === undefined && !existsSync(join(folder, 'run')))
    throw new Skip(`sdks/${language} is not written yet`);
  return startShim(other === undefined ? shim : ['bash', '-c', other], existsSync(folder) ? folder : ROOT);
}

/**
 * Several at once. Those that are heavy for the server, when no other column has one; those that must be
 * alone in their library, and take much memory, when this column has its turn, while its others pause.
 */
async function inLanes(list, run, turns) {
  const waiting = list.filter(({ scenario }) => !scenario.alone && !scenario.heavy);
  const heavy = list.filter(({ scenario }) => scenario.heavy);
  const alone = list.filter(({ scenario }) => scenario.alone);
  const running = new Set();
  let pause = null;
  const begin = async (next) => {
    while (pause !== null) await pause;
    const each = next();
    if (each === undefined) return;
    const done = run(each);
    running.add(done);
    await done;
    running.delete(done);
  };
  const lane = async () => {
    while (waiting.length > 0) await begin(() => waiting.shift());
  };
  const inTurn = async () => {
    let resume;
    pause = new Promise((resolve) => {
      resume = resolve;
    });
    try {
      await Promise.all(running);
      for (const each of alone) await run(each);
    } finally {
      pause = null;
      resume();
    }
  };
  await Promise.all([
    ...Array.from({ length: LANES }, lane),
    ...heavy.map((each) => turns.heavy(() => begin(() => each))),
    ...(alone.length > 0 ? [turns.alone(inTurn)] : []),
  ]);
}

/** For what is too large to happen in several languages at once. */
function oneAtATime() {
  let last = Promise.resolve();
  return (run) => {
    const mine = last.then(run);
    last = mine.catch(() => {});
    return mine;
  };
}

/** One scenario with one library. */
export async function runScenario(scenario, shared) {
  const t = makeContext(shared);
  try {
    await scenario.run(t);
    return { status: 'passed' };
  } catch (error) {
    return { status: 'failed', reason: String(error.stack ?? error).slice(0, REASON_CHARS_MAX) };
  } finally {
    t.close();
  }
}
