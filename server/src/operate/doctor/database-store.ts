import type { Queryable } from '../../platform/database/db.ts';

export async function readDatabaseClock(q: Queryable): Promise<Date> {
  const [row] = await q.query<{ now: Date }>('select clock_timestamp() as now');
  return row!.now;
}

export interface DatabaseFacts {
  readonly version: string;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly synchronousCommit: string;
  readonly standbyNames: string;
  readonly walLevel: string;
  readonly archiveMode: string;
  readonly checksums: string;
  readonly maxConnections: number;
  readonly connections: number;
  readonly recovering: boolean;
  readonly archivedAt: Date | null;
  readonly archiveFailedAt: Date | null;
  readonly archiveFailedWal: string | null;
  readonly standbys: number;
}

export async function readDatabaseFacts(q: Queryable): Promise<DatabaseFacts> {
  const [row] = await q.query<DatabaseFacts>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
            current_setting('full_page_writes') as "fullPageWrites",
            current_setting('synchronous_commit') as "synchronousCommit",
            current_setting('synchronous_standby_names') as "standbyNames",
            current_setting('wal_level') as "walLevel", current_setting('archive_mode') as "archiveMode",
            current_setting('data_checksums') as checksums,
            current_setting('max_connections')::integer as "maxConnections",
            (select count(*)::integer from pg_stat_activity where datname is not null) as connections,
            pg_is_in_recovery() as recovering, a.last_archived_time as "archivedAt",
            a.last_failed_time as "archiveFailedAt", a.last_failed_wal as "archiveFailedWal",
            (select count(*)::integer from pg_stat_replication) as standbys
       from pg_stat_archiver a`,
  );
  return row!;
}
