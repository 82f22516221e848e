// npm run bench -- retention [messages] [days] [of days]: what it costs to delete the content and the records
// of so many days, of 30, while mail is sent at a steady rate. The service's own worker deletes; then vacuum,
// and as much new content takes the place. Beside it, on the same rows, what a table in partitions would do.
// Of more than 30 days, the last 30 have content: a year of 30 000 a day is `retention 10950000 10 365`.
import { loadavg } from 'node:os';
import pg from 'pg';
import { accountOf, caller, inDatabase, superuser } from './lists.mjs';
import { runLoad } from './processes.mjs';
import { comparePartitions, firstId } from './retention-partitions.mjs';
import { fill } from './scale-fill.mjs';
import { CONNECTIONS, inFreshFolder, loadOf, makeAccount, startService } from './send-service.mjs';
import { digits, median, printTable } from './table.mjs';

const MESSAGES = 1_000_000;
const DAYS = 6;
const OF_DAYS = 30;
/** Older messages have lost their content. */
const CONTENT_DAYS = 30;
const DAY_MS = 86_400_000;
const ACCOUNTS = 10;
/** With what is stored beside it: 3 kB a message. */
const BODY_BYTES = 1_200;
/** The worker of retention is one of delivery's; the log that is filled in has no key. */
const ROLES = 'api,delivery';
const SENDS_PER_SECOND = 100;
const LOAD_SECONDS = 10;
/** Sends while nothing else goes on. */
const QUIET_LOADS = 3;
const BEGUN_WITHIN_MS = 120_000;
const SWEPT_WITHIN_MS = 1_800_000;
/** The sweep of an account that is through is due again in an hour, of a busy one in five minutes. */
const SWEPT = `select count(*)::integer as accounts from retention_sweeps where due_at > now() + interval '1 minute'`;
const TABLES = ['message_contents', 'content_deletions', 'messages', 'events', 'attempts', 'spent_keys'];
const SWEPT_BEFORE = `insert into retention_sweeps (tenant_id, due_at, attempt, swept_to)
  select tenant_id, now() + interval '1 day', 0, $1 from tenants`;
/** A process that works looks once a minute for what is due. */
const DUE_NOW = 'update retention_sweeps set due_at = now()';
const BEGUN = 'select 1 from retention_sweeps where attempt > 0 limit 1';
/** Searches are no part of this: as if all words had been collected. */
const WORDS_COLLECTED = `insert into search_segments (tenant_id, after_id, last_id, made)
  select tenant_id, $1, $2, true from tenants`;
const SIZES = `select c.relname as name, pg_table_size(c.oid) - coalesce(pg_table_size(c.reltoastrelid), 0) as rows,
    coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0) as long, pg_indexes_size(c.oid) as indexes
  from pg_class c where c.oid = any ($1::regclass[]) order by c.relname`;

export async function run([messages = MESSAGES, days = DAYS, ofDays = OF_DAYS]) {
  await inFreshFolder((dataDir) =>
    measure(dataDir, { count: Number(messages), days: Number(days), ofDays: Number(ofDays) }),
  );
}

async function measure(dataDir, { count, days, ofDays }) {
  const key = await makeAccount(dataDir);
  await filled(dataDir, key, { count, days, ofDays });
  const client = new Recorder(dataDir);
  const contentDays = Math.min(CONTENT_DAYS, ofDays);
  const kept = (plainDays, recordDays) => ({
    roles: ROLES,
    env: { ACUSE_PLAIN_RETENTION_DAYS: String(plainDays), ACUSE_PLAIN_RECORD_DAYS: String(recordDays) },
  });
  const never = ofDays * 10;
  const quiet = (name) =>
    withService(dataDir, kept(never, never), async ({ url }) => {
      await load({ url, key });
      await client.phase(name, () => loads({ url, key }, (n) => n < QUIET_LOADS));
      // What has no content any more was swept long ago.
      await client.query('delete from retention_sweeps');
      await client.query(SWEPT_BEFORE, [firstId(Date.now() - contentDays * DAY_MS)]);
    });
  await quiet('nothing else');
  await withService(dataDir, kept(contentDays - days, never), async ({ url }) => {
    await sweepBegun({ url, key }, client);
    await client.phase('the sweep of contents', () => swept({ url, key }, client, 'content_deletions'));
    for (const table of ['message_contents', 'content_deletions'])
      await client.phase(`vacuum ${table}`, () =>
        beside({ url, key }, () => client.query(`vacuum ${table}`)),
      );
    await client.phase('as much new content', () => beside({ url, key }, () => refill(client)));
  });
  await quiet('nothing else, again');
  await withService(dataDir, kept(contentDays - days, ofDays - days), async ({ url }) => {
    await sweepBegun({ url, key }, client);
    await client.phase('the sweep of records', () => swept({ url, key }, client, 'spent_keys'));
    for (const table of ['messages', 'events', 'attempts', 'idempotency_claims'])
      await client.phase(`vacuum ${table}`, () =>
        beside({ url, key }, () => client.query(`vacuum ${table}`)),
      );
    await comparePartitions(client, (work) => beside({ url, key }, work), contentDays - days);
  });
  client.print(`${count} messages of ${ofDays} days in ${ACCOUNTS} accounts, ${days} days deleted`);
}

async function filled(dataDir, key, { count, days, ofDays }) {
  await withService(dataDir, { roles: 'api' }, async ({ url }) => {
    const call = caller(url, key);
    const webhookId = (await call('POST', '/v1/webhooks', { url: 'https://127.0.0.1:1/', events: ['*'] })).id;
    const tenantId = await inDatabase(dataDir, accountOf);
    await fill(superuser(dataDir), {
      ...{ count, accounts: ACCOUNTS, tenantId, webhookId, bodyBytes: BODY_BYTES, days: ofDays },
      withContent: Math.min(1, CONTENT_DAYS / ofDays),
      attemptsTo: days / ofDays,
    });
    const prepare = async (client) => {
      await client.query('update plain_record_deletion set begins_at = now()');
      await client.query(WORDS_COLLECTED, [firstId(Date.now() - 1), firstId(Date.now())]);
    };
    await inDatabase(dataDir, prepare, superuser(dataDir));
  });
}

async function withService(dataDir, options, work) {
  const env = { ...options.env, ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' };
  const service = await startService(dataDir, { ...options, env });
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

const load = (service) =>
  runLoad({
    ...loadOf(service, { batch: false, connections: CONNECTIONS, seconds: LOAD_SECONDS }),
    perSecond: SENDS_PER_SECOND,
  });

/** One load after the other for as long as `goOn` says; the sends of all. */
async function loads(service, goOn) {
  const all = [];
  for (let n = 0; await goOn(n); n++) all.push(await load(service));
  return { loads: all };
}

/** The process is warm, as it is for the sends that are compared with; then all accounts become due. */
async function sweepBegun(service, client) {
  await load(service);
  await client.query(DUE_NOW);
  const end = Date.now() + BEGUN_WITHIN_MS;
  while ((await client.query(BEGUN)).length === 0) {
    if (Date.now() > end) throw new Error('no sweep began');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Sends while the service sweeps all accounts; `table` gets a row for each message. */
async function swept(service, client, table) {
  const end = Date.now() + SWEPT_WITHIN_MS;
  const counted = `select count(*)::integer as rows from ${table}`;
  const [before] = await client.query(counted);
  const startedMs = performance.now();
  let seconds = 0;
  const watch = (async () => {
    for (;;) {
      const [{ accounts }] = await client.query(SWEPT);
      seconds = (performance.now() - startedMs) / 1_000;
      if (accounts === ACCOUNTS) return;
      if (Date.now() > end) throw new Error('the sweep did not end in time');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  let over = false;
  watch.then(
    () => (over = true),
    () => (over = true),
  );
  const done = await loads(service, () => !over);
  await watch;
  const [after] = await client.query(counted);
  return { ...done, seconds, rows: after.rows - before.rows };
}

/** Sends while `work` goes on, and to the end of the load that was begun. */
async function beside(service, work) {
  const startedMs = performance.now();
  let seconds;
  const working = work().then((rows) => {
    seconds = (performance.now() - startedMs) / 1_000;
    return rows;
  });
  const done = await loads(service, (n) => n === 0 || seconds === undefined);
  const rows = await working;
  return { ...done, seconds, rows: typeof rows === 'number' ? rows : undefined };
}

/** As many contents as were deleted. */
async function refill(client) {
  const [{ rows }] = await client.query(
    `with made as (
       insert into message_contents (tenant_id, message_id, raw, submission)
       select c.tenant_id, gen_random_uuid(), c.raw || ''::bytea, c.submission || ''::bytea
         from message_contents c limit (select count(*) from content_deletions) returning 1)
     select count(*)::integer as rows from made`,
  );
  return rows;
}

/** Sends, WAL and the sizes after each phase. */
class Recorder {
  #client;
  #phases = [];

  constructor(dataDir) {
    this.dataDir = dataDir;
  }

  async query(text, values) {
    if (this.#client === undefined) {
      this.#client = new pg.Pool({ connectionString: superuser(this.dataDir), max: 4 });
      this.#client.on('error', () => {});
    }
    return (await this.#client.query(text, values)).rows;
  }

  async phase(name, work) {
    process.stderr.write(`  ${name}\n`);
    const [{ lsn }] = await this.query('select pg_current_wal_lsn() as lsn');
    const result = await work();
    const [{ wal }] = await this.query('select pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::float8 as wal', [
      lsn,
    ]);
    const sizes = await this.query(SIZES, [TABLES]);
    const phase = { name, wal, sizes, load: loadavg()[0], ...result };
    this.#phases.push(phase);
    process.stderr.write(`    ${JSON.stringify(rowOf(phase))}\n`);
  }

  print(title) {
    void this.#client?.end();
    console.log(title);
    printTable(this.#phases.map(rowOf), 1);
    // Before the sweeps, and at the end.
    printTable(
      [this.#phases[0], this.#phases.at(-1)].flatMap(({ name, sizes }) =>
        sizes.map((size) => ({
          after: name,
          table: size.name,
          'rows MB': digits(size.rows / 1e6),
          'long MB': digits(size.long / 1e6),
          'indexes MB': digits(size.indexes / 1e6),
        })),
      ),
      2,
    );
  }
}

function rowOf({ name, loads: sent, seconds, rows, wal, load: machine }) {
  const all = (quantile) => sent.map(({ latencyMs }) => latencyMs[quantile]);
  const requests = sent.reduce((sum, each) => sum + each.requests, 0);
  const refused = sent.reduce((sum, { statuses }) => sum + (statuses['503'] ?? 0), 0);
  return {
    beside: name,
    s: digits(seconds, 1),
    rows: digits(rows),
    'rows/s': rows === undefined ? '' : digits(rows / seconds),
    'WAL MB': digits(wal / 1e6),
    sends: digits(requests),
    refused: digits(refused),
    'p50 ms': digits(median(all('p50')), 1),
    'p99 ms': digits(median(all('p99')), 1),
    'p99, worst 10 s': digits(Math.max(...all('p99')), 1),
    'max ms': digits(Math.max(...all('max')), 1),
    load: digits(machine, 1),
  };
}
