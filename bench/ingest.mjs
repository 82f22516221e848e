// Accepted messages a second: small sends over 64 connections, certified and plain, and batches of 100,
// beside two servers that have no database: "bare" is Fastify alone, "without database" is this very service
// whose commits are answered at once (see without-database.ts). All take turns within one run, so that a busy
// machine slows each of them.
//   npm run bench -- ingest [rounds]
// BENCH_NODE_FLAGS='--cpu-prof' goes to the service's node, BENCH_ENV='{"ACUSE_INGEST_FLUSHES":"1"}' to its
// environment.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { cpuSeconds, runLoad, startNode, stop } from './processes.mjs';
import { digits, median, printTable } from './table.mjs';

const CONNECTIONS = 64;
const BATCH_CONNECTIONS = 8;
const BATCH_ITEMS = 100;
/** Until what is called for each send is compiled: some 20 000 sends. */
const WARM_UP_SECONDS = 8;
const ROUND_SECONDS = 5;
const DEFAULT_ROUNDS = 5;
/** As load.mjs replaces it. */
const KEY = 'KKKKKKKKKKKKKKKKKKKKKKKK';

const program = fileURLToPath(new URL('../server/bin/acuse.mjs', import.meta.url));
const withoutDatabase = fileURLToPath(new URL('without-database.mjs', import.meta.url));
const bareServer = fileURLToPath(new URL('bare-server.mjs', import.meta.url));

const MESSAGE = {
  from: 'Billing <billing@sandbox.test>',
  to: 'Ana Pérez <delivered@sandbox.test>',
  subject: 'Your invoice 2041 of March',
  text: 'Hello Ana,\n\nyour invoice 2041 over 1 250.00 MXN is ready.\nIt is due within 30 days.\n\nThank you,\nBilling\n',
};

export async function run(args) {
  const rounds = Number(args[0] ?? DEFAULT_ROUNDS);
  const api = await inFreshFolder((dataDir) => measureSends(dataDir, rounds));
  const all = await inFreshFolder((dataDir) => measureAllRoles(dataDir, rounds));
  print([...api, { ...all, bare: api[0].bare }], rounds);
}

/** What one service has left undelivered and unsealed is no work for the next. */
async function inFreshFolder(work) {
  const dataDir = mkdtempSync(join(tmpdir(), 'acuse-bench-'));
  try {
    return await work(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/**
 * Every kind of send to a process that does nothing else, in turns with both servers that have no database.
 */
async function measureSends(dataDir, rounds) {
  const key = await makeAccount(dataDir);
  const service = await startService(dataDir, key, 'api');
  const bare = await start(bareServer, [JSON.stringify(await exampleAnswer(service))], key);
  const memory = await start(withoutDatabase, [], key, databaseSettings(dataDir));
  try {
    await runLoad(loadOf('bare', bare, WARM_UP_SECONDS));
    const rows = [];
    const bareRounds = [];
    for (const kind of ['certified', 'plain', 'batch']) {
      const own = [];
      const inMemory = [];
      for (const each of [service, memory]) await runLoad(loadOf(kind, each, WARM_UP_SECONDS));
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
  const service = await startService(dataDir, key, null);
  try {
    await runLoad(loadOf('certified', service, WARM_UP_SECONDS));
    const list = [];
    for (let round = 0; round < rounds; round++) list.push(await measureRound('certified', service));
    return { kind: 'certified', roles: 'all', list };
  } finally {
    await service.stop();
  }
}

/** The sandbox's account is there once the service has run with every role. Returns its key. */
async function makeAccount(dataDir) {
  const first = await startService(dataDir, null, null);
  await first.stop();
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')).api_key;
}

/** A server that prints its URL. */
async function start(path, args, key, env = {}) {
  const { child, match } = await startNode([path, ...args], { env, ready: /^(http\S+)$/ });
  return { url: match[1], key, pid: child.pid, stop: () => stop(child) };
}

/** For a process beside the service, on its database. */
function databaseSettings(dataDir) {
  const { url } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  return { ...settings(dataDir), DATABASE_URL: url };
}

function settings(dataDir) {
  return {
    ACUSE_DATA_DIR: dataDir,
    ACUSE_PORT: '0',
    ACUSE_SANDBOX_SMTP_PORT: '0',
    ACUSE_RETURN_PATH_PORT: '0',
    ACUSE_SUBMISSION_PORT: '0',
    ACUSE_SUBMISSIONS_PORT: '0',
    // The limit is kept and counted, only never reached.
    ACUSE_KEY_RATE: '1000000',
    ACUSE_ADDRESS_RATE: '1000000',
    ACUSE_ADDRESS_BURST: '1000000',
    ACUSE_KEY_BURST: '1000000',
    ACUSE_LOG_LEVEL: 'warn',
    ...JSON.parse(process.env.BENCH_ENV ?? '{}'),
  };
}

/** `roles`: null for all. */
async function startService(dataDir, key, roles) {
  const flags = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter((flag) => flag !== '');
  const args = [...flags, program, 'serve', ...(roles === null ? [] : ['--roles', roles])];
  const { child, match } = await startNode(args, {
    env: settings(dataDir),
    ready: /API +(http\S+)\/v1$/,
  });
  const postgres = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  return {
    url: match[1],
    key,
    pid: child.pid,
    postgresPid: postgres.pid,
    database,
    async stop() {
      await database.end();
      await stop(child);
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

function loadOf(kind, { url, key }, seconds) {
  const authorization = `Bearer ${key}`;
  if (kind === 'batch') {
    const item = { idempotency_key: KEY, ...MESSAGE, certified: true };
    const body = JSON.stringify({ messages: Array.from({ length: BATCH_ITEMS }, () => item) });
    return {
      url,
      path: '/v1/messages/batch',
      headers: { authorization },
      body,
      connections: BATCH_CONNECTIONS,
      seconds,
    };
  }
  const body = JSON.stringify({ ...MESSAGE, certified: kind !== 'plain' });
  const headers = { authorization, 'Idempotency-Key': KEY };
  return { url, path: '/v1/messages', headers, body, connections: CONNECTIONS, seconds };
}

async function measureRound(kind, target) {
  const before = await snapshot(target);
  const load = await runLoad(loadOf(kind, target, ROUND_SECONDS));
  const after = await snapshot(target);
  const expected = kind === 'batch' ? '200' : '201';
  if (load.statuses[expected] !== load.requests)
    throw new Error(`answers of ${kind}: ${JSON.stringify(load.statuses)}`);
  const messages = load.requests * (kind === 'batch' ? BATCH_ITEMS : 1);
  const percent = (seconds) => (100 * seconds) / load.seconds;
  return {
    perSecond: messages / load.seconds,
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
  // What backends have counted reaches the view within a second at most.
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
