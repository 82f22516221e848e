import type { Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';

/** Counts of failed sign-ins, shared by all processes. */
export type Realm = 'portal' | 'admin';

export interface FailureWindow {
  readonly realm: Realm;
  /** SHA-256 of the subject of the count. */
  readonly subject: Uint8Array;
  readonly now: Date;
  /** Windows that began before are over. */
  readonly staleBefore: Date;
  readonly max: number;
}

/** Counts one attempt before it is judged; false when there are as many as may be. */
export function takeAttempt(tx: Tx, window: FailureWindow): Promise<boolean> {
  return changed(
    tx,
    `insert into sign_in_failures as f (realm, subject, window_started_at, failures)
       values ($1, $2, $3, 1)
       on conflict (realm, subject) do update set
         failures = case when f.window_started_at <= $4 then 1 else f.failures + 1 end,
         window_started_at = case when f.window_started_at <= $4 then $3 else f.window_started_at end
       where f.window_started_at <= $4 or f.failures < $5`,
    [window.realm, window.subject, window.now, window.staleBefore, window.max],
  );
}

export async function windowStart(tx: Tx, realm: Realm, subject: Uint8Array): Promise<Date | null> {
  const rows = await tx.query<{ at: Date }>(
    'select window_started_at as at from sign_in_failures where realm = $1 and subject = $2',
    [realm, subject],
  );
  return rows[0]?.at ?? null;
}

/** The attempts were none to count. Rows are locked in the order of the subjects. */
export async function releaseAttempts(tx: Tx, realm: Realm, subjects: readonly Uint8Array[]): Promise<void> {
  for (const subject of subjects)
    await tx.execute(
      `update sign_in_failures set failures = failures - 1
       where realm = $1 and subject = $2 and failures > 0`,
      [realm, subject],
    );
}

/** Deletes some ended windows; skips those that another transaction has locked. */
export async function forgetWindows(tx: Tx, staleBefore: Date, limit: number): Promise<void> {
  await tx.execute(
    `delete from sign_in_failures where (realm, subject) in
       (select realm, subject from sign_in_failures where window_started_at <= $1
        order by window_started_at limit $2 for update skip locked)`,
    [staleBefore, limit],
  );
}
