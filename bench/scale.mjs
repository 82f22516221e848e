// npm run bench -- scale [messages …] [--accounts n] [--in folder]: what each request and each
// statement of the running service reads as its tables grow. A database for each size is filled, the service
// runs on it, and PostgreSQL tells of every statement how many buffers it touched, for how long, and by which
// plan. Buffers are the figure to compare: they do not depend on what else the machine does. With `--in` the
// databases stay there, and another run goes on with them; `--fill` only fills, `--only` asks for the paths
// that contain it, `--program` runs another checkout's service.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { accountOf, caller, inDatabase, superuser } from './lists.mjs';
import { fill } from './scale-fill.mjs';
import { pathsOf, SEARCHED } from './scale-paths.mjs';
import { endOf, inWords, readPlans, tellPlans } from './scale-plans.mjs';
import { BATCH_ITEMS, MESSAGE, makeAccount, PROGRAM, settings, startService } from './send-service.mjs';
import { digits, median, printTable } from './table.mjs';

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
/** Of a filled database, its WAL and what vacuum needs beside it: measured, rounded up. */
const BYTES_PER_MESSAGE = 2_200;
const BYTES_BESIDE = 2e9;
/** A named statement is planned for all values alike from its sixth run on a connection: reached by all. */
const ROUNDS = 7;
const SENDS = 100;
/** How many background statements are printed: those that touch most. */
const SHOWN = 60;
const SETTLED_WITHIN_MS = 120_000;
/** A start may migrate a database that was filled before. */
const STARTED_WITHIN_MS = 1_800_000;
const PLANS_SHOWN = 5;
const COMMANDS = [
  ...['queue list', 'queue list --by tenant', 'queue list --by age'],
  ...['sealing status', 'retention status'],
];
/** Scrapes share what they read for so long. */
const METRICS_KEPT_MS = 5_500;

const START = { env: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' }, withinMs: STARTED_WITHIN_MS };

const execute = promisify(execFile);

export async function run(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      accounts: { type: 'string', default: '1' },
      in: { type: 'string' },
      fill: { type: 'boolean', default: false },
      program: { type: 'string', default: PROGRAM },
      only: { type: 'string', default: '' },
    },
  });
  const sizes = positionals.length > 0 ? positionals.map(Number) : SIZES;
  const accounts = Number(values.accounts);
  const folder = values.in ?? mkdtempSync(join(tmpdir(), 'acuse-scale-'));
  mkdirSync(folder, { recursive: true });
  requireSpace(
    folder,
    sizes.filter((size) => !existsSync(join(folder, `${size}-${accounts}`))),
  );
  const bySize = new Map();
  try {
    for (const size of sizes) {
      process.stderr.write(`${size} messages in ${accounts} accounts\n`);
      const world = await filled(join(folder, `${size}-${accounts}`), size, accounts);
      if (!values.fill) bySize.set(size, await measure(world, values));
    }
  } finally {
    if (values.in === undefined) rmSync(folder, { recursive: true, force: true });
  }
  if (bySize.size > 0) print(bySize);
}

/** Says how much it takes, and goes no further where that is not there. */
function requireSpace(folder, sizes) {
  const { bavail, bsize } = statfsSync(folder);
  const needed = sizes.reduce((sum, size) => sum + size * BYTES_PER_MESSAGE + BYTES_BESIDE, 0);
  const gigabytes = (bytes) => `${(bytes / 1e9).toFixed(1)} GB`;
  process.stderr.write(
    `needs ${gigabytes(needed)} in ${folder}, of ${gigabytes(bavail * bsize)} that are free\n`,
  );
  if (bavail * bsize >= needed) return;
  throw new Error(`not enough room in ${folder}: free some, or name another folder by --in`);
}

const keyOf = (dataDir) => JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')).api_key;

/** A folder that was filled before is taken as it is. */
async function filled(dataDir, count, accounts) {
  mkdirSync(dataDir, { recursive: true });
  const key = existsSync(join(dataDir, 'sandbox.json')) ? keyOf(dataDir) : await makeAccount(dataDir);
  const service = await startService(dataDir, { ...START, roles: 'api' });
  try {
    const webhookId = await endpoint(caller(service.url, key));
    const tenantId = await inDatabase(dataDir, accountOf);
    const oldest = await fill(superuser(dataDir), { count, accounts, tenantId, webhookId });
    return { dataDir, key, webhookId, oldest };
  } finally {
    await service.stop();
  }
}

async function endpoint(call) {
  const { data } = await call('GET', '/v1/webhooks');
  // Nobody listens there: deliveries are claimed, tried and put off.
  const url = 'https://127.0.0.1:1/';
  return data[0]?.id ?? (await call('POST', '/v1/webhooks', { url, events: ['*'] })).id;
}

/** Costs of one size: requests, one after the other, and then what the service does by itself. */
async function measure(world, { program, only }) {
  const { dataDir } = world;
  tellPlans(dataDir);
  const log = join(dataDir, 'postgres.log');
  rmSync(log, { force: true });
  const options = { ...START, program };
  const reading = await startService(dataDir, { ...options, roles: 'api' });
  let requests;
  try {
    requests = await readAll({ ...world, only }, reading.url, log);
  } finally {
    await reading.stop();
  }
  rmSync(log, { force: true });
  const service = await startService(dataDir, options);
  try {
    await drive(world, service.url, program);
    requests.set('/metrics', await scrape(service.url, log));
  } finally {
    await service.stop();
  }
  return { requests, statements: byText(await readPlans(log)) };
}

/** By path: a first time with all caches empty, then warm. */
async function readAll({ dataDir, key, only, ...known }, url, log) {
  const call = caller(url, key);
  const found = new Map();
  const paths = pathsOf(known).filter((path) => path.includes(only));
  const once = async (path) => {
    const from = endOf(log);
    await call('GET', path);
    return await readPlans(log, from);
  };
  await inDatabase(dataDir, (client) => client.query('select 1'));
  for (const [number, path] of paths.entries()) {
    process.stderr.write(`\r  request ${number + 1} of ${paths.length} `);
    await emptyCaches(dataDir);
    const cold = await once(path);
    const warm = [];
    for (let round = 0; round < ROUNDS; round++) warm.push(await once(path));
    found.set(nameOf(path), {
      buffers: Math.max(...warm.map(buffersOf)),
      ms: median(warm.map(msOf)),
      coldMs: msOf(cold),
      most: warm.flat().toSorted((a, b) => b.buffers - a.buffers)[0],
    });
  }
  process.stderr.write('\n');
  return found;
}

const buffersOf = (statements) => statements.reduce((sum, { buffers }) => sum + buffers, 0);
const msOf = (statements) => statements.reduce((sum, { ms }) => sum + ms, 0);
const nameOf = (path) =>
  path
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}')
    .replace(/=2\d{3}-[^&]*/g, '={time}')
    .replace(/[?&]limit=100/, '');

/** PostgreSQL's own, and what the operating system holds of its files. */
async function emptyCaches(dataDir) {
  await inDatabase(
    dataDir,
    async (client) => {
      await client.query('create extension if not exists pg_buffercache');
      await client.query('checkpoint');
      await client.query('select pg_buffercache_evict_all()');
    },
    superuser(dataDir),
  );
  const base = join(dataDir, 'postgres', 'base');
  const forget = ['-exec', 'dd', 'if={}', 'iflag=nocache', 'count=0', 'status=none', ';'];
  await execute('find', [base, '-type', 'f', '-name', '[0-9]*', '-size', '+64k', ...forget]);
}

/**
 * Everything else that the service does, often enough for its statements to have the plans that they keep.
 */
async function drive({ dataDir, key }, url, program) {
  const call = caller(url, key);
  process.stderr.write('  sends, deliveries, seals, webhooks\n');
  let last;
  for (let n = 0; n < SENDS; n++) {
    const idempotency = { 'idempotency-key': `scale-${Date.now()}-${n}` };
    last = await call('POST', '/v1/messages', { ...MESSAGE, certified: n % 2 === 1 }, idempotency);
  }
  const items = Array.from({ length: BATCH_ITEMS }, (_, n) => ({
    ...MESSAGE,
    idempotency_key: `scale-batch-${Date.now()}-${n}`,
  }));
  await call('POST', '/v1/messages/batch', { messages: items });
  await settled(call, last.id);
  for (let round = 0; round < ROUNDS; round++) {
    await call('GET', `/v1/messages/${last.id}/evidence`);
    await call('GET', `/v1/messages/${last.id}/attempts`);
  }
  await searchPortal(dataDir, url);
  process.stderr.write('  commands\n');
  for (const command of COMMANDS)
    await execute(process.execPath, [program, ...command.split(' ')], {
      env: { ...process.env, ...settings(dataDir) },
    });
}

/** As the owner whom the link of this start signs in. */
async function searchPortal(dataDir, url) {
  const { portal_sign_in: signIn } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const body = JSON.stringify({ link: new URL(signIn).hash.slice(1) });
  const signedIn = await fetch(`${url}/v1/portal/session`, { method: 'POST', headers, body });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  for (const query of SEARCHED)
    for (let round = 0; round < ROUNDS; round++) {
      const path = `${url}/v1/portal/search?q=${encodeURIComponent(query)}`;
      const { status } = await fetch(path, { headers: { cookie, 'sec-fetch-site': 'same-origin' } });
      if (status !== 200) throw new Error(`the portal's search answered ${status}`);
    }
}

/** The least of some scrapes: what the service does meanwhile is in the log too. */
async function scrape(url, log) {
  process.stderr.write('  metrics\n');
  const found = [];
  for (let round = 0; round < ROUNDS; round++) {
    await new Promise((resolve) => setTimeout(resolve, METRICS_KEPT_MS));
    const from = endOf(log);
    const startedMs = performance.now();
    await (await fetch(`${url}/metrics`)).text();
    const ms = performance.now() - startedMs;
    const plans = await readPlans(log, from);
    const [most] = plans.toSorted((a, b) => b.buffers - a.buffers);
    found.push({ buffers: buffersOf(plans), ms, coldMs: found[0]?.ms ?? ms, most });
  }
  return found.toSorted((a, b) => a.ms - b.ms)[0];
}

async function settled(call, id) {
  const end = Date.now() + SETTLED_WITHIN_MS;
  while (Date.now() < end) {
    const { status, sealed_at: sealedAt } = await call('GET', `/v1/messages/${id}`);
    if (status === 'sent' && sealedAt !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`message ${id} was not delivered and sealed in time`);
}

/** Of each statement the run that touched most. */
function byText(statements) {
  const found = new Map();
  for (const each of statements) {
    const before = found.get(each.text);
    const all = [...(before?.all ?? []), each.ms];
    const most = before === undefined || each.buffers > before.most.buffers ? each : before.most;
    found.set(each.text, { buffers: most.buffers, most, all, coldMs: all[0], ms: median(all) });
  }
  return found;
}

function print(bySize) {
  const largest = bySize.get([...bySize.keys()].at(-1));
  printSizes(bySize, 'requests', [...largest.requests.keys()], 'request');
  const statements = [...largest.statements].toSorted(([, a], [, b]) => b.buffers - a.buffers);
  printSizes(
    bySize,
    'statements',
    statements.slice(0, SHOWN).map(([text]) => text),
    'statement',
  );
  const runs = [...largest.requests.values(), ...largest.statements.values()]
    .flatMap(({ most }) => most ?? [])
    .toSorted((a, b) => b.buffers - a.buffers);
  const shown = new Map();
  for (const each of runs) if (!shown.has(each.text)) shown.set(each.text, each);
  for (const { text, plan } of [...shown.values()].slice(0, PLANS_SHOWN))
    console.log(`\n${text}\n${inWords(plan)}`);
}

function printSizes(bySize, kind, names, title) {
  printTable(
    names.map((name) => ({
      [title]: name.slice(0, 90),
      ...Object.fromEntries(
        [...bySize].flatMap(([size, found]) => {
          const { buffers, ms, coldMs } = found[kind].get(name) ?? {};
          return [
            [`buffers at ${size}`, digits(buffers)],
            ['ms warm', digits(ms, 1)],
            ['cold', digits(coldMs, 1)],
          ].map(([label, value]) => [`${label}${label.startsWith('buffers') ? '' : ` ${size}`}`, value]);
        }),
      ),
    })),
    1,
  );
}
