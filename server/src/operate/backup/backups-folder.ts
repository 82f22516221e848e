import { chmodSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { acquireDataLock, DataFolderInUse, type DataLock } from '../../platform/database/data-lock.ts';
import { SYSTEM_TOOL_PATH } from '../../platform/database/postgres-runner.ts';
import { syncFolder } from '../../platform/durable-file.ts';
import { asWriteError, BackupError } from './backup-error.ts';
import { isBackupName, readManifest } from './manifest.ts';

/** Unfinished backups have names that end in `.unfinished`. */
export interface BackupsFolder {
  readonly path: string;
  begin(name: string): string;
  finish(name: string): string;
  abandon(name: string): void;
  /** Keeps this installation's newest `count`; returns the removed paths. */
  keepNewest(count: number, installation: string | null): string[];
  close(): void;
}

const UNFINISHED = '.unfinished';
const LOCK = '.acuse-backup.lock';

/** One process at a time. Removes leftovers. Throws BackupError. */
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
      } catch {}
    },
    keepNewest(count, installation) {
      const old = ownBackups(path, installation).slice(0, -count);
      for (const name of old) {
        // A crash here leaves it under an unfinished name.
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

export interface FoundBackup {
  readonly name: string;
  /** Null: it had no log yet. */
  readonly installation: string | null;
  /** Everything committed before is in it. */
  readonly completeUntil: Date;
}

/** With complete manifests, oldest first; files are not read. */
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

/** `installation` null: any. Null: none. */
export function newestOf(found: readonly FoundBackup[], installation: string | null): Date | null {
  const ours = found.filter((backup) => installation === null || backup.installation === installation);
  return ours.map(({ completeUntil }) => completeUntil).sort((a, b) => b.getTime() - a.getTime())[0] ?? null;
}

/** Oldest first. Unreadable ones are kept. */
function ownBackups(path: string, installation: string | null): string[] {
  return listBackups(path)
    .filter((backup) => backup.installation === installation)
    .map(({ name }) => name);
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
