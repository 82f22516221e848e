// Acuse as an operator runs it: one process that takes messages, with its own PostgreSQL, and one that
// delivers them through a relay.
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startNode, stop } from './processes.mjs';
import { PROGRAM, READY, START_FLAGS } from './send-service.mjs';

const exec = promisify(execFile);
const QUOTA = '1000000000';
const BATCH_ITEMS = 100;
/** Batches in flight while the queue is loaded. */
const LOADERS = 4;
const LOOK_EVERY_MS = 10;

/** `accounts`: name → DKIM algorithms that its domain signs with. `program`: another checkout's. */
export async function startAcuseQueue(folder, sinkPort, accounts, program = PROGRAM) {
  const env = settings(folder, sinkPort);
  const api = await startService(program, env, 'api');
  const { pid: postgresPid, url } = JSON.parse(readFileSync(join(folder, 'postgres.json'), 'utf8'));
  const withDatabase = { ...env, DATABASE_URL: url };
  // The role that sees every tenant's rows.
  const database = new pg.Client({ connectionString: url, options: '-c role=acuse_worker' });
  await database.connect();
  const opened = {};
  for (const [name, algorithms] of Object.entries(accounts))
    opened[name] = await openAccount({ program, env: withDatabase }, database, name, algorithms);
  // Warm, and held by the kernel whenever it is not measured.
  const delivery = await startService(
    program,
    withDatabase,
    'delivery',
    flagsOf(process.env.BENCH_NODE_FLAGS),
  );
  delivery.child.kill('SIGSTOP');
  return {
    pid: delivery.child.pid,
    postgresPid,
    /** Has so many messages accepted while nobody delivers. */
    load: (name, messages, message) => load(api.url, opened[name], messages, message),
    release: () => delivery.child.kill('SIGCONT'),
    hold: () => delivery.child.kill('SIGSTOP'),
    async until(withinMs) {
      for (const giveUpMs = performance.now() + withinMs; ; ) {
        const { rows } = await database.query('select from delivery_queue limit 1');
        if (rows.length === 0) return performance.now();
        if (performance.now() > giveUpMs) throw new Error('messages are left in the queue');
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
    records: (name) => countRecords(database, opened[name].tenantId),
    async sizeOf(name) {
      const { rows } = await database.query(
        'select max(size_bytes) as size from messages where tenant_id = $1',
        [opened[name].tenantId],
      );
      return rows[0].size;
    },
    async stop() {
      await database.end();
      delivery.child.kill('SIGCONT');
      await stop(delivery.child);
      await stop(api.child);
    },
  };
}

function flagsOf(text = '') {
  return text.split(' ').filter((flag) => flag !== '');
}

/** Of a service that relays everything to the sink. */
export function settings(folder, sinkPort) {
  return {
    ACUSE_DATA_DIR: folder,
    ACUSE_MASTER_KEY: randomBytes(32).toString('base64'),
    ACUSE_PORT: '0',
    ACUSE_SMARTHOST: `smtp://127.0.0.1:${sinkPort}`,
    ACUSE_HOSTNAME: 'acuse.bench.test',
    ACUSE_LOG_ORIGIN: 'acuse.bench.test/log',
    ACUSE_KEY_RATE: '0',
    ACUSE_ADDRESS_RATE: '0',
    ACUSE_LOG_LEVEL: 'warn',
  };
}

async function startService(program, env, roles, flags = []) {
  const { child, match } = await startNode([...START_FLAGS, ...flags, program, 'serve', '--roles', roles], {
    env,
    ready: READY,
  });
  return { child, url: match[1] };
}

/** An account of its own, so that nothing that is kept about one's keys is kept about another's. */
export async function openAccount({ program = PROGRAM, env }, database, name, algorithms) {
  async function acuse(...args) {
    const { stdout } = await exec(process.execPath, [program, ...args, '--json'], {
      env: { ...process.env, ...env },
    });
    return JSON.parse(stdout);
  }
  const domain = `${name}.test`;
  const { id: tenantId } = await acuse(
    'tenants',
    'create',
    '--name',
    name,
    '--quota',
    QUOTA,
    '--plain-quota',
    QUOTA,
  );
  const tenant = ['--tenant', tenantId];
  const { id: domainId } = await acuse('domains', 'create', domain, ...tenant);
  await acuse('domains', 'vouch', domainId, ...tenant);
  await acuse('senders', 'add', `*@${domain}`, ...tenant);
  const { key } = await acuse('keys', 'create', '--name', name, ...tenant);
  await database.query(
    `update dkim_keys set status = 'retired', retired_at = now() where tenant_id = $1 and algorithm <> all ($2)`,
    [tenantId, algorithms],
  );
  return { tenantId, key, from: `a@${domain}` };
}

async function load(url, { key, from }, messages, message) {
  let left = messages;
  async function sendAll() {
    while (left > 0) {
      const items = Math.min(left, BATCH_ITEMS);
      left -= items;
      await sendBatch(
        url,
        key,
        Array.from({ length: items }, () => ({ from, ...message })),
      );
    }
  }
  await Promise.all(Array.from({ length: LOADERS }, sendAll));
}

async function sendBatch(url, key, items) {
  const messages = items.map((item) => ({ idempotency_key: randomUUID(), ...item }));
  for (let created = 0; created < items.length; ) {
    const answer = await fetch(`${url}/v1/messages/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages }),
    });
    const body = await answer.json();
    created += body.created ?? 0;
    // A machine that is busy with other things sheds load: what was not taken is offered again.
    if (created < items.length && answer.status !== 503 && !isShed(body))
      throw new Error(`a batch was answered ${answer.status}: ${JSON.stringify(body).slice(0, 500)}`);
  }
}

const isShed = ({ failed = [] }) =>
  failed.length > 0 && failed.every(({ error }) => error.code === 'unavailable');

/** Records of an account's messages: each number is the same once all of it is delivered. */
async function countRecords(database, tenantId) {
  const { rows } = await database.query(
    `select (select count(*)::int from messages where tenant_id = $1 and status = 'sent') as messages,
            (select count(*)::int from attempts where tenant_id = $1 and outcome = 'sent' and sessions -> -1 -> 'transcript' -> 0 is not null) as attempts,
            (select count(*)::int from attempts where tenant_id = $1 and report->>'action' = 'relayed') as reports,
            (select count(*)::int from events where tenant_id = $1 and type = 'email.sent') as events`,
    [tenantId],
  );
  return rows[0];
}
