import { countScheduled } from '../../messages/schedule-store.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Entry } from '../../platform/journal/note.ts';
import { type Mark, type ReadJournal, readJournal, readMark } from '../../platform/journal/read-journal.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { isMissing, lastOfEach } from './missing.ts';
import { findInstallation, findNewestAcceptance, findState, type RestoreState } from './state-store.ts';

/** What a restored database is, beside what is known outside of it; changes nothing. */
export interface RestoredFacts {
  readonly state: RestoreState;
  /** The last that the database knows of: what was accepted after it, and under which key, it does not. */
  readonly restoredTo: Date | null;
  /** Null: none is configured. */
  readonly journal: KnownJournal | null;
  /** Changes of the journal that the database lacks, in the order in which they are to be made again. */
  readonly missing: readonly Entry[];
  /** On the schedule, of any time. */
  readonly scheduled: number;
}

export interface KnownJournal extends ReadJournal {
  readonly place: string;
  /** Null: no process has marked it for this installation. */
  readonly mark: Mark | null;
}

export interface LookDeps {
  readonly db: Db;
  readonly secrets: SecretBox;
  readonly journalFolder: string | null;
}

/**
 * Entries from so long before the restored point are looked at too: a transaction that was under way had
 * written its entry and not its commit, and clocks of machines differ (ms).
 */
const MARGIN_MS = 10 * 60_000;

/** Throws JournalUnreachable. */
export async function lookAtRestored(deps: LookDeps): Promise<RestoredFacts> {
  const { db, secrets, journalFolder: folder } = deps;
  const state = await findState(db);
  const accepted = await findNewestAcceptance(db);
  const known = [state.markedAt, accepted].filter((time) => time !== null);
  const restoredTo = known.length === 0 ? null : new Date(Math.max(...known.map((time) => time.getTime())));
  let journal: KnownJournal | null = null;
  const missing: Entry[] = [];
  if (folder !== null) {
    const installation = await findInstallation(db);
    const read = await readJournal(folder, { installation, secrets });
    journal = { ...read, place: folder, mark: await readMark(folder, installation) };
    const since = (state.markedAt?.getTime() ?? 0) - MARGIN_MS;
    for (const entry of lastOfEach(read.entries.filter(({ at }) => at.getTime() >= since)))
      if (await isMissing(deps, entry)) missing.push(entry);
  }
  const scheduled = await countScheduled(db, { tenantId: null, destination: null });
  return { state, restoredTo, journal, missing, scheduled };
}

/** How many of each kind. */
export function countKinds(entries: readonly Entry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { note } of entries) counts[note.kind] = (counts[note.kind] ?? 0) + 1;
  return counts;
}
