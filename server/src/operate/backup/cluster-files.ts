import { existsSync, statSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BackupError } from './backup-error.ts';

/** Files of a base backup: PostgreSQL 18, Making a Base Backup. */

const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
/** Temporary, or recreated. */
const LEFT_OUT = [
  /^postmaster\.(?:pid|opts)$/,
  /^(?:backup_label|tablespace_map)(?:\.old)?$/,
  /^(?:backup_manifest|current_logfiles|current_logfiles\.tmp|postgresql\.auto\.conf\.tmp)$/,
  /^pgsql_tmp/,
  /^pg_internal\.init/,
];
const TABLESPACES = 'pg_tblspc';
/** Changes at each checkpoint: copied last. */
export const CONTROL_FILE = 'global/pg_control';

interface ClusterFiles {
  readonly folders: readonly string[];
  readonly files: readonly string[];
  readonly bytes: number;
}

export async function listClusterFiles(cluster: string): Promise<ClusterFiles> {
  const folders: string[] = [];
  const files: string[] = [];
  let bytes = 0;
  async function look(below: string): Promise<void> {
    for (const { name, kind } of await entriesOf(join(cluster, below))) {
      const path = below === '' ? name : `${below}/${name}`;
      if (LEFT_OUT.some((pattern) => pattern.test(name))) continue;
      if (below === TABLESPACES) throw tablespace(cluster, path);
      if (kind === 'other' && !EMPTIED.has(path))
        throw new BackupError(
          'failed',
          'not_a_file',
          `${join(cluster, path)} is neither a file nor a folder: a backup does not follow links; move what it leads to back in its place`,
        );
      if (kind !== 'file') {
        folders.push(path);
        if (!EMPTIED.has(path)) await look(path);
      } else if (path !== CONTROL_FILE) {
        files.push(path);
        bytes += await sizeOf(join(cluster, path));
      }
    }
  }
  await look('');
  return { folders, files, bytes };
}

const tablespace = (cluster: string, path: string) =>
  new BackupError(
    'failed',
    'tablespaces',
    `the database has a tablespace (${join(cluster, path)}), which acuse backup does not copy: move its tables back, or set DATABASE_URL to a PostgreSQL of your own and back that up`,
  );

async function entriesOf(folder: string): Promise<{ name: string; kind: 'file' | 'folder' | 'other' }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => ({
      name: entry.name,
      kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other',
    }));
  } catch (error) {
    // Dropped meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Reads of the control file that must agree, and how far they are apart (ms). */
const CONTROL_READS = 50;
const CONTROL_READ_EVERY_MS = 10;

/** Nothing repairs this file: two equal reads are not torn. */
export async function readControlFile(cluster: string): Promise<Buffer> {
  const path = join(cluster, CONTROL_FILE);
  let before = await readFile(path);
  for (let read = 1; read < CONTROL_READS; read++) {
    await sleep(CONTROL_READ_EVERY_MS);
    const now = await readFile(path);
    if (now.equals(before)) return now;
    before = now;
  }
  throw new BackupError('unavailable', 'busy', `${path} changes all the time: run the backup again`);
}

/** Throws BackupError for a missing or short file. */
export function requireWal(cluster: string, names: readonly string[], segmentBytes: number): void {
  for (const name of names) {
    const path = join(cluster, 'pg_wal', name);
    if (!existsSync(path) || statSync(path).size !== segmentBytes)
      throw new BackupError('failed', 'wal_missing', `${path} is incomplete: run the backup again`);
  }
}
