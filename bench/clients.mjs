// Sends a second of each client library, 32 at once against the service, as ratios to the fastest of the same
// round, and processor time of the client a send. Through the shims of
// the conformance suite (`send_many`), one library after the other, in another order each round. npm run
// bench -- clients [rounds] [sends of each] [--only <language>]…
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuSeconds } from './processes.mjs';
import { inFreshFolder, MESSAGE, makeAccount, startService } from './send-service.mjs';
import { digits, median, printTable } from './table.mjs';

const CONCURRENCY = 32;
const DEFAULT_ROUNDS = 5;
const DEFAULT_SENDS = 2_000;
/** Not measured: compilers at run time need some thousand calls before they have done their work. */
const WARM_UP_ROUNDS = 2;
/** A library that takes longer for one turn ends the run (ms). */
const TURN_LIMIT_MS = 120_000;

const sdks = fileURLToPath(new URL('../sdks', import.meta.url));
// By an address: the types of this folder end at it.
const { columnsOf } = await import(`${sdks}/conformance/run/columns.mjs`);
const { startShim } = await import(`${sdks}/conformance/run/shim.mjs`);

export async function run(args) {
  const { values, positionals } = parseArgs({
    args,
    options: { only: { type: 'string', multiple: true } },
    allowPositionals: true,
  });
  const [rounds = DEFAULT_ROUNDS, sends = DEFAULT_SENDS] = positionals.map(Number);
  const { languages } = JSON.parse(await readFile(`${sdks}/names.json`, 'utf8'));
  const isWanted = ({ name, language }) =>
    values.only === undefined || values.only.includes(name) || values.only.includes(language);
  await inFreshFolder(async (dataDir) => {
    const key = await makeAccount(dataDir);
    const service = await startService(dataDir, { roles: 'api' });
    const shims = [];
    try {
      for (const column of columnsOf(languages).filter(isWanted)) shims.push(await shimOf(column));
      const ready = shims.filter((shim) => shim !== null);
      const options = { base_url: service.url, api_key: key, sleep: 'real' };
      const measured = await measure(ready, { options, rounds, sends });
      console.log(
        `\n${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}; medians of ${rounds} rounds, ` +
          `${sends} sends each, ${CONCURRENCY} at once\n`,
      );
      printTable(measured.map(row), 1);
    } finally {
      for (const shim of shims) await shim?.stop();
      await service.stop();
    }
  });
}

/** Null, and why, for a library that cannot run here. */
async function shimOf({ language, title, shim }) {
  const folder = `${sdks}/${language}`;
  if (!existsSync(`${folder}/run`)) return null;
  try {
    return { title, ...(await startShim(shim, folder)) };
  } catch (error) {
    console.error(`${title}: skipped: ${String(error.message).split('\n').at(-1)}`);
    return null;
  }
}

async function measure(shims, { options, rounds, sends }) {
  const figures = shims.map(({ title }) => ({ title, rates: [], ratios: [], cpu: [] }));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const found = [];
    for (const turn of shims.keys()) {
      const at = (turn + round + shims.length * WARM_UP_ROUNDS) % shims.length;
      found[at] = await oneTurn(shims[at], { options, sends });
    }
    if (round < 0) continue;
    const fastest = Math.max(...found.map(({ rate }) => rate));
    for (const [at, { rate, cpu }] of found.entries()) {
      figures[at].rates.push(rate);
      figures[at].ratios.push(rate / fastest);
      figures[at].cpu.push(cpu);
    }
  }
  return figures;
}

/** Sends a second, and µs of the client's process a send. */
async function oneTurn({ title, child, ask }, { options, sends }) {
  const args = { message: { ...MESSAGE, certified: false }, count: sends, threads: CONCURRENCY };
  const before = cpuSeconds(child.pid, { tree: true });
  const since = performance.now();
  const { result, error } = await ask('send_many', args, options, TURN_LIMIT_MS);
  const seconds = (performance.now() - since) / 1_000;
  const cpu = cpuSeconds(child.pid, { tree: true }) - before;
  const failed = error ?? result.results.find((each) => each.error !== undefined)?.error;
  if (failed !== undefined) throw new Error(`${title}: ${JSON.stringify(failed)}`);
  return { rate: sends / seconds, cpu: (cpu / sends) * 1e6 };
}

const row = ({ title, rates, ratios, cpu }) => ({
  library: title,
  'sends/s': digits(median(rates)),
  'of the fastest': digits(median(ratios), 2),
  'client µs a send': digits(median(cpu)),
});
