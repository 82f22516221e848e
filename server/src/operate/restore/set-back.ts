import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Mark } from '../../platform/journal/read-journal.ts';
import { readMark, removeOldMarks, writeMark } from '../../platform/journal/read-journal.ts';
import { findInstallation, findState, insistOnRelease, raiseMark } from './state-store.ts';

/**
 * Detects a restored database: the anchor is ahead, the journal has a larger mark, or somebody said so.
 * Recorded until `acuse restore release`.
 */
export interface SetBackDeps {
  readonly db: Db;
  readonly clock: Pick<Clock, 'now'>;
  readonly journalFolder: string | null;
}

/** Null: not restored. Throws JournalUnreachable. */
export async function findSetBack(deps: SetBackDeps): Promise<string | null> {
  const { db, journalFolder: folder } = deps;
  const state = await findState(db);
  const outside = folder === null ? null : await readMark(folder, await findInstallation(db));
  if (outside !== null && outside.mark > state.mark)
    await markRestored(deps, describeMark(outside, state.markedAt, folder!));
  const { pending } = await findState(db);
  return pending === null ? null : `${pending.reason}; ${FIX}`;
}

const FIX =
  'restore it to a later point if there is one, else look at acuse restore check and run acuse restore release';

function describeMark(outside: Mark, markedAt: Date | null, folder: string): string {
  const here = markedAt === null ? 'never' : `at ${markedAt.toISOString()}`;
  return `the database is older than the journal at ${folder}: a process last used it at ${outside.at.toISOString()}, and the database was last marked ${here}`;
}

/** Call first, as soon as a restore is detected. */
export function markRestored(
  { db, clock }: Pick<SetBackDeps, 'db' | 'clock'>,
  reason: string,
): Promise<void> {
  return insistOnRelease(db, reason, clock.now());
}

/** Longest undetected rollback without lost leaves (ms). */
export const MARK_EVERY_MS = 5_000;

export interface Marks {
  readonly isNew: boolean;
  /** Throws SetBack when the database has a smaller mark than ours. */
  mark(): Promise<void>;
}

/** The database was rolled back under a running process. */
export class SetBack extends Error {
  override readonly name = 'SetBack';
}

/** The database first: a smaller mark there always means a rollback. */
export async function createMarks(deps: SetBackDeps & { readonly journalFolder: string }): Promise<Marks> {
  const { db, clock, journalFolder: folder } = deps;
  const writer = newId();
  const installation = await findInstallation(db);
  let last = 0;
  const isNew = (await findState(db)).mark > 0 && (await readMark(folder, installation)) === null;
  await removeOldMarks(folder, installation);
  return {
    isNew,
    async mark() {
      const at = clock.now();
      const mark = await raiseMark(db, at);
      if (mark <= last) throw new SetBack(`its mark is ${mark}, and was ${last} before`);
      last = mark;
      await writeMark(folder, writer, installation, { mark, at });
    },
  };
}
