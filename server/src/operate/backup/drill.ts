import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fsck } from '../../evidence/fsck/fsck.ts';
import { createPageThreads } from '../../evidence/fsck/fsck-pages.ts';
import type { FsckResult } from '../../evidence/fsck/fsck-report.ts';
import { acquireDataLock, DataFolderInUse } from '../../platform/database/data-lock.ts';
import type { Db } from '../../platform/database/db.ts';
import { stopLeftovers } from '../../platform/database/postgres-leftovers.ts';
import { SYSTEM_TOOL_PATH } from '../../platform/database/postgres-runner.ts';
import { asWriteError, BackupError } from './backup-error.ts';
import { requireRoom } from './copy-files.ts';
import { type Backup, CLUSTER } from './manifest.ts';
import { readBackup } from './read-backup.ts';
import { type RestoreDeps, ROOM_BESIDE_BYTES, recoverIn } from './restore.ts';

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

function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const seconds = Math.round((now - last) / 100) / 10;
    last = now;
    return seconds;
  };
}

/**
 * Runs `work` in an empty folder of this user, one at a time. Removes leftovers first: they contain secrets.
 */
async function inScratch<T>(place: string, work: (folder: string) => Promise<T>): Promise<T> {
  const own = join(place, `acuse-drill-${process.getuid?.() ?? 0}`);
  try {
    makeOwn(place, own);
    const lock = await lockScratch(own);
    try {
      const folder = join(own, 'data');
      await stopLeftovers(join(folder, CLUSTER));
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: 0o700 });
      return await work(folder);
    } finally {
      rmSync(own, { recursive: true, force: true });
      lock.release();
    }
  } catch (error) {
    throw asWriteError(place, error);
  }
}

/** In a shared folder the name may be taken by somebody else. */
function makeOwn(place: string, own: string): void {
  try {
    mkdirSync(place, { recursive: true });
    mkdirSync(own, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = lstatSync(own, { throwIfNoEntry: false });
  if (found?.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0) return;
  throw new BackupError(
    'usage',
    'unusable_scratch',
    `${own} is not a folder of this user alone: remove it, or name another place with --scratch`,
  );
}

async function lockScratch(own: string) {
  const startedAt = new Date().toISOString();
  const self = { pid: process.pid, command: 'acuse restore drill', kind: 'command', startedAt } as const;
  try {
    return await acquireDataLock(join(own, 'lock'), self, 0, SYSTEM_TOOL_PATH);
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    const who = error.holder === null ? 'another process' : `process ${error.holder.pid}`;
    throw new BackupError(
      'unavailable',
      'drill_under_way',
      `${who} is at a drill in ${own}: wait for it, or name another place with --scratch`,
    );
  }
}
