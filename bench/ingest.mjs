// Accepted messages a second: small sends over 64 connections, certified and plain, and batches of 100,
// beside two servers that have no database: "bare" is Fastify alone, "without database" is this very service
// whose commits are answered at once (see without-database.ts). All take turns within one run, so that a busy
// machine slows each of them.
//   npm run bench -- ingest [rounds]
// With the folder of another checkout behind it: ingest-turns.mjs.
// BENCH_NODE_FLAGS='--cpu-prof' goes to the service's node, BENCH_ENV='{"ACUSE_INGEST_FLUSHES":"1"}' to its
// environment.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { runTurns } from './ingest-turns.mjs';
import { cpuSeconds, runLoad, startNode, stop } from './processes.mjs';
import { inFreshFolder, MESSAGE, makeAccount, settings, startService } from './send-service.mjs';
import { countAccepted, sends } from './sends.mjs';
import { digits, median, printTable } from './table.mjs';

/** Until what is called for each send is compiled: some 20 000 sends. */
const WARM_UP_SECONDS = 8;
const ROUND_SECONDS = 5;
const DEFAULT_ROUNDS = 5;

const withoutDatabase = fileURLToPath(new URL('without-database.mjs', import.meta.url));
const bareServer = fileURLToPath(new URL('bare-server.mjs', import.meta.url));

const ENV = JSON.parse(process.env.BENCH_ENV ?? '{}');
const FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter((flag) => flag !== '');

export async function run(args) {
  const rounds = Number(args[0] ?? DEFAULT_ROUNDS);
  if (args[1] !== undefined) return runTurns(rounds, args[1], { env: ENV, flags: FLAGS });
  const api = await inFreshFolder((dataDir) => measureSends(dataDir, rounds));
  const all = await inFreshFolder((dataDir) => measureAllRoles(dataDir, rounds));
  print([...api, { ...all, bare: api[0].bare }], rounds);
}

/**
 * Every kind of send to a process that does nothing else, in turns with both servers that have no database.
 */
async function measureSends(dataDir, rounds) {
  const key = await makeAccount(dataDir);
  const service = await startMeasured(dataDir, key, 'api');
  const bare = await start(bareServer, [JSON.stringify(await exampleAnswer(service))], key);
  const memory = await start(withoutDatabase, [], key, databaseSettings(dataDir));
  try {
    await runLoad(sends('bare', bare, WARM_UP_SECONDS));
    const rows = [];
    const bareRounds = [];
    for (const kind of ['certified', 'plain', 'batch']) {
      const own = [];
      const inMemory = [];
      for (const each of [service, memory]) await runLoad(sends(kind, each, WARM_UP_SECONDS));
      for (let round = 0; round < rounds; round++) {
        bareRounds.push(await measureRound('bare', bare));
        inMemory.push(await measureRound(kind, memory));
        own.push(await measureRound(kind, service));
      }
      rows.push({ kind, roles: 'api', list: own, bare: bareRounds, inMemory });
      rows.push({ kind, roles: 'api, without database', list: inMemory, bare: bareRounds });
    }
    return [...rows, { kind: 'bare', roles: '', list: bareRounds }];
  } finally {
    for (const each of [bare, memory, service]) await each.stop();
  }
}

/**
 * One process that delivers and seals as well. No other server takes turns with it, for it goes on with that
 * between rounds.
 */
async function measureAllRoles(dataDir, rounds) {
  const key = await makeAccount(dataDir);
  const service = await startMeasured(dataDir, key, null);
  try {
    await runLoad(sends('certified', service, WARM_UP_SECONDS));
    const list = [];
    for (let round = 0; round < rounds; round++) list.push(await measureRound('certified', service));
    return { kind: 'certified', roles: 'all', list };
  } finally {
    await service.stop();
  }
}

/** A server that prints its URL. */
async function start(path, args, key, env = {}) {
  const { child, match } = await startNode([path, ...args], { env, ready: /^(http\S+)$/ });
  return { url: match[1], key, pid: child.pid, stop: () => stop(child) };
}

/** For a process beside the service, on its database. */
function databaseSettings(dataDir) {
  const { url } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  return { ...settings(dataDir), ...ENV, DATABASE_URL: url };
}

/** `roles`: null for all. */
async function startMeasured(dataDir, key, roles) {
  const service = await startService(dataDir, { roles, env: ENV, flags: FLAGS });
  const postgres = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  return {
    ...service,
    key,
    postgresPid: postgres.pid,
    database,
    async stop() {
      await database.end();
      await service.stop();
    },
  };
}

async function exampleAnswer({ url, key }) {
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'idempotency-key': 'example',
      'content-type': 'application/json',
    },
    body: JSON.stringify(MESSAGE),
  });
  if (answer.status !== 201 && answer.status !== 200)
    throw new Error(`a send was answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function measureRound(kind, target) {
  const before = await snapshot(target);
  const load = await runLoad(sends(kind, target, ROUND_SECONDS));
  const after = await snapshot(target);
  const { messages, refused } = countAccepted(kind, load);
  const percent = (seconds) => (100 * seconds) / load.seconds;
  return {
    perSecond: messages / load.seconds,
    refused,
    p50: load.latencyMs.p50,
    p99: load.latencyMs.p99,
    serverCpu: percent(after.server - before.server),
    postgresCpu: percent(after.postgres - before.postgres),
    loadCpu: percent(load.cpuSeconds),
    // Of the server and its PostgreSQL, not of the load.
    cpuPerMessage: (1e6 * (after.server - before.server + after.postgres - before.postgres)) / messages,
    perCommit: target.database === undefined ? null : messages / (after.commits - before.commits),
  };
}

async function snapshot({ pid, postgresPid, database }) {
  return {
    server: cpuSeconds(pid),
    postgres: postgresPid === undefined ? 0 : cpuSeconds(postgresPid, { tree: true }),
    commits: database === undefined ? 0 : await countCommits(database),
  };
}

async function countCommits(database) {
  // Counts of backends reach the view within a second at most.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const { rows } = await database.query(
    'select xact_commit::int8 from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0].xact_commit);
}

function print(rows, rounds) {
  const middle = (list, key) => median(list.map((round) => round[key]));
  const share = (list, of) =>
    of === undefined ? '' : digits(middle(list, 'perSecond') / middle(of, 'perSecond'), 2);
  const table = rows.map(({ kind, roles, list, bare, inMemory }) => ({
    send: NAMES[kind],
    roles,
    'messages/s': digits(middle(list, 'perSecond')),
    'of bare': share(list, bare),
    'of without database': share(list, inMemory),
    'p50 ms': digits(middle(list, 'p50'), 1),
    'p99 ms': digits(middle(list, 'p99'), 1),
    'CPU % server': digits(middle(list, 'serverCpu')),
    postgres: digits(middle(list, 'postgresCpu')),
    load: digits(middle(list, 'loadCpu')),
    'CPU µs/message': digits(middle(list, 'cpuPerMessage')),
    'messages/commit': digits(list[0].perCommit === null ? null : middle(list, 'perCommit')),
    'requests refused': digits(list.reduce((sum, each) => sum + each.refused, 0)),
  }));
  console.log(
    `\n${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}; ${rounds} rounds of ${ROUND_SECONDS} s each, medians\n`,
  );
  printTable(table, 2);
}

const NAMES = {
  certified: 'certified, one a request',
  plain: 'plain, one a request',
  batch: 'certified, batches of 100',
  bare: 'bare Fastify, no database',
};
