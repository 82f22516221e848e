import { fsck } from '../../evidence/fsck/fsck.ts';
import { createPageThreads } from '../../evidence/fsck/fsck-pages.ts';
import type { FsckResult } from '../../evidence/fsck/fsck-report.ts';
import type { Db } from '../../platform/database/db.ts';
import { requireRoom } from './copy-files.ts';
import type { Backup } from './manifest.ts';
import { readBackup } from './read-backup.ts';
import { type RestoreDeps, ROOM_BESIDE_BYTES, recoverIn } from './restore.ts';
import { inScratch } from './scratch.ts';

/** Restores a backup to a scratch folder, checks it and removes it. */
interface DrillDeps extends RestoreDeps {
  readonly parallel: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly look: (db: Db) => Promise<void>;
}

export interface Drilled {
  readonly backup: Backup;
  readonly keyFits: boolean;
  readonly found: FsckResult;
  readonly seconds: Readonly<Record<'verify' | 'restore' | 'fsck', number>>;
}

/** Throws BackupError if nothing can be restored; `found` has the database's faults. */
export async function drill(deps: DrillDeps, from: string, scratch: string): Promise<Drilled> {
  const lap = stopwatch();
  const backup = await readBackup(from, deps.onProgress);
  const verify = lap();
  return inScratch(scratch, async (folder) => {
    await requireRoom(folder, backup.manifest.bytes + ROOM_BESIDE_BYTES, 'the drill');
    const place = { folder, owner: null, connections: deps.parallel };
    return recoverIn(deps, backup, place, async ({ db, databaseUrl, keyFits }) => {
      const restore = lap();
      const pages = createPageThreads({
        connectionString: databaseUrl,
        threads: deps.parallel,
        env: deps.env,
      });
      const { parallel } = deps;
      const found = await fsck({ db, pages }, { parallel }).finally(pages.stop);
      await deps.look(db);
      return { backup, keyFits, found, seconds: { verify, restore, fsck: lap() } };
    });
  });
}

/** Seconds since the last call. */
function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const seconds = Math.round((now - last) / 100) / 10;
    last = now;
    return seconds;
  };
}
