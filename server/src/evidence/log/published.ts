import { signCheckpoint } from '@acuse/evidence/checkpoint';
import { emptyRoot } from '@acuse/evidence/merkle';
import { createCachedRead } from '../../platform/cache.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { isUnavailable } from '../../platform/database/failures.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { LogSigner } from './log-key.ts';
import { findNewestNote, type NewestNote } from './log-store.ts';
import { LOG_CHANNEL } from './sequence-store.ts';

/**
 * The checkpoint that this process shows, cached. A shown one can never be withdrawn, so that a new one is
 * shown only after a barrier: no failover makes it a fork.
 */
interface PublishedLog {
  /** Also for an empty log. Throws only before the first read. */
  newest(): Promise<NewestNote>;
  covers(treeSize: number): Promise<boolean>;
}

interface PublishedLogDeps extends DbAndClock {
  readonly log: LogSigner;
}

/** Age without a notice (ms), below the max-age it is served with. */
const MAX_AGE_MS = 1_000;
/** Without the database or its standby, the last one (still true) is shown this long (ms). */
const SHOWN_WITHOUT_DATABASE_MS = 60_000;
/** Rate limit of re-reads for an uncovered size (ms). */
const LOOK_AGAIN_MS = 100;

export function createPublishedLog({ db, clock, log }: PublishedLogDeps): PublishedLog {
  let shown: { readonly checkpoint: NewestNote; readonly atMs: number } | null = null;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let listening = false;
  const reads = createCachedRead<NewestNote>({ clock, ttlMs: MAX_AGE_MS, maxEntries: 1, read });

  async function read(logId: string): Promise<NewestNote> {
    lookedMs = clock.monotonicMs();
    const seen = await findNewestNote(db, logId);
    const isShown = shown !== null && seen?.note === shown.checkpoint.note;
    const found = isShown ? shown!.checkpoint : await db.transact((tx) => findNewestNote(tx, logId));
    const checkpoint = found ?? emptyCheckpoint(log);
    shown = { checkpoint, atMs: lookedMs };
    return checkpoint;
  }

  function listen(): void {
    if (listening) return;
    listening = true;
    db.listen(LOG_CHANNEL, (logId) => reads.forget(logId));
  }

  async function newest(): Promise<NewestNote> {
    listen();
    try {
      return (await reads.get(log.logId))!;
    } catch (error) {
      const ageMs = clock.monotonicMs() - (shown?.atMs ?? Number.NEGATIVE_INFINITY);
      if (shown === null || ageMs > SHOWN_WITHOUT_DATABASE_MS || !isUnavailable(error)) throw error;
      return shown.checkpoint;
    }
  }

  return {
    newest,
    async covers(treeSize) {
      if ((await newest()).treeSize >= treeSize) return true;
      if (clock.monotonicMs() - lookedMs < LOOK_AGAIN_MS) return false;
      // Another process may have published a newer one.
      reads.forget(log.logId);
      return (await newest()).treeSize >= treeSize;
    },
  };
}

/** Deterministic: the same bytes each time. */
export function emptyCheckpoint(log: LogSigner): NewestNote {
  const checkpoint = { origin: log.origin, size: 0, rootHash: emptyRoot(sha256) };
  return { treeSize: 0, note: signCheckpoint(checkpoint, log.signer, sha256) };
}
