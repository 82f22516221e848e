// Accepted messages a second: small sends over 64 connections, certified and plain, and batches of 100, beside the same
// Fastify without a database. The two take turns within one run, so that a busy machine slows both.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { cpuSeconds, runLoad, startNode, stop } from './processes.mjs';

const CONNECTIONS = 64;
const BATCH_CONNECTIONS = 8;
const BATCH_ITEMS = 100;
const WARM_UP_SECONDS = 3;
const ROUND_SECONDS = 5;
const DEFAULT_ROUNDS = 5;
/** As load.mjs replaces it. */
const KEY = 'KKKKKKKKKKKKKKKKKKKKKKKK';

const program = fileURLToPath(new URL('../server/bin/acuse.mjs', import.meta.url));
const bareServer = fileURLToPath(new URL('bare-server.mjs', import.meta.url));

const MESSAGE = {
  from: 'Billing <billing@sandbox.test>',
  to: 'Ana Pérez <delivered@sandbox.test>',
  subject: 'Your invoice 2041 of March',
  text: 'Hello Ana,\n\nyour invoice 2041 over 1 250.00 MXN is ready.\nIt is due within 30 days.\n\nThank you,\nBilling\n',
};

export async function run(args) {
  const rounds = Number(args[0] ?? DEFAULT_ROUNDS);
  const dataDir = mkdtempSync(join(tmpdir(), 'acuse-bench-'));
  try {
    const rows = [
      ...(await measure(dataDir, 'api', rounds, true)),
      ...(await measure(dataDir, null, rounds, false)),
    ];
    print(rows, rounds);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** `roles`: null for all. `full`: every kind of send, not the certified one alone. */
async function measure(dataDir, roles, rounds, full) {
  const account = await makeAccount(dataDir);
  const service = await startService(dataDir, roles);
  const target = { url: service.url, key: account.api_key };
  const bare = await startNode([bareServer, JSON.stringify(await exampleAnswer(target))], {
    ready: /^(http\S+)$/,
  });
  const bareTarget = { url: bare.match[1], key: account.api_key };
  const database = new pg.Client({
    connectionString: JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')).url,
  });
  await database.connect();
  try {
    const kinds = full ? ['certified', 'plain', 'batch'] : ['certified'];
    const results = Object.fromEntries([...kinds, 'bare'].map((kind) => [kind, []]));
    await runLoad(loadOf('bare', bareTarget, WARM_UP_SECONDS));
    for (const kind of kinds) await runLoad(loadOf(kind, target, WARM_UP_SECONDS));
    for (let round = 0; round < rounds; round++) {
      for (const kind of kinds) {
        results.bare.push(await measureRound('bare', bareTarget, bare.child.pid, null, null));
        results[kind].push(
          await measureRound(kind, target, service.child.pid, service.postgresPid, database),
        );
      }
    }
    const shown = roles ?? 'all roles';
    return Object.entries(results).map(([kind, list]) => ({
      kind,
      roles: kind === 'bare' ? '' : shown,
      list,
      bare: results.bare,
    }));
  } finally {
    await database.end();
    await stop(bare.child);
    await stop(service.child);
  }
}

/** The sandbox's account is there once the service has run with every role. */
async function makeAccount(dataDir) {
  const first = await startService(dataDir, null);
  await stop(first.child);
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
}

async function startService(dataDir, roles) {
  const env = {
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
  const flags = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter((flag) => flag !== '');
  const args = [...flags, program, 'serve', ...(roles === null ? [] : ['--roles', roles])];
  const { child, match } = await startNode(args, { env, ready: /API +(http\S+)\/v1$/ });
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  return { child, url: match[1], postgresPid: pid };
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

async function measureRound(kind, target, pid, postgresPid, database) {
  const before = await snapshot(pid, postgresPid, database);
  const load = await runLoad(loadOf(kind, target, ROUND_SECONDS));
  const after = await snapshot(pid, postgresPid, database);
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
    perCommit: database === null ? null : messages / (after.commits - before.commits),
  };
}

async function snapshot(pid, postgresPid, database) {
  return {
    server: cpuSeconds(pid),
    postgres: postgresPid === null ? 0 : cpuSeconds(postgresPid, { tree: true }),
    commits: database === null ? 0 : await countCommits(database),
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
  const median = (list, key) =>
    list.map((round) => round[key]).sort((a, b) => a - b)[Math.floor(list.length / 2)];
  const number = (value, digits = 0) => (value === null || value === undefined ? '' : value.toFixed(digits));
  const table = rows.map(({ kind, roles, list, bare }) => ({
    send: NAMES[kind],
    roles,
    'messages/s': number(median(list, 'perSecond')),
    'of bare': kind === 'bare' ? '' : number(median(list, 'perSecond') / median(bare, 'perSecond'), 2),
    'p50 ms': number(median(list, 'p50'), 1),
    'p99 ms': number(median(list, 'p99'), 1),
    'CPU % server': number(median(list, 'serverCpu')),
    postgres: number(median(list, 'postgresCpu')),
    load: number(median(list, 'loadCpu')),
    'messages/commit': number(median(list, 'perCommit')),
  }));
  console.log(
    `\n${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}; ${rounds} rounds of ${ROUND_SECONDS} s each, medians\n`,
  );
  printTable(table);
}

const NAMES = {
  certified: 'certified, one a request',
  plain: 'plain, one a request',
  batch: 'certified, batches of 100',
  bare: 'bare Fastify, no database',
};

function printTable(rows) {
  const names = Object.keys(rows[0]);
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => row[name].length)));
  const line = (cells) =>
    `| ${cells.map((cell, at) => (at < 2 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join(' | ')} |`;
  console.log(line(names));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of rows) console.log(line(names.map((name) => row[name])));
}
