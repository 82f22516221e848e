import { chmodSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { acquireDataLock, DataFolderInUse, type DataLock } from '../../platform/database/data-lock.ts';
import { SYSTEM_TOOL_PATH } from '../../platform/database/postgres-runner.ts';
import { syncFolder } from '../../platform/durable-file.ts';
import { asWriteError, BackupError } from './backup-error.ts';
import { isBackupName, readManifest } from './manifest.ts';

/** A folder of backups: each whole under its name, or not whole under a name that ends in `.unfinished`. */
export interface BackupsFolder {
  readonly path: string;
  /** An empty folder for a backup of this name. */
  begin(name: string): string;
  /** The backup is whole from here on; its path. */
  finish(name: string): string;
  /** Never throws. */
  abandon(name: string): void;
  /** Removes this installation's, but for the newest `count`; returns the paths of what it removed. */
  keepNewest(count: number, installation: string | null): string[];
  close(): void;
}

const UNFINISHED = '.unfinished';
const LOCK = '.acuse-backup.lock';

/** One process at a time. Removes what one that was killed has left. Throws BackupError. */
export async function openBackupsFolder(given: string, dataDir: string): Promise<BackupsFolder> {
  const path = makeFolder(given, dataDir);
  const lock = await lockFolder(path);
  const draft = (name: string) => join(path, `${name}${UNFINISHED}`);
  for (const name of readdirSync(path)) if (isUnfinished(name)) remove(join(path, name));
  return {
    path,
    begin(name) {
      try {
        mkdirSync(draft(name), { mode: 0o700 });
      } catch (error) {
        throw asWriteError(path, error);
      }
      return draft(name);
    },
    finish(name) {
      renameSync(draft(name), join(path, name));
      syncFolder(path);
      return join(path, name);
    },
    abandon(name) {
      try {
        remove(draft(name));
      } catch {
        // The next backup removes it.
      }
    },
    keepNewest(count, installation) {
      const old = ownBackups(path, installation).slice(0, -count);
      for (const name of old) {
        // Crash here: what is not whole any more has no name that says so.
        renameSync(join(path, name), draft(name));
        remove(draft(name));
      }
      return old.map((name) => join(path, name));
    },
    close: () => lock.release(),
  };
}

function makeFolder(given: string, dataDir: string): string {
  let path: string;
  try {
    if (mkdirSync(given, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(given, 0o700);
    path = realpathSync(given);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new BackupError('usage', 'not_a_folder', `${given} is not a folder: name another one`, {
        cause: error,
      });
    throw asWriteError(given, error);
  }
  if (path === dataDir || path.startsWith(`${dataDir}${sep}`))
    throw new BackupError(
      'usage',
      'inside_data_folder',
      `${given} is in the data folder ${dataDir}, and would be lost with it: name a folder on another disk`,
    );
  return path;
}

async function lockFolder(path: string): Promise<DataLock> {
  const startedAt = new Date().toISOString();
  const self = { pid: process.pid, command: 'acuse backup', kind: 'command', startedAt } as const;
  try {
    return await acquireDataLock(join(path, LOCK), self, 0, SYSTEM_TOOL_PATH);
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw asWriteError(path, error);
    const who = error.holder === null ? 'another process' : `process ${error.holder.pid}`;
    throw new BackupError(
      'unavailable',
      'backup_under_way',
      `${who} makes a backup into ${path}: wait for it`,
    );
  }
}

const isUnfinished = (name: string) =>
  name.endsWith(UNFINISHED) && isBackupName(name.slice(0, -UNFINISHED.length));

/** A whole backup, as its manifest has it. */
export interface FoundBackup {
  readonly name: string;
  /** The installation that it is of; null: of one that had no log yet. */
  readonly installation: string | null;
  /** What was committed before it is in it. */
  readonly completeUntil: Date;
}

/** Those with a whole manifest, oldest first; their files are not read. Throws the system's errors. */
export function listBackups(path: string): FoundBackup[] {
  const names = readdirSync(path).filter(isBackupName).sort();
  return names.flatMap((name) => {
    try {
      const { installation, complete_until: until } = readManifest(join(path, name));
      return [{ name, installation, completeUntil: new Date(until) }];
    } catch {
      return [];
    }
  });
}

/** Until when the newest of an installation's is complete, of anybody's for null; null: there is none. */
export function newestOf(found: readonly FoundBackup[], installation: string | null): Date | null {
  const ours = found.filter((backup) => installation === null || backup.installation === installation);
  return ours.map(({ completeUntil }) => completeUntil).sort((a, b) => b.getTime() - a.getTime())[0] ?? null;
}

/** Oldest first. One that cannot be read is nobody's, and stays. */
function ownBackups(path: string, installation: string | null): string[] {
  return listBackups(path)
    .filter((backup) => backup.installation === installation)
    .map(({ name }) => name);
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
