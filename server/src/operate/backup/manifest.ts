import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BackupError } from './backup-error.ts';
import type { FileFacts } from './copy-files.ts';

/** Written last: a folder with a manifest is complete. */
export interface Manifest {
  readonly format: 1;
  readonly version: string;
  /** ISO 8601. Includes all commits before, and possibly some after. */
  readonly complete_until: string;
  /** The first log's name; null: none. */
  readonly installation: string | null;
  readonly postgres: {
    readonly version: string;
    readonly start_lsn: string;
    readonly stop_lsn: string;
    readonly wal_files: number;
  };
  readonly migrations: number;
  readonly logs: readonly BackedUpLog[];
  /** `elsewhere`: outside the data folder. */
  readonly master_key: 'included' | 'left_out' | 'elsewhere';
  readonly bytes: number;
  readonly folders: readonly string[];
  readonly files: readonly BackedUpFile[];
}

interface BackedUpLog {
  readonly origin: string;
  readonly size: number;
  readonly root: string | null;
  /** The newest checkpoint. Null: no leaves. */
  readonly note: string | null;
}

export interface BackedUpFile extends FileFacts {
  readonly path: string;
}

export interface Backup {
  readonly folder: string;
  readonly manifest: Manifest;
}

const FILE_NAME = 'manifest.json';
const FORMAT = 1;
export const CLUSTER = 'postgres';
export const MASTER_KEY = 'master.key';

/** With a hash over itself. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, sha256: hashOf(manifest) }, null, 1)}\n`;
}

export function manifestPath(folder: string): string {
  return join(folder, FILE_NAME);
}

export function readManifest(folder: string): Manifest {
  const damaged = (what: string, cause?: unknown) =>
    new BackupError(
      'failed',
      'backup_damaged',
      `${manifestPath(folder)} ${what}: the backup is damaged, use another one`,
      { cause },
    );
  const text = readText(folder);
  let parsed: Partial<Manifest> & { sha256?: unknown };
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw damaged('is not whole', cause);
  }
  if (parsed === null || typeof parsed !== 'object') throw damaged('is not a manifest');
  if (typeof parsed.format === 'number' && parsed.format > FORMAT)
    throw new BackupError(
      'failed',
      'newer_version',
      `${folder} was made by a newer version of Acuse (${parsed.version}): restore with that version`,
    );
  const { sha256, ...manifest } = parsed;
  if (sha256 !== hashOf(manifest)) throw damaged('was changed');
  const { folders, files } = manifest as Manifest;
  const odd = [...folders, ...files.map(({ path }) => path)].find((path) => !isOurs(path));
  if (odd !== undefined) throw damaged(`names ${JSON.stringify(odd)}`);
  return manifest as Manifest;
}

/** No path leads out of the folder. */
function isOurs(path: string): boolean {
  const [top, ...below] = path.split('/');
  if (below.length === 0 && top === MASTER_KEY) return true;
  return top === CLUSTER && !below.some((name) => ['', '.', '..'].includes(name) || name.includes('\0'));
}

function readText(folder: string): string {
  try {
    return readFileSync(manifestPath(folder), 'utf8');
  } catch (cause) {
    throw new BackupError('usage', 'not_a_backup', whyNot(folder), { cause });
  }
}

function whyNot(folder: string): string {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return `${folder} is not a folder: name a backup that acuse backup has made`;
  const inside = readdirSync(folder).filter(isBackupName).sort().at(-1);
  if (inside !== undefined)
    return `${folder} holds backups: name one of them, such as ${join(folder, inside)}`;
  return `${folder} is not a whole backup, because it has no ${FILE_NAME}: name one that acuse backup has made`;
}

const NAME = /^acuse-\d{8}T\d{6}\.\d{3}Z$/;

export function backupName(at: Date): string {
  return `acuse-${at.toISOString().replaceAll('-', '').replaceAll(':', '')}`;
}

export function isBackupName(name: string): boolean {
  return NAME.test(name);
}

function hashOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
