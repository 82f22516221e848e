import type { Queryable, Tx } from './db.ts';

/** Processes that work on this database; `fresh`: heard of within two lease times. */
export interface ProcessRow {
  readonly process_id: string;
  readonly boot_id: string | null;
  readonly pid_namespace: string | null;
  readonly pid: number;
  readonly started_ticks: number | null;
  readonly fresh: boolean;
}

/** All processes; new ones wait until this transaction ends. */
export async function listProcessesAlone(tx: Tx, freshMs: number): Promise<ProcessRow[]> {
  await tx.execute('lock table processes in share row exclusive mode');
  return tx.query<ProcessRow>(
    `select process_id, boot_id, pid_namespace, pid, started_ticks,
            beat_at > clock_timestamp() - $1 * interval '1 millisecond' as fresh
       from processes`,
    [freshMs],
  );
}

/** True if another process was heard of within `freshMs`. */
export async function beatProcess(
  q: Queryable,
  row: Omit<ProcessRow, 'fresh'> & { readonly roles: readonly string[] },
  freshMs: number,
): Promise<boolean> {
  await q.execute(
    `insert into processes (process_id, boot_id, pid_namespace, pid, started_ticks, roles, beat_at)
     values ($1, $2, $3, $4, $5, $6, clock_timestamp())
     on conflict (process_id) do update set beat_at = excluded.beat_at`,
    [row.process_id, row.boot_id, row.pid_namespace, row.pid, row.started_ticks, row.roles],
    'beat_process',
  );
  const others = await q.query(
    `select 1 from processes where process_id <> $1
        and beat_at > clock_timestamp() - $2 * interval '1 millisecond' limit 1`,
    [row.process_id, freshMs],
    'find_other_processes',
  );
  return others.length > 0;
}

/** Roles of live processes; null: of a version that does not say. */
export function listFreshRoles(
  q: Queryable,
  freshMs: number,
): Promise<(Omit<ProcessRow, 'process_id' | 'fresh'> & { readonly roles: readonly string[] | null })[]> {
  return q.query(
    `select boot_id, pid_namespace, pid, started_ticks, roles from processes
      where beat_at > clock_timestamp() - $1 * interval '1 millisecond'`,
    [freshMs],
  );
}

export async function deleteProcesses(q: Queryable, processIds: readonly string[]): Promise<void> {
  await q.execute('delete from processes where process_id = any ($1::uuid[])', [processIds]);
}

export interface SeenProcess {
  readonly process_id: string;
  readonly pid: number;
  readonly beat_at: Date;
}

export function listFreshProcesses(q: Queryable, freshMs: number): Promise<SeenProcess[]> {
  return q.query<SeenProcess>(
    `select process_id, pid, beat_at from processes
      where beat_at > clock_timestamp() - $1 * interval '1 millisecond' order by process_id`,
    [freshMs],
  );
}
