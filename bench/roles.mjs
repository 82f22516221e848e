// Roles as processes of their own, on one PostgreSQL: what a certified message costs in each, on its way
// (accepted, signed with both keys, taken by a relay, sealed, told to one endpoint), and how many a second
// different numbers of processes get through on so many cores. Layouts take turns; a round ends when nothing
// waits any more.
//   npm run bench -- roles [rounds] [seconds of sending] [cores, as 1,2] [layout …]
// A rate is printed only where it is one: the service and PostgreSQL had their cores, the load another, and
// nothing else used the machine. Elsewhere there are ratios and processor times.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openAccount, settings } from './acuse-queue.mjs';
import { freePort } from './postfix-queue.mjs';
import { cpuSeconds, machineSeconds, mainThreadSeconds, runLoad } from './processes.mjs';
import { hasCores, LAYOUTS, LEFT_CORES, onCores, startLayout, startRoles } from './roles-layouts.mjs';
import { printRoles } from './roles-print.mjs';
import { CONNECTIONS, inFreshFolder, loadOf, MESSAGE } from './send-service.mjs';
import { startSink } from './smtp-sink.mjs';
import { startWebhookSink } from './whole.mjs';

const DEFAULT_ROUNDS = 3;
const DEFAULT_SECONDS = 5;
/** Until what each role calls for each message is compiled. */
const WARM_UP_SECONDS = 5;
const LOOK_EVERY_MS = 50;
/** Slower than this and something is wrong: the bench ends. */
const DRAINED_WITHIN_MS = 300_000;
const BOTH_KEYS = ['rsa-sha256', 'ed25519-sha256'];

export async function run([rounds = DEFAULT_ROUNDS, seconds = DEFAULT_SECONDS, cores, ...wanted]) {
  const unknown = wanted.filter((layout) => !Object.hasOwn(LAYOUTS, layout));
  if (unknown.length > 0)
    throw new Error(`no layout ${unknown.join(', ')}: there is ${Object.keys(LAYOUTS).join(', ')}`);
  const layouts =
    wanted.length === 0 ? Object.keys(LAYOUTS) : ['one', ...wanted.filter((each) => each !== 'one')];
  const results = [];
  for (const count of coresOf(cores))
    results.push(
      ...(await inFreshFolder((folder) => measureOn(folder, { count, layouts, rounds, seconds }))),
    );
  printRoles(results, { rounds, seconds });
}

/** By default: one, and as many as the machine can give. */
function coresOf(text) {
  const most = Math.max(1, cpus().length - LEFT_CORES);
  const counts = text === undefined ? [...new Set([1, most])] : text.split(',').map(Number);
  if (counts.some((count) => !Number.isInteger(count) || count < 1)) throw new Error(`cores: ${text}`);
  return counts;
}

async function measureOn(folder, { count, layouts, rounds, seconds }) {
  const world = await openWorld(folder, count);
  const results = layouts.map((layout) => ({ cores: count, layout, list: [] }));
  try {
    for (let round = 1; round <= Number(rounds); round++) {
      for (const { layout, list } of results) {
        list.push(await measureLayout(world, layout, Number(seconds)));
        const { perSecond, foreign } = list.at(-1);
        console.error(
          `round ${round} of ${rounds}, ${count} cores: ${layout}: ${Math.round(perSecond)}/s, others used ${Math.round(100 * foreign)} % of the machine`,
        );
      }
    }
  } finally {
    await world.close();
  }
  return results;
}

/** PostgreSQL, held by a process that nobody asks anything, an account, and who takes mail and events. */
async function openWorld(folder, cores) {
  const closing = [];
  const close = async () => {
    for (const each of closing.splice(0)) await each();
  };
  try {
    const port = await freePort();
    const env = {
      ...settings(folder, port),
      ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true',
      ACUSE_LOG_LEVEL: 'error',
      // A round waits for its last batch.
      ACUSE_SEAL_INTERVAL: '1s',
    };
    const holder = await onCores(cores, () => startRoles('api', env));
    closing.unshift(() => holder.stop());
    const postgres = JSON.parse(readFileSync(join(folder, 'postgres.json'), 'utf8'));
    const withDatabase = { ...env, DATABASE_URL: postgres.url };
    const sink = await startSink(port, folder);
    closing.unshift(() => sink.stop());
    const hooks = await startWebhookSink();
    closing.unshift(() => hooks.close());
    const database = new pg.Client({ connectionString: postgres.url, options: '-c role=acuse_worker' });
    await database.connect();
    closing.unshift(() => database.end());
    const account = await openAccount({ env: withDatabase }, database, 'roles', BOTH_KEYS);
    await subscribe(holder.url, account.key, `${hooks.url}/`);
    // This process takes the events.
    const others = [sink.pid, holder.pid, process.pid];
    return { cores, env: withDatabase, postgresPid: postgres.pid, database, account, others, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function subscribe(service, key, url) {
  const answer = await fetch(`${service}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: ['*'] }),
  });
  if (answer.status !== 201) throw new Error(`webhooks: ${answer.status} ${await answer.text()}`);
}

async function measureLayout(world, layout, seconds) {
  const processes = await onCores(world.cores, () => startLayout(layout, world.env));
  try {
    await measureRound(world, processes, WARM_UP_SECONDS);
    return await measureRound(world, processes, seconds);
  } finally {
    for (const each of processes) await each.stop();
  }
}

async function measureRound(world, processes, seconds) {
  const before = snapshot(world, processes);
  const startedMs = performance.now();
  const apis = processes.filter(({ roles }) => roles.split(',').includes('api'));
  const loads = await Promise.all(apis.map(({ url }) => load(world.account, url, seconds, apis.length)));
  await drained(world.database);
  const took = (performance.now() - startedMs) / 1_000;
  const after = snapshot(world, processes);
  const sum = (key) => loads.reduce((total, each) => total + each[key], 0);
  const messages = sum('requests');
  const ours =
    after.postgres -
    before.postgres +
    after.others -
    before.others +
    sum('cpuSeconds') +
    sumOf(before, after);
  return {
    messages,
    perSecond: messages / took,
    p99: Math.max(...loads.map(({ latencyMs }) => latencyMs.p99)),
    postgres: (1e6 * (after.postgres - before.postgres)) / messages,
    coresUsed: (after.postgres - before.postgres + sumOf(before, after)) / took,
    foreign: Math.max(0, after.machine - before.machine - ours) / (took * cpus().length),
    isRate: hasCores(world.cores),
    processes: processes.map(({ roles }, at) => ({
      roles,
      micros: (1e6 * (after.own[at].all - before.own[at].all)) / messages,
      main: (1e6 * (after.own[at].main - before.own[at].main)) / messages,
    })),
  };
}

function sumOf(before, after) {
  return after.own.reduce((total, { all }, at) => total + all - before.own[at].all, 0);
}

async function load({ key, from }, url, seconds, share) {
  const message = { ...MESSAGE, from, to: 'Ana Pérez <ana@dest.test>', certified: true };
  const connections = Math.ceil(CONNECTIONS / share);
  const result = await runLoad(loadOf({ url, key }, { batch: false, message, connections, seconds }));
  if (result.statuses['201'] !== result.requests)
    throw new Error(`answers: ${JSON.stringify(result.statuses)}`);
  return result;
}

/** Nothing to deliver, to seal, to tell. */
async function drained(database) {
  for (const giveUpMs = performance.now() + DRAINED_WITHIN_MS; ; ) {
    const { rows } = await database.query(
      `select 1 where exists (select from delivery_queue) or exists (select from pending_leaves)
          or exists (select from webhook_queue)`,
    );
    if (rows.length === 0) return;
    if (performance.now() > giveUpMs) throw new Error('something waits for ever');
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function snapshot({ postgresPid, others }, processes) {
  return {
    machine: machineSeconds(),
    postgres: cpuSeconds(postgresPid, { tree: true }),
    others: others.reduce((total, pid) => total + cpuSeconds(pid), 0),
    own: processes.map(({ pid }) => ({ all: cpuSeconds(pid), main: mainThreadSeconds(pid) })),
  };
}
