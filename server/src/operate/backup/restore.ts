import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { requireMasterKeys } from '../../config/master-key.ts';
import { holdTo } from '../../evidence/log/anchor/hold.ts';
import { continuesAnchor, describeStanding } from '../../evidence/log/anchor/publish.ts';
import { createLogs } from '../../evidence/log/log-key.ts';
import { findLogByOrigin, listLogs } from '../../evidence/log/log-store.ts';
import { readHead } from '../../evidence/log/sequence-store.ts';
import type { Clock } from '../../platform/clock.ts';
import { asDataFolderError, makeDataFolder } from '../../platform/database/data-folder.ts';
import { acquireDataLock } from '../../platform/database/data-lock.ts';
import { type Db, openDb } from '../../platform/database/db.ts';
import { startEmbeddedPostgres } from '../../platform/database/embedded-postgres.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type ClusterPaths, clusterPaths } from '../../platform/database/postgres-cluster.ts';
import { stopLeftovers } from '../../platform/database/postgres-leftovers.ts';
import { giveTo, SYSTEM_TOOL_PATH } from '../../platform/database/postgres-runner.ts';
import { deleteProcesses, listFreshProcesses } from '../../platform/database/processes-store.ts';
import { syncFolder } from '../../platform/durable-file.ts';
import { FRESH_MS } from '../../platform/processes.ts';
import { createSecretBox } from '../../platform/secrets.ts';
import { markRestored } from '../restore/set-back.ts';
import { syncFolders } from './backup.ts';
import { asWriteError, BackupError } from './backup-error.ts';
import { copyFile, forEachFile, type Progress, requireRoom, syncFiles } from './copy-files.ts';
import { type Backup, CLUSTER, MASTER_KEY } from './manifest.ts';
import { damaged } from './read-backup.ts';

/**
 * A data folder from a backup: whole, or not there. Everything is done in a folder inside of it that no
 * service starts beside, and put in its place at the end.
 */
export interface RestoreDeps {
  readonly clock: Clock;
  /** ACUSE_MASTER_KEY; null: in the data folder. */
  readonly masterKeys: readonly Buffer[] | null;
  readonly onProgress?: (progress: Progress) => void;
}

/** A database that was recovered from a backup, and holds what the backup says. */
export interface Recovered {
  readonly db: Db;
  readonly databaseUrl: string;
  /** False: there is no master key to try. */
  readonly keyFits: boolean;
}

/** The slowest disk replays this much WAL in a second, and copies this much. */
const REPLAY_BYTES_PER_SECOND = 1_048_576;
const START_MIN_MS = 300_000;
const WAL_FILE_BYTES = 16 * 1_048_576;
/** Beside the files of the backup, while PostgreSQL recovers. */
export const ROOM_BESIDE_BYTES = 64 * 1_048_576;

/** `backup` must have been read, and so verified. Throws BackupError, DataFolderError, DataFolderInUse. */
export async function restoreBackup(
  deps: RestoreDeps,
  backup: Backup,
  dataDir: string,
): Promise<{ readonly dataDir: string; readonly keyFits: boolean; readonly reason: string }> {
  const reason = `the database was restored from the backup of ${backup.manifest.complete_until}`;
  const target = await claimTarget(dataDir);
  try {
    await requireRoom(target.paths.dataDir, backup.manifest.bytes + ROOM_BESIDE_BYTES, 'the restore');
    const inner = target.paths.restoring;
    mkdirSync(inner, { mode: 0o700 });
    // Crash here, and up to its end: no service starts beside it, and another restore begins with it.
    syncFolder(target.paths.dataDir);
    const keyFits = await recoverIn(
      deps,
      backup,
      { folder: inner, owner: target.owner },
      async (recovered) => {
        await markRestored({ db: recovered.db, clock: deps.clock }, reason);
        await forgetProcesses(recovered.db);
        return recovered.keyFits;
      },
    );
    putInPlace(target.paths, target.owner);
    return { dataDir: target.paths.dataDir, keyFits, reason };
  } catch (error) {
    empty(target.paths);
    throw asWriteError(target.paths.dataDir, asDataFolderError(target.paths.dataDir, error));
  } finally {
    target.release();
  }
}

/** Those that were at work when the backup was made are on the database that it was made of. */
async function forgetProcesses(db: Db): Promise<void> {
  const known = await listFreshProcesses(db, FRESH_MS);
  await deleteProcesses(
    db,
    known.map(({ process_id }) => process_id),
  );
}

/** Whose the restored files are. Null: of whoever runs this, because only root can give them away. */
type Owner = { readonly uid: number; readonly gid: number } | null;

function ownerOf(folder: string): Owner {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = statSync(folder);
  return { uid, gid };
}

/** What may be in a folder that counts as empty; the rest only beside a restore that was cut off. */
const ALWAYS = ['lost+found', 'postgres.lock'];
const OF_A_RESTORE = [...ALWAYS, 'restore.unfinished', CLUSTER, MASTER_KEY];

interface Target {
  readonly paths: ClusterPaths;
  readonly owner: Owner;
  release(): void;
}

async function claimTarget(dataDir: string): Promise<Target> {
  const paths = clusterPaths(makeDataFolder(dataDir));
  // Before a lock is made, so that a mistyped path leaves no trace.
  if (!existsSync(paths.lock)) requireEmpty(paths);
  const startedAt = new Date().toISOString();
  const self = { pid: process.pid, command: 'acuse restore run', kind: 'command', startedAt } as const;
  const lock = await acquireDataLock(paths.lock, self, 0, SYSTEM_TOOL_PATH);
  try {
    requireEmpty(paths);
    if (existsSync(paths.restoring)) {
      await stopLeftovers(clusterPaths(paths.restoring).cluster);
      empty(paths);
    }
  } catch (error) {
    lock.release();
    throw asDataFolderError(paths.dataDir, error);
  }
  const owner = ownerOf(paths.dataDir);
  // At once, so that a restore that fails leaves nothing that the service's user cannot open.
  if (owner !== null) chownSync(paths.lock, owner.uid, owner.gid);
  return { paths, owner, release: () => lock.release() };
}

/** Of all that a restore puts there. The mark last: cut off here, the next one finds it. */
function empty(paths: ClusterPaths): void {
  for (const path of [paths.cluster, join(paths.dataDir, MASTER_KEY), paths.restoring])
    rmSync(path, { recursive: true, force: true });
}

function requireEmpty(paths: ClusterPaths): void {
  const allowed = existsSync(paths.restoring) ? OF_A_RESTORE : ALWAYS;
  const other = readdirSync(paths.dataDir).filter((name) => !allowed.includes(name));
  if (other.length === 0) return;
  throw new BackupError(
    'usage',
    'not_empty',
    `${paths.dataDir} is not empty (${other.sort().slice(0, 3).join(', ')}): name an empty folder, or a new one; what is in this one was not changed`,
  );
}

/** The last step: without the mark of a restore a service starts. */
function putInPlace(paths: ClusterPaths, owner: Owner): void {
  const inner = clusterPaths(paths.restoring);
  const key = join(inner.dataDir, MASTER_KEY);
  if (existsSync(key)) {
    if (owner !== null) chownSync(key, owner.uid, owner.gid);
    renameSync(key, join(paths.dataDir, MASTER_KEY));
  }
  renameSync(inner.cluster, paths.cluster);
  syncFolder(paths.dataDir);
  rmSync(inner.dataDir, { recursive: true });
  syncFolder(paths.dataDir);
}

interface RecoverIn {
  readonly folder: string;
  readonly owner: Owner;
  readonly connections?: number;
}

/** For one thing at a time. */
const CONNECTIONS = 2;

/** Unpacks into an empty folder and runs PostgreSQL there for `work`. */
export async function recoverIn<T>(
  deps: RestoreDeps,
  backup: Backup,
  { folder, owner, connections = CONNECTIONS }: RecoverIn,
  work: (recovered: Recovered) => Promise<T>,
): Promise<T> {
  await unpack(deps, backup, folder);
  // Run by root for a service of another user: as that user from the first start on.
  if (owner !== null) giveTo(join(folder, CLUSTER), owner);
  const silent = { info: () => {}, error: () => {} };
  const walBytes = backup.manifest.postgres.wal_files * WAL_FILE_BYTES;
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    command: 'acuse restore',
    kind: 'command',
    log: silent,
    mustExist: true,
    startTimeoutMs: START_MIN_MS + ((backup.manifest.bytes + walBytes) / REPLAY_BYTES_PER_SECOND) * 1_000,
  });
  try {
    await migrate(postgres.url);
    const db = openDb({
      connectionString: postgres.url,
      poolSize: connections,
      applicationName: 'acuse:restore',
    });
    try {
      await requireLogs(db, backup);
      const keyFits = await tryKey(deps, db, folder);
      return await work({ db, databaseUrl: postgres.url, keyFits });
    } finally {
      await db.close();
    }
  } finally {
    await postgres.stop();
  }
}

async function unpack(
  { onProgress }: RestoreDeps,
  { folder, manifest }: Backup,
  into: string,
): Promise<void> {
  const { folders, files, bytes: totalBytes } = manifest;
  let doneBytes = 0;
  for (const path of folders) mkdirSync(join(into, path), { mode: 0o700 });
  await forEachFile(files, async ({ path, sha256 }) => {
    const facts = await copyFile(join(folder, path), join(into, path), (bytes) => {
      doneBytes += bytes;
      onProgress?.({ phase: 'restoring', doneBytes, totalBytes });
    });
    // It was verified a moment ago: a disk that fails, or somebody who changes it.
    if (facts?.sha256 !== sha256) throw damaged(folder, [`${path} has other bytes`]);
  });
  // PostgreSQL puts all of its own on disk before it recovers from a crash, and this looks like one.
  if (manifest.master_key === 'included') await syncFiles([join(into, MASTER_KEY)]);
  syncFolders(into, []);
}

/** Everything that the manifest says of the logs is there, and continues it. */
async function requireLogs(db: Db, { folder, manifest }: Backup): Promise<void> {
  for (const { origin, note } of manifest.logs) {
    const log = await findLogByOrigin(db, origin);
    if (log === undefined)
      throw new BackupError('failed', 'backup_damaged', `the database of ${folder} has no log ${origin}`);
    if (note === null) continue;
    const head = await db.transact((tx) => readHead(tx, log.logId));
    const standing = await holdTo(db, log, head!, note);
    if (!continuesAnchor(standing))
      throw new BackupError(
        'failed',
        'backup_damaged',
        `the database of ${folder} is not what its manifest says: ${describeStanding(origin, 'the manifest', standing)}`,
      );
  }
}

/** False: there is none to try. Throws BackupError when it is another one. */
async function tryKey({ clock, masterKeys }: RestoreDeps, db: Db, folder: string): Promise<boolean> {
  if (masterKeys === null && !existsSync(join(folder, MASTER_KEY))) return false;
  const secrets = createSecretBox(requireMasterKeys(masterKeys, folder));
  const open = createLogs({ db, secrets, clock });
  for (const { logId, origin } of await listLogs(db)) {
    try {
      await open(logId);
    } catch (cause) {
      const from = masterKeys === null ? 'The master key in the backup' : 'ACUSE_MASTER_KEY';
      throw new BackupError(
        'failed',
        'other_master_key',
        `${from} does not open the key of log ${origin}: set ACUSE_MASTER_KEY to the key that the service had`,
        { cause },
      );
    }
  }
  return true;
}
