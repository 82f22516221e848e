import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCertificates } from '../proxy/certificates.mjs';
import { startProxy } from '../proxy/proxy.mjs';
import { scenarios } from '../scenarios/index.mjs';
import { makeContext } from './scenario.mjs';
import { startServer } from './server.mjs';
import { Skip, startShim } from './shim.mjs';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const REASON_CHARS_MAX = 600;

/**
 * `only`: languages, null for all; `wanted`: numbers or letters of scenarios, null for all; `shims`: commands
 * in place of those in names.json; `isStrict`: a language that is built but cannot run is a failure. The
 * report: `{ok, seconds, skipped: {language: reason}, scenarios: [{number, letter, title, results}]}`.
 */
export async function runSuite({ only, wanted, shims = {}, isStrict = false }) {
  const since = performance.now();
  const { languages } = JSON.parse(readFileSync(join(ROOT, 'sdks/names.json'), 'utf8'));
  const names = only ?? Object.keys(languages);
  for (const name of names) if (languages[name] === undefined) throw new Error(`no language ${name}`);
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
  const folder = mkdtempSync(join(tmpdir(), 'acuse-conformance-'));
  const server = await startServer(folder);
  const between = await startProxy({ server: server.url });
  try {
    const shared = {
      turn: oneAtATime(),
      server,
      through: between.url,
      folder,
      root: ROOT,
      certificates: makeCertificates(folder),
    };
    await Promise.all(
      names.map((name) =>
        runLanguage(name, { language: languages[name], shims, chosen, report, shared, isStrict }),
      ),
    );
  } finally {
    between.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  report.seconds = Math.round((performance.now() - since) / 100) / 10;
  return report;
}

async function runLanguage(name, { language, shims, chosen, report, shared, isStrict }) {
  const folder = join(ROOT, 'sdks', name);
  const note = (at, result) => {
    report.scenarios[at].results[name] = result;
    if (result.status === 'failed') report.ok = false;
  };
  let shim;
  try {
    const command = shims[name] === undefined ? language.shim : ['bash', '-c', shims[name]];
    if (shims[name] === undefined && !existsSync(join(folder, 'run')))
      throw new Skip(`sdks/${name} is not written yet`);
    shim = await startShim(command, existsSync(folder) ? folder : ROOT);
  } catch (error) {
    const isSkip = error instanceof Skip && !(isStrict && language.status !== 'planned');
    report.skipped[name] = String(error.message).slice(-REASON_CHARS_MAX);
    if (!isSkip) report.ok = false;
    const status = isSkip ? 'skipped' : 'failed';
    for (const at of chosen.keys()) note(at, { status, reason: report.skipped[name] });
    return;
  }
  for (const [at, scenario] of chosen.entries()) {
    if (language.missing?.includes(scenario.needs)) {
      note(at, { status: 'absent', reason: `sdks/${name} has no ${scenario.needs} yet` });
      continue;
    }
    const since = performance.now();
    const run = () => runScenario(scenario, { ...shared, shim });
    const result = await (scenario.alone ? shared.turn(run) : run());
    note(at, { ...result, ms: Math.round(performance.now() - since) });
  }
  await shim.stop();
}

/** For what is too large to happen in several languages at once. */
function oneAtATime() {
  let last = Promise.resolve();
  return (run) => {
    last = last.then(run);
    return last;
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
