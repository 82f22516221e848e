// Writes of accepting a certified message, as it is (a row each in messages, message_contents and
// leaf_contents) and as one wide row that is never updated beside a narrow one for what changes: processor
// time of one PostgreSQL session, bytes of the write-ahead log and of tables and indexes, for the insert and
// for the update that an outcome makes. In turns, on tables made like the real ones, without the commit.
//   npm run bench -- layout [rounds] [messages]
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { cpuSeconds } from './processes.mjs';
import { inFreshFolder, startService } from './send-service.mjs';
import { digits, median, printTable } from './table.mjs';

const DEFAULT_ROUNDS = 5;
const DEFAULT_MESSAGES = 19_000;
/** Messages of one commit, as ingest has them. */
const GROUP = 38;
const RAW_BYTES = 546;
const SUBMISSION_BYTES = 265;
const MANIFEST_BYTES = 1_447;
const OPENINGS_BYTES = 32;

const COLUMNS = `tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
  recipient_address, reverse_path, subject, certified, size_bytes, canonical_hash, tenant_sequence, created_at`;
const VALUES = `$1::uuid, m.id, m.id::text, 'Billing <billing@sandbox.test>', 'Ana <' || m.id || '@sandbox.test>',
  'billing@sandbox.test', m.id || '@sandbox.test', 'b+' || m.id || '@bounce.sandbox.test',
  'Your invoice 2041 of March', true, ${RAW_BYTES}, m.hash, m.at, now()`;
const FROM = 'unnest($2::uuid[], $3::bytea[], $4::bigint[]) as m (id, hash, at)';
const STATE = `status, attempts, next_attempt_at`;

const LAYOUTS = {
  'as it is': {
    make: `create table l_messages (like messages including all);
      create table l_contents (like message_contents including all);
      create table l_leaves (like leaf_contents including all)`,
    tables: ['l_messages', 'l_contents', 'l_leaves'],
    insert: [
      {
        text: `insert into l_messages (${COLUMNS}, ${STATE}) select ${VALUES}, 'queued', 0, now() from ${FROM}`,
        bytes: [],
      },
      {
        text: `insert into l_contents (tenant_id, message_id, raw, submission)
          select $1::uuid, m.id, $5::bytea, $6::bytea from ${FROM}`,
        bytes: [RAW_BYTES, SUBMISSION_BYTES],
      },
      {
        text: `insert into l_leaves (tenant_id, leaf_id, message_id, kind, canonical_hash, manifest, openings,
            created_at)
          select $1::uuid, m.id, m.id, 'message', m.hash, $5::bytea, $6::bytea, now() from ${FROM}`,
        bytes: [MANIFEST_BYTES, OPENINGS_BYTES],
      },
    ],
    outcome: `update l_messages m set status = 'sent', attempts = 1, next_attempt_at = null, sent_at = now(),
        last_reply = $3 from unnest($2::uuid[]) as t (id) where m.tenant_id = $1 and m.message_id = t.id`,
  },
  'one wide row, one narrow': {
    make: `create table l_wide (like messages including all);
      alter table l_wide alter status drop not null, alter attempts drop not null,
        add raw bytea, add submission bytea, add manifest bytea, add openings bytea;
      alter table l_wide alter raw set storage external, alter submission set storage external,
        alter manifest set storage external;
      alter table l_wide set (toast_tuple_target = 8160);
      create table l_states (tenant_id uuid not null, message_id uuid not null, status text not null,
        attempts integer not null, next_attempt_at timestamptz(3), sent_at timestamptz(3), last_reply jsonb,
        primary key (tenant_id, message_id)) with (fillfactor = 70)`,
    tables: ['l_wide', 'l_states'],
    insert: [
      {
        text: `insert into l_wide (${COLUMNS}, ${STATE}, raw, submission, manifest, openings)
          select ${VALUES}, 'queued', 0, now(), $5::bytea, $6::bytea, $7::bytea, $8::bytea from ${FROM}`,
        bytes: [RAW_BYTES, SUBMISSION_BYTES, MANIFEST_BYTES, OPENINGS_BYTES],
      },
      {
        text: `insert into l_states (tenant_id, message_id, status, attempts, next_attempt_at)
          select $1::uuid, m.id, 'queued', 0, now() from ${FROM}`,
        bytes: [],
      },
    ],
    outcome: `update l_states m set status = 'sent', attempts = 1, next_attempt_at = null, sent_at = now(),
        last_reply = $3 from unnest($2::uuid[]) as t (id) where m.tenant_id = $1 and m.message_id = t.id`,
  },
};

const REPLY = { mx: 'sandbox.test', code: 250, text: `OK: kept as ${randomUUID()}`, enhanced: '2.0.0' };

export async function run([rounds = DEFAULT_ROUNDS, messages = DEFAULT_MESSAGES]) {
  await inFreshFolder(async (dataDir) => {
    const service = await startService(dataDir, { roles: 'api' });
    const { socketDir, url } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
    const database = new pg.Client({
      host: socketDir,
      user: 'postgres',
      database: /^postgresql:\/\/\/([^?]+)/.exec(url)[1],
    });
    await database.connect();
    try {
      const results = new Map(Object.keys(LAYOUTS).map((name) => [name, []]));
      for (const { make } of Object.values(LAYOUTS)) await database.query(make);
      for (let round = -1; round < Number(rounds); round++)
        for (const [name, layout] of Object.entries(LAYOUTS)) {
          const figures = await measure(database, layout, Number(messages));
          // The first round warms up.
          if (round >= 0) results.get(name).push(figures);
        }
      print(results);
    } finally {
      await database.end();
      await service.stop();
    }
  });
}

async function measure(database, { tables, insert, outcome }, messages) {
  const tenant = randomUUID();
  const groups = Array.from({ length: Math.ceil(messages / GROUP) }, (_, group) => {
    const all = Array.from({ length: GROUP }, (_, at) => group * GROUP + at);
    return { ids: all.map(idAt), hashes: all.map(() => randomBytes(32)), at: all.map((each) => each + 1) };
  });
  const count = groups.length * GROUP;
  const bytesOf = insert.map(({ bytes }) => bytes.map((size) => randomBytes(size)));
  const inserted = await counted(database, tables, count, async () => {
    for (const { ids, hashes, at } of groups) {
      await database.query('begin');
      for (const [which, { text }] of insert.entries()) {
        const values = [tenant, ids, hashes, at, ...bytesOf[which]];
        await database.query({ name: `insert ${tables[which]}`, text, values });
      }
      await database.query('commit');
    }
  });
  const updated = await counted(database, tables, count, async () => {
    for (const { ids } of groups)
      await database.query({ name: `outcome ${tables[0]}`, text: outcome, values: [tenant, ids, REPLY] });
  });
  return { inserted, updated };
}

/** As the service makes them: of the time, so that they come in their order. */
function idAt(at) {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now() + at, 0, 6);
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

async function counted(database, tables, count, work) {
  const look = async () => {
    const { rows } = await database.query(
      `select pg_backend_pid() as pid, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as log,
              (select sum(pg_total_relation_size(t::regclass)) from unnest($1::text[]) t)::float8 as size`,
      [tables],
    );
    return { ...rows[0], cpu: cpuSeconds(rows[0].pid) };
  };
  await database.query('checkpoint');
  const before = await look();
  await work();
  const after = await look();
  return {
    cpu: (1e6 * (after.cpu - before.cpu)) / count,
    log: (after.log - before.log) / count,
    size: (after.size - before.size) / count,
  };
}

function print(results) {
  const rows = [...results].flatMap(([name, list]) =>
    ['inserted', 'updated'].map((step) => {
      const middle = (key) => median(list.map((each) => each[step][key]));
      return {
        layout: name,
        step,
        'CPU µs': digits(middle('cpu'), 1),
        'bytes of the log': digits(middle('log')),
        'bytes of tables and indexes': digits(middle('size')),
      };
    }),
  );
  console.log('\na message\n');
  printTable(rows, 2);
}
