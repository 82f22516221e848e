// Costs of PostgreSQL's statements: pg_stat_statements of the embedded PostgreSQL, with BENCH_STATEMENTS=1.
// Its counting costs some time itself, so figures of such a run compare with each other only.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { digits, printTable } from './table.mjs';

const WANTED = process.env.BENCH_STATEMENTS === '1';
/** Statements of the table; the others are summed up. */
const SHOWN = 30;

/** Before the start of a service whose database is there already. */
export function prepareStatements(dataDir, wanted = WANTED) {
  if (!wanted) return;
  appendFileSync(
    join(dataDir, 'postgres', 'postgresql.auto.conf'),
    `\nshared_preload_libraries = 'pg_stat_statements'
pg_stat_statements.track = 'all'
pg_stat_statements.track_planning = on\n`,
  );
}

/** `postgres`: what postgres.json holds. Begins to count; the function returned prints it. */
export async function countStatements(postgres) {
  if (!WANTED) return async () => {};
  const end = await readStatements(postgres);
  return async (messages) => print(await end(), messages);
}

/** Begins to count; the function returned ends it, and has each statement, the dearest first. */
export async function readStatements({ socketDir, url }) {
  const database = new pg.Client({
    host: socketDir,
    user: 'postgres',
    database: /^postgresql:\/\/\/([^?]+)/.exec(url)[1],
  });
  await database.connect();
  await database.query('create extension if not exists pg_stat_statements');
  await database.query('select pg_stat_statements_reset()');
  return async () => {
    const { rows } = await database.query(
      `select regexp_replace(query, '\\s+', ' ', 'g') as query, calls::float8, rows::float8, plans::float8,
              total_plan_time as "planMs", total_plan_time + total_exec_time as ms, wal_bytes::float8 as wal,
              (shared_blks_hit + shared_blks_read)::float8 as buffers
         from pg_stat_statements order by ms desc`,
    );
    await database.end();
    return rows;
  };
}

function print(rows, messages) {
  const each = (key, factor = 1) => (factor * rows.reduce((sum, row) => sum + row[key], 0)) / messages;
  const planning = `planning ${digits(each('planMs', 1_000))} in ${digits(each('plans'), 3)} plans`;
  console.log(`\nstatements: ${digits(each('ms', 1_000))} µs a message of ${messages}, ${planning}\n`);
  printTable(
    rows.slice(0, SHOWN).map((row) => ({
      statement: row.query.slice(0, 100).replaceAll('|', ' '),
      'µs a message': digits((1_000 * row.ms) / messages, 1),
      'calls a message': digits(row.calls / messages, 3),
      'plans a message': digits(row.plans / messages, 3),
      'planning, µs a message': digits((1_000 * row.planMs) / messages, 1),
      'rows a call': digits(row.rows / row.calls, 1),
      'µs a call': digits((1_000 * row.ms) / row.calls),
      'buffers a message': digits(row.buffers / messages, 1),
      'WAL a message': digits(row.wal / messages),
    })),
    1,
  );
}
