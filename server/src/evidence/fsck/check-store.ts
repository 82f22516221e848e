import type { Queryable } from '../../platform/database/db.ts';
import { changed, first } from '../../platform/database/rows.ts';
import type { FsckProgress } from './fsck.ts';
import type { FsckResult } from './fsck-report.ts';

type CheckStatus = 'running' | 'clean' | 'problems' | 'failed' | 'interrupted';

export interface CheckRow {
  readonly checkId: string;
  readonly status: CheckStatus;
  readonly startedBy: string;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  /** A check of the console reads no archives. */
  readonly phase: Exclude<FsckProgress['phase'], 'archives'> | null;
  readonly done: number;
  readonly total: number;
  /** Null: running, or cut off. */
  readonly result: FsckResult | null;
  readonly error: string | null;
}

const COLUMNS = `check_id as "checkId", status, started_by as "startedBy", started_at as "startedAt",
  finished_at as "finishedAt", phase, done, total, result, error`;

/** Null: another one runs. Heartbeats use the database's clock. */
export function insertCheck(
  db: Queryable,
  check: { readonly checkId: string; readonly startedBy: string },
): Promise<CheckRow | null> {
  return first<CheckRow>(
    db,
    `insert into evidence_checks (check_id, status, started_by, started_at, beat_at)
     values ($1, 'running', $2, statement_timestamp(), statement_timestamp())
     on conflict ((true)) where status = 'running' do nothing
     returning ${COLUMNS}`,
    [check.checkId, check.startedBy],
  );
}

export function beatCheck(
  db: Queryable,
  checkId: string,
  { phase, done, total }: FsckProgress | { phase: null; done: 0; total: 0 },
): Promise<boolean> {
  return changed(
    db,
    `update evidence_checks set beat_at = statement_timestamp(), phase = $2, done = $3, total = $4
      where check_id = $1 and status = 'running'`,
    [checkId, phase, done, total],
  );
}

export async function finishCheck(
  db: Queryable,
  checkId: string,
  end: {
    readonly status: Exclude<CheckStatus, 'running'>;
    readonly result: FsckResult | null;
    readonly error: string | null;
  },
): Promise<void> {
  await db.execute(
    `update evidence_checks set status = $2, result = $3::jsonb, error = $4,
            finished_at = statement_timestamp()
      where check_id = $1 and status = 'running'`,
    [checkId, end.status, end.result === null ? null : JSON.stringify(end.result), end.error],
  );
}

/** Marks checks without a heartbeat as interrupted. */
export async function interruptSilent(db: Queryable, silentMs: number): Promise<void> {
  await db.execute(
    `update evidence_checks set status = 'interrupted', finished_at = statement_timestamp()
      where status = 'running' and beat_at < statement_timestamp() - $1 * interval '1 millisecond'`,
    [silentMs],
  );
}

export function listChecks(db: Queryable, before: string | null, limit: number): Promise<CheckRow[]> {
  return db.query<CheckRow>(
    `select ${COLUMNS} from evidence_checks where $1::uuid is null or check_id < $1
      order by check_id desc limit $2`,
    [before, limit],
  );
}

export function findCheck(db: Queryable, checkId: string): Promise<CheckRow | null> {
  return first<CheckRow>(db, `select ${COLUMNS} from evidence_checks where check_id = $1`, [checkId]);
}
