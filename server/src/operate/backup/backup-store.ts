import type pg from 'pg';

/** PostgreSQL's side of a backup, in one superuser session. Independent of our schema's version. */

export interface Begun {
  readonly startLsn: string;
  readonly segmentBytes: number;
  readonly version: string;
}

/** PostgreSQL keeps its WAL and writes full pages until the session ends. */
export async function beginBackup(client: pg.Client): Promise<Begun> {
  await client.query(
    "select pg_create_physical_replication_slot('acuse_backup_' || pg_backend_pid(), true, true)",
  );
  const { rows } = await client.query<Begun>(
    `select pg_backup_start('acuse', fast => true)::text as "startLsn",
            pg_size_bytes(current_setting('wal_segment_size'))::int4 as "segmentBytes",
            current_setting('server_version') as version`,
  );
  return rows[0]!;
}

export interface Ended {
  readonly stopLsn: string;
  readonly label: string;
  /** Everything committed before is in the backup. */
  readonly completeUntil: Date;
  readonly walFiles: readonly string[];
}

/** Completes the last WAL file. */
export async function endBackup(client: pg.Client, { startLsn, segmentBytes }: Begun): Promise<Ended> {
  const { rows: times } = await client.query<{ now: Date }>('select clock_timestamp() as now');
  const { rows: stops } = await client.query<{ stopLsn: string; label: string }>(
    'select lsn::text as "stopLsn", labelfile as label from pg_backup_stop(wait_for_archive => false)',
  );
  const { stopLsn, label } = stops[0]!;
  // A position at the end of a file belongs to it.
  const { rows: names } = await client.query<{ name: string }>(
    `select pg_walfile_name('0/0'::pg_lsn + segment * $3::numeric + 1) as name
       from generate_series(
         div($1::pg_lsn - '0/0'::pg_lsn, $3::numeric),
         div($2::pg_lsn - '0/0'::pg_lsn - 1, $3::numeric)) as segment
      order by segment`,
    [startLsn, stopLsn, segmentBytes],
  );
  return { stopLsn, label, completeUntil: times[0]!.now, walFiles: names.map(({ name }) => name) };
}

export interface DatabaseFacts {
  readonly installation: string | null;
  readonly migrations: number;
  readonly logs: readonly { readonly origin: string; readonly size: number; readonly note: string | null }[];
}

const UNDEFINED_TABLE = '42P01';

/** Nulls for an unmigrated database. */
export async function readFacts(client: pg.Client): Promise<DatabaseFacts> {
  try {
    const { rows: counts } = await client.query<{ migrations: number }>(
      'select count(*)::int4 as migrations from schema_migrations',
    );
    const { rows: logs } = await client.query<DatabaseFacts['logs'][number] & { logId: string }>(
      `select l.log_id as "logId", l.origin, l.tree_size::float8 as size, c.note
         from logs l left join checkpoints c on c.log_id = l.log_id and c.tree_size = l.tree_size
        order by l.created_at, l.log_id`,
    );
    return {
      installation: logs[0]?.logId ?? null,
      migrations: counts[0]?.migrations ?? 0,
      logs: logs.map(({ origin, size, note }) => ({ origin, size, note })),
    };
  } catch (error) {
    if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error;
    return { installation: null, migrations: 0, logs: [] };
  }
}
