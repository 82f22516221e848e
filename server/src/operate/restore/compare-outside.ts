import { countScheduled } from '../../messages/schedule-store.ts';
import type { Db } from '../../platform/database/db.ts';
import { type Gap, readGaps } from '../../platform/journal/gaps.ts';
import type { Entry } from '../../platform/journal/note.ts';
import {
  JournalUnreachable,
  type Mark,
  type ReadJournal,
  readJournal,
  readMark,
} from '../../platform/journal/read-journal.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { findLostKeys, type LostKeys } from './lost-keys.ts';
import { isMissing, lastOfEach } from './replay-journal.ts';
import { findInstallation, findNewestAcceptance, findState, type RestoreState } from './state-store.ts';

/** A restored database compared with what is known outside. Read-only. */
export interface RestoredFacts {
  readonly state: RestoreState;
  /** Time of the newest record; later messages and keys are unknown. */
  readonly restoredTo: Date | null;
  readonly journal: KnownJournal | null;
  readonly missing: readonly Entry[];
  readonly scheduled: number;
}

interface KnownJournal extends ReadJournal {
  readonly place: string;
  /** Null: never marked. */
  readonly mark: Mark | null;
  /** Keys of messages that were accepted since. */
  readonly lost: LostKeys;
  /** Entries that were dropped since, because the folder was away. */
  readonly gaps: readonly Gap[];
  /** Facts with which they are found again. */
  readonly keys: { readonly installation: string | null; readonly since: Date };
}

export interface LookDeps {
  readonly db: Db;
  readonly secrets: SecretBox;
  readonly journalFolder: string | null;
}

/** Margin before the restored point, for open transactions and clock differences (ms). */
const MARGIN_MS = 10 * 60_000;
const EPOCH = new Date(0);

export async function compareRestored(deps: LookDeps): Promise<RestoredFacts> {
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
    const keys = {
      installation,
      since: new Date((state.markedAt ?? restoredTo ?? EPOCH).getTime() - MARGIN_MS),
    };
    const lost = await findLostKeys(db, folder, keys).catch((error) => {
      throw new JournalUnreachable(folder, error);
    });
    const gaps = await readGaps(folder, keys);
    journal = { ...read, place: folder, mark: await readMark(folder, installation), lost, gaps, keys };
    const since = (state.markedAt?.getTime() ?? 0) - MARGIN_MS;
    for (const entry of lastOfEach(read.entries.filter(({ at }) => at.getTime() >= since)))
      if (await isMissing(deps, entry)) missing.push(entry);
  }
  const scheduled = await countScheduled(db, { tenantId: null, destination: null });
  return { state, restoredTo, journal, missing, scheduled };
}

export function countKinds(entries: readonly Entry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { note } of entries) counts[note.kind] = (counts[note.kind] ?? 0) + 1;
  return counts;
}
