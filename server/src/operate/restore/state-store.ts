import type { Queryable, Tx } from '../../platform/database/db.ts';

export interface RestoreState {
  /** Also kept in the journal, written second. */
  readonly mark: number;
  readonly markedAt: Date | null;
  readonly pending: { readonly since: Date; readonly reason: string } | null;
  readonly releasedAt: Date | null;
}

interface StateRow {
  readonly mark: number;
  readonly marked_at: Date | null;
  readonly pending_since: Date | null;
  readonly pending_reason: string | null;
  readonly released_at: Date | null;
}

const COLUMNS = 'mark, marked_at, pending_since, pending_reason, released_at';

export async function findState(q: Queryable): Promise<RestoreState> {
  const rows = await q.query<StateRow>(`select ${COLUMNS} from restore_state`, [], 'find_restore_state');
  return stateOf(rows);
}

/** Null: locked by somebody else. */
export async function lockState(tx: Tx): Promise<RestoreState | null> {
  const rows = await tx.query<StateRow>(
    `select ${COLUMNS} from restore_state for no key update skip locked`,
    [],
  );
  return rows.length === 0 ? null : stateOf(rows);
}

function stateOf([row]: readonly StateRow[]): RestoreState {
  if (row === undefined) throw new Error('restore_state has no row: this database is not one of Acuse');
  const { pending_since: since, pending_reason: reason } = row;
  return {
    mark: row.mark,
    markedAt: row.marked_at,
    pending: since === null || reason === null ? null : { since, reason },
    releasedAt: row.released_at,
  };
}

export async function raiseMark(q: Queryable, at: Date): Promise<number> {
  const [row] = await q.query<{ mark: number }>(
    'update restore_state set mark = mark + 1, marked_at = $1 returning mark',
    [at.toISOString()],
    'raise_restore_mark',
  );
  return row?.mark ?? 0;
}

/** Keeps the first reason. */
export async function insistOnRelease(q: Queryable, reason: string, at: Date): Promise<void> {
  await q.execute(
    `update restore_state set pending_since = $2, pending_reason = left($1, 2000)
      where pending_since is null`,
    [reason, at.toISOString()],
  );
}

/** `mark`: at least this, so that the database does not look older. */
export async function endRestore(tx: Tx, mark: number, at: Date): Promise<void> {
  await tx.execute(
    `update restore_state set pending_since = null, pending_reason = null, released_at = $2,
       mark = greatest(mark + 1, $1), marked_at = $2`,
    [mark, at.toISOString()],
  );
}

/** Avoids the idle time-out. */
export async function stayAwake(tx: Tx): Promise<void> {
  await tx.query('select 1', []);
}

export async function findInstallation(q: Queryable): Promise<string | null> {
  const [row] = await q.query<{ log_id: string }>(
    'select log_id from logs order by created_at, log_id limit 1',
    [],
  );
  return row?.log_id ?? null;
}

/** Later messages are missing. */
export async function findNewestAcceptance(q: Queryable): Promise<Date | null> {
  const [row] = await q.query<{ newest: Date | null }>(
    `select max(m.created_at) as newest from tenants t cross join lateral (
       select created_at from messages where tenant_id = t.tenant_id order by message_id desc limit 1
     ) m`,
    [],
  );
  return row?.newest ?? null;
}
