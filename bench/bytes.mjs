// Where the bytes go that PostgreSQL writes for a certified message on its whole way (accepted, delivered to
// the sandbox's own server, recorded, sealed): records of the write-ahead log by table and index, and what of
// them are images of whole pages, and how much each of these grew. Loads do not change these figures.
//   npm run bench -- bytes [seconds of sending] [--batches]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { bytesWritten, runLoad } from './processes.mjs';
import {
  BATCH_CONNECTIONS,
  BATCH_ITEMS,
  CONNECTIONS,
  inFreshFolder,
  loadOf,
  MESSAGE,
  makeAccount,
  startService,
} from './send-service.mjs';
import { digits, printTable } from './table.mjs';

const DEFAULT_SECONDS = 5;
const WARM_UP_SECONDS = 4;
const LOOK_EVERY_MS = 50;
const DRAINED_WITHIN_MS = 300_000;
/** The table of the sandbox's own server, and its indexes: it stands for somebody else's. */
const RECIPIENTS = 'sandbox_mail';
/** Rows of the table; the rest is summed up. */
const SHOWN = 40;

export async function run([seconds = DEFAULT_SECONDS, ...options]) {
  const batch = options.includes('--batches');
  await inFreshFolder(async (dataDir) => {
    const key = await makeAccount(dataDir);
    const service = await startService(dataDir);
    const { socketDir, pid, url } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
    const database = new pg.Client({
      host: socketDir,
      user: 'postgres',
      database: /^postgresql:\/\/\/([^?]+)/.exec(url)[1],
    });
    await database.connect();
    try {
      await database.query('create extension pg_walinspect');
      const world = { url: service.url, key, database, pid, batch };
      await send(world, WARM_UP_SECONDS);
      await database.query('checkpoint');
      const before = await snapshot(world);
      const messages = await send(world, Number(seconds));
      const after = await snapshot(world);
      await print(world, before, after, messages);
    } finally {
      await database.end();
      await service.stop();
    }
  });
}

async function send({ url, key, database, batch }, seconds) {
  const connections = batch ? BATCH_CONNECTIONS : CONNECTIONS;
  const load = await runLoad(
    loadOf({ url, key }, { batch, message: { ...MESSAGE, certified: true }, connections, seconds }),
  );
  const good = (load.statuses['200'] ?? 0) + (load.statuses['201'] ?? 0);
  if (good !== load.requests) throw new Error(`answers: ${JSON.stringify(load.statuses)}`);
  for (const giveUpMs = performance.now() + DRAINED_WITHIN_MS; ; ) {
    const { rows } = await database.query(
      `select 1 where exists (select from delivery_queue) or exists (select from pending_leaves)`,
    );
    if (rows.length === 0) return load.requests * (batch ? BATCH_ITEMS : 1);
    if (performance.now() > giveUpMs) throw new Error('something waits for ever');
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function snapshot({ database, pid }) {
  const { rows: sizes } = await database.query(
    `select c.relname, c.relfilenode::text as node, pg_relation_size(c.oid)::float8 as bytes
       from pg_class c where c.relkind in ('r', 'i', 't')`,
  );
  const { rows } = await database.query(
    `select pg_current_wal_insert_lsn()::text as lsn, (select sum(write_bytes)::float8 from pg_stat_io) as io`,
  );
  return {
    sizes: new Map(sizes.map((row) => [row.relname, row])),
    ...rows[0],
    written: bytesWritten(pid, { tree: true }),
  };
}

async function print({ database }, before, after, messages) {
  const { rows: blocks } = await database.query(
    `select coalesce(c.relname, 'others') as name,
            count(*)::float8 as records, sum(b.block_data_length)::float8 as data,
            sum(b.block_fpi_length)::float8 as fpi
       from pg_get_wal_block_info($1, $2, false) b left join pg_class c on c.relfilenode = b.relfilenode
      group by 1`,
    [before.lsn, after.lsn],
  );
  const { rows: kinds } = await database.query(
    `select resource_manager as manager, count(*)::float8 as records, sum(record_length)::float8 as bytes,
            sum(main_data_length)::float8 as main, sum(fpi_length)::float8 as fpi
       from pg_get_wal_records_info($1, $2) group by 1 order by 3 desc`,
    [before.lsn, after.lsn],
  );
  const each = (n) => digits(n / messages, 0);
  const tables = new Map();
  for (const { name, records, data, fpi } of blocks) {
    const sum = tables.get(name) ?? { records: 0, data: 0, fpi: 0 };
    tables.set(name, { records: sum.records + records, data: sum.data + data, fpi: sum.fpi + fpi });
  }
  const grown = (name) => (after.sizes.get(name)?.bytes ?? 0) - (before.sizes.get(name)?.bytes ?? 0);
  for (const name of after.sizes.keys())
    if (grown(name) > 0 && !tables.has(name)) tables.set(name, { records: 0, data: 0, fpi: 0 });
  const rows = [...tables].map(([name, sum]) => ({ name, ...sum, grown: grown(name) }));
  const weight = (row) => row.data + row.fpi + row.grown;
  rows.sort((a, b) => weight(b) - weight(a));
  console.log(`\n${messages} messages; bytes a message\n`);
  printTable(
    rows.slice(0, SHOWN).map((row) => ({
      relation: row.name,
      records: digits(row.records / messages, 2),
      'WAL data': each(row.data),
      'WAL page images': each(row.fpi),
      grown: each(row.grown),
    })),
    1,
  );
  printTable(
    kinds.map((row) => ({
      'kind of record': row.manager,
      records: digits(row.records / messages, 2),
      bytes: each(row.bytes),
      'main data': each(row.main),
      'page images': each(row.fpi),
    })),
    1,
  );
  const total = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  const wal = kinds.reduce((sum, row) => sum + row.bytes, 0);
  console.log(
    `\nWAL ${each(wal)}, of it page images ${each(total('fpi'))}; grown ${each(total('grown'))}; ` +
      `written in all (wchar) ${each(after.written - before.written)}`,
  );
  const kept = rows.filter(({ name }) => name.startsWith(RECIPIENTS));
  const ofKept = (key) => kept.reduce((sum, row) => sum + row[key], 0);
  console.log(
    `of these, what the recipient's server keeps: WAL ${each(ofKept('data') + ofKept('fpi'))} and the heads of ` +
      `${digits(ofKept('records') / messages, 2)} records; grown ${each(ofKept('grown'))}`,
  );
}
