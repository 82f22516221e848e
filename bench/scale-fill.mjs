// Fills a database with as many messages as wanted, by COPY: several processes write runs of messages, each
// in one transaction with the mark that it is written, so that another start goes on where this one ended.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { copyIn } from './copy-in.mjs';
import { FILLED, LEAVES_PER_BATCH, LOG_ID, linesOf, oldestOf, otherAccount } from './scale-rows.mjs';

/** Messages of one transaction. */
const RUN = 20_000;
const PROCESSES = 3;
const TOLD_EVERY_MS = 1_000;
/** The newest message is so old: what the service does meanwhile comes after it. */
const AGE_MS = 60_000;

const ACCOUNTS = `insert into tenants (tenant_id, name, default_certified, quota_messages_month,
    quota_plain_messages_month, price_per_message_cents, price_per_plain_message_cents, created_at, updated_at)
  select id, 'Account ' || ordinality, true, 1000000, 1000000, 0, 0, now(), now()
    from unnest($1::uuid[]) with ordinality id`;
const COUNTED = `insert into daily_counters (tenant_id, day, ingested, ingested_certified, sent, bounced, sealed)
  select $1::uuid, current_date - n, 33000, 16500, 30000, 1300, 16500 from generate_series(0, 365) n`;
const SIZES = `generate_series(${LEAVES_PER_BATCH}, $1::bigint, ${LEAVES_PER_BATCH}) size`;
const ONCE = [
  `insert into logs (log_id, origin, public_key, private_key_sealed, tree_size, created_at)
    values ('${LOG_ID}', 'bench.test/log', sha256('x'), 'x', $1::bigint, now())`,
  `insert into checkpoints (log_id, tree_size, batch_id, previous_tree_size, root_hash, note, created_at)
    select '${LOG_ID}', size, gen_random_uuid(), size - ${LEAVES_PER_BATCH}, sha256(size::text::bytea), 'bench',
      now() from ${SIZES}`,
  `insert into certificates (certificate_id, log_id, tree_size, profile, issuer, policy_oid, serial_number,
      gen_time, hash_algorithm, imprint, token, chain, policy, created_at, covered_until)
    select gen_random_uuid(), '${LOG_ID}', size, 'development', 'bench', '1.2.3', size::text, now(), 'sha256',
      'x', 'x', array['x'::bytea], '{}', now(), now() + interval '10 years' from ${SIZES}`,
];

/**
 * `url`: of the database, as a role that may bypass row-level security and triggers. `given`: {count,
 * accounts, tenantId, webhookId}. Returns the id of the account's oldest message.
 */
export async function fill(url, given) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const world = { ...given, nowMs: await begin(client, given) };
    const { rows } = await client.query('select run from bench_filled');
    const done = new Set(rows.map(({ run }) => run));
    const runs = Array.from({ length: Math.ceil(given.count / RUN) }, (_, run) => run);
    const left = runs.filter((run) => !done.has(run));
    if (left.length > 0) {
      await write(url, world, left);
      process.stderr.write('  vacuum and statistics\n');
      await client.query('vacuum (analyze)');
      await client.query('checkpoint');
    }
    return oldestOf(world);
  } finally {
    await client.end();
  }
}

/** Rows that are there once; returns when the newest message was made (ms). */
async function begin(client, { count, accounts, tenantId }) {
  await client.query('create table if not exists bench_filled (run integer primary key)');
  await client.query('create table if not exists bench_filling (now_ms bigint not null)');
  const { rows } = await client.query('select now_ms from bench_filling');
  if (rows.length > 0) return Number(rows[0].now_ms);
  const nowMs = Date.now() - AGE_MS;
  await client.query('begin');
  // Two leaves of each certified message, one in ten.
  for (const statement of ONCE) await client.query(statement, [count / 5 + LEAVES_PER_BATCH]);
  const others = Array.from({ length: accounts - 1 }, (_, n) => otherAccount(n + 1));
  await client.query(ACCOUNTS, [others]);
  for (const each of [tenantId, ...others]) await client.query(COUNTED, [each]);
  await client.query('insert into bench_filling values ($1)', [nowMs]);
  await client.query('commit');
  return nowMs;
}

async function write(url, world, runs) {
  const startedAt = performance.now();
  const waiting = [...runs];
  let written = 0;
  let toldAt = 0;
  const work = () =>
    new Promise((resolve, reject) => {
      const child = fork(fileURLToPath(import.meta.url), [], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const next = () =>
        waiting.length > 0 ? child.send({ url, world, run: waiting.shift() }) : child.disconnect();
      child.on('message', () => {
        written++;
        if (performance.now() - toldAt > TOLD_EVERY_MS) {
          toldAt = performance.now();
          tell(written, runs.length, startedAt);
        }
        next();
      });
      child.on('error', reject);
      child.on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`a filling process ended (${code})`)),
      );
      next();
    });
  await Promise.all(Array.from({ length: Math.min(PROCESSES, runs.length) }, work));
  process.stderr.write('\n');
}

function tell(written, of, startedAt) {
  const seconds = (performance.now() - startedAt) / 1_000;
  const left = (seconds / written) * (of - written);
  process.stderr.write(
    `\r  ${written * RUN} of ${of * RUN} messages, ${Math.round((written * RUN) / seconds)} a second, ${(left / 60).toFixed(1)} minutes left `,
  );
}

/** One of the processes: writes the runs that it is told. */
async function serve() {
  let client;
  process.on('message', async ({ url, world, run }) => {
    if (client === undefined) {
      client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query("set session_replication_role = 'replica'");
      await client.query('set synchronous_commit = off');
    }
    await client.query('begin');
    const below = Math.min(world.count, (run + 1) * RUN);
    for (const { table, columns } of FILLED)
      await copyIn(client, `copy ${table} (${columns}) from stdin`, linesOf(table, world, run * RUN, below));
    await client.query('insert into bench_filled values ($1)', [run]);
    await client.query('commit');
    process.send('written');
  });
  process.on('disconnect', () => void client?.end());
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) await serve();
