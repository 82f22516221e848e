import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { acquireDataLock, DataFolderInUse } from '../../platform/database/data-lock.ts';
import { stopLeftovers } from '../../platform/database/postgres-leftovers.ts';
import { SYSTEM_TOOL_PATH } from '../../platform/database/postgres-runner.ts';
import { asWriteError, BackupError } from './backup-error.ts';
import { CLUSTER } from './manifest.ts';

/**
 * Runs `work` in an empty folder of this user, one at a time. Removes leftovers first: they contain secrets.
 */
export async function inScratch<T>(place: string, work: (folder: string) => Promise<T>): Promise<T> {
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
