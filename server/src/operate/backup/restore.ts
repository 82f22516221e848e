import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { requireMasterKeys } from '../../config/master-key.ts';
import { compareWithNote } from '../../evidence/log/anchor/compare.ts';
import { continuesAnchor, describeStanding } from '../../evidence/log/anchor/publish.ts';
import { createLogs } from '../../evidence/log/log-key.ts';
import { findLogByOrigin, listLogs } from '../../evidence/log/log-store.ts';
import { readHead } from '../../evidence/log/sequence-store.ts';
import type { Clock } from '../../platform/clock.ts';
import { asDataFolderError, makeDataFolder } from '../../platform/database/data-folder.ts';
import { acquireDataLock } from '../../platform/database/data-lock.ts';
import { type Db, openDb } from '../../platform/database/db.ts';
import { startEmbeddedPostgres } from '../../platform/database/embedded-postgres.ts';
import { migrate, type Watched } from '../../platform/database/migrate.ts';
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

/** Atomic: works in an inner folder that blocks services, then moves it into place. */
export interface RestoreDeps {
  readonly clock: Clock;
  /** Null: in the data folder. */
  readonly masterKeys: readonly Buffer[] | null;
  readonly onProgress?: (progress: Progress) => void;
  /** Told of each migration that a backup of an older version lacked. */
  readonly onMigrated?: (applied: Watched) => void;
}

interface Recovered {
  readonly db: Db;
  readonly databaseUrl: string;
  /** False: no master key. */
  readonly keyFits: boolean;
}

/** A pessimistic replay and copy speed. */
const REPLAY_BYTES_PER_SECOND = 1_048_576;
const START_MIN_MS = 300_000;
const WAL_FILE_BYTES = 16 * 1_048_576;
/** Space for recovery. */
export const ROOM_BESIDE_BYTES = 64 * 1_048_576;

/** Only for a verified backup. Throws BackupError, DataFolderError, DataFolderInUse. */
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
    // After a crash up to the end no service starts, and another restore begins anew.
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

/** They work on the original database. */
async function forgetProcesses(db: Db): Promise<void> {
  const known = await listFreshProcesses(db, FRESH_MS);
  await deleteProcesses(
    db,
    known.map(({ process_id }) => process_id),
  );
}

/** Null: whoever runs this; only root can change it. */
type Owner = { readonly uid: number; readonly gid: number } | null;

function ownerOf(folder: string): Owner {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = statSync(folder);
  return { uid, gid };
}

const ALWAYS = ['lost+found', 'postgres.lock'];
const OF_A_RESTORE = [...ALWAYS, 'restore.unfinished', CLUSTER, MASTER_KEY];

interface Target {
  readonly paths: ClusterPaths;
  readonly owner: Owner;
  release(): void;
}

async function claimTarget(dataDir: string): Promise<Target> {
  const paths = clusterPaths(makeDataFolder(dataDir));
  // Before the lock, so that a mistyped path leaves no trace.
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
  // At once, so that a failed restore stays accessible to the service.
  if (owner !== null) chownSync(paths.lock, owner.uid, owner.gid);
  return { paths, owner, release: () => lock.release() };
}

/** The mark goes last, for an interrupted restore. */
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

/** Removing the mark lets a service start. */
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

const CONNECTIONS = 2;

/** Runs PostgreSQL on an unpacked copy while `work` runs. */
export async function recoverIn<T>(
  deps: RestoreDeps,
  backup: Backup,
  { folder, owner, connections = CONNECTIONS }: RecoverIn,
  work: (recovered: Recovered) => Promise<T>,
): Promise<T> {
  await unpack(deps, backup, folder);
  // Root restores as the service's user.
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
    await migrate(postgres.url, undefined, deps.onMigrated);
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
    // Changed since its verification.
    if (facts?.sha256 !== sha256) throw damaged(folder, [`${path} has other bytes`]);
  });
  // PostgreSQL syncs its own files before crash recovery.
  if (manifest.master_key === 'included') await syncFiles([join(into, MASTER_KEY)]);
  syncFolders(into, []);
}

/** The log continues all of the manifest's checkpoints. */
async function requireLogs(db: Db, { folder, manifest }: Backup): Promise<void> {
  for (const { origin, note } of manifest.logs) {
    const log = await findLogByOrigin(db, origin);
    if (log === undefined)
      throw new BackupError('failed', 'backup_damaged', `the database of ${folder} has no log ${origin}`);
    if (note === null) continue;
    const head = await db.transact((tx) => readHead(tx, log.logId));
    const standing = await compareWithNote(db, log, head!, note);
    if (!continuesAnchor(standing))
      throw new BackupError(
        'failed',
        'backup_damaged',
        `the database of ${folder} is not what its manifest says: ${describeStanding(origin, 'the manifest', standing)}`,
      );
  }
}

/** False: no key. Throws BackupError for a wrong one. */
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
