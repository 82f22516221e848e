import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { superuserOf } from '../../platform/database/embedded-postgres.ts';
import { clusterPaths } from '../../platform/database/postgres-cluster.ts';
import { replaceDurably, syncFolder } from '../../platform/durable-file.ts';
import { asWriteError, BackupError } from './backup-error.ts';
import { type Begun, beginBackup, type Ended, endBackup, readFacts } from './backup-store.ts';
import { type BackupsFolder, openBackupsFolder } from './backups-folder.ts';
import { CONTROL_FILE, listClusterFiles, readControlFile, requireWal } from './cluster-files.ts';
import { copyFile, forEachFile, type Progress, requireRoom, syncFiles } from './copy-files.ts';
import {
  type BackedUpFile,
  type Backup,
  backupName,
  CLUSTER,
  MASTER_KEY,
  type Manifest,
  manifestPath,
  manifestText,
} from './manifest.ts';
import { findDamage, firstOf } from './read-backup.ts';

/**
 * A hot copy of an embedded PostgreSQL: its files, and the WAL that makes them consistent as of the end:
 * docs/decisions/0039.
 */
interface BackupDeps {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly version: string;
  readonly now: () => Date;
  readonly onProgress?: (progress: Progress) => void;
}

interface BackupOptions {
  readonly to: string;
  readonly keep: number | null;
  readonly withoutKey: boolean;
}

/** Room for the WAL and growth during the copy. */
const ROOM_BESIDE_BYTES = 64 * 1_048_576;
const CONNECT_TIMEOUT_MS = 10_000;

/** Verified by reading it again, then older ones are removed. Throws BackupError. */
export async function takeBackup(
  deps: BackupDeps,
  options: BackupOptions,
): Promise<Backup & { readonly removed: readonly string[] }> {
  const folder = await openBackupsFolder(options.to, deps.dataDir);
  try {
    const { bytes } = await listClusterFiles(clusterPaths(deps.dataDir).cluster);
    await requireRoom(folder.path, bytes + ROOM_BESIDE_BYTES, 'the backup');
    const made = await makeBackup(deps, folder, bytes, options.withoutKey);
    const { installation } = made.manifest;
    const removed = options.keep === null ? [] : folder.keepNewest(options.keep, installation);
    return { ...made, removed };
  } finally {
    folder.close();
  }
}

async function requireWhole(draft: Backup, onProgress: BackupDeps['onProgress']): Promise<void> {
  const wrong = await findDamage(draft, onProgress);
  if (wrong.length === 0) return;
  throw new BackupError(
    'failed',
    'backup_damaged',
    `what was written to ${draft.folder} is not what was copied, and was removed: ${firstOf(wrong)}; look at its disk, older backups are still there`,
  );
}

async function makeBackup(
  deps: BackupDeps,
  backups: BackupsFolder,
  totalBytes: number,
  withoutKey: boolean,
): Promise<Backup> {
  const name = backupName(deps.now());
  const draft = backups.begin(name);
  try {
    const copy = createCopy(clusterPaths(deps.dataDir).cluster, draft, (doneBytes) =>
      deps.onProgress?.({ phase: 'copying', doneBytes, totalBytes }),
    );
    const database = await copyDatabase(deps, copy);
    const masterKey = await copyKey(deps.dataDir, copy, withoutKey);
    const manifest = { ...database, master_key: masterKey, ...copy.facts() };
    await syncFiles(manifest.files.map(({ path }) => join(draft, path)));
    syncFolders(draft, manifest.folders);
    // A crash here leaves a complete backup under an unfinished name.
    replaceDurably(manifestPath(draft), manifestText(manifest));
    await requireWhole({ folder: draft, manifest }, deps.onProgress);
    return { folder: backups.finish(name), manifest };
  } catch (error) {
    backups.abandon(name);
    throw asWriteError(backups.path, error);
  }
}

type Database = Omit<Manifest, 'master_key' | 'bytes' | 'folders' | 'files'>;

async function copyDatabase(deps: BackupDeps, copy: Copy): Promise<Database> {
  const client = new pg.Client({
    ...superuserOf(deps.databaseUrl),
    application_name: 'acuse:backup',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // If PostgreSQL stops, the next statement fails.
  client.on('error', () => {});
  await client.connect();
  try {
    const begun = await beginBackup(client);
    await copy.cluster();
    const facts = await readFacts(client);
    const ended = await endBackup(client, begun);
    // PostgreSQL keeps the WAL until the session ends.
    await copy.wal(begun, ended);
    return {
      format: 1,
      version: deps.version,
      complete_until: ended.completeUntil.toISOString(),
      installation: facts.installation,
      postgres: {
        version: begun.version,
        start_lsn: begun.startLsn,
        stop_lsn: ended.stopLsn,
        wal_files: ended.walFiles.length,
      },
      migrations: facts.migrations,
      logs: facts.logs.map((log) => ({ ...log, root: log.note === null ? null : rootOf(log.note) })),
    };
  } finally {
    await client.end().catch(() => {});
  }
}

/** The restore verifies the signature. */
const rootOf = (note: string): string | null => note.split('\n')[2] ?? null;

interface Copy {
  cluster(): Promise<void>;
  wal(begun: Begun, ended: Ended): Promise<void>;
  file(from: string, path: string): Promise<void>;
  facts(): Pick<Manifest, 'bytes' | 'folders' | 'files'>;
}

function createCopy(cluster: string, draft: string, onBytes: (done: number) => void): Copy {
  const files: BackedUpFile[] = [];
  const folders: string[] = [];
  let done = 0;
  function folder(path: string): void {
    mkdirSync(join(draft, path), { mode: 0o700 });
    folders.push(path);
  }
  async function file(from: string, path: string): Promise<void> {
    const facts = await copyFile(from, join(draft, path), (bytes) => {
      done += bytes;
      onBytes(done);
    });
    if (facts !== null) files.push({ path, ...facts });
  }
  function write(path: string, content: Uint8Array): void {
    replaceDurably(join(draft, path), content);
    files.push({ path, size: content.length, sha256: createHash('sha256').update(content).digest('hex') });
  }
  return {
    file,
    async cluster() {
      const { folders: inside, files: names } = await listClusterFiles(cluster);
      for (const path of ['', ...inside]) folder(join(CLUSTER, path));
      await forEachFile(names, (name) => file(join(cluster, name), join(CLUSTER, name)));
      write(join(CLUSTER, CONTROL_FILE), await readControlFile(cluster));
    },
    async wal({ segmentBytes }, { label, walFiles }) {
      write(join(CLUSTER, 'backup_label'), Buffer.from(label));
      requireWal(cluster, walFiles, segmentBytes);
      await forEachFile(walFiles, (name) =>
        file(join(cluster, 'pg_wal', name), join(CLUSTER, 'pg_wal', name)),
      );
    },
    facts: () => ({
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      folders,
      files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    }),
  };
}

async function copyKey(dataDir: string, copy: Copy, withoutKey: boolean): Promise<Manifest['master_key']> {
  const path = join(dataDir, MASTER_KEY);
  if (!existsSync(path)) return 'elsewhere';
  if (withoutKey) return 'left_out';
  await copy.file(path, MASTER_KEY);
  return 'included';
}

export function syncFolders(root: string, below: readonly string[]): void {
  for (const path of [...below.toReversed(), '']) syncFolder(join(root, path));
}
