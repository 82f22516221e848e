import { join } from 'node:path';
import { readMigrations } from '../../platform/database/migrate.ts';
import { findPostgresBinaries } from '../../platform/database/postgres-binaries.ts';
import { BackupError } from './backup-error.ts';
import { forEachFile, hashFile, type Progress } from './copy-files.ts';
import { type Backup, readManifest } from './manifest.ts';

const NAMED = 5;

/** Verifies every file. Throws BackupError. */
export async function readBackup(folder: string, onProgress?: (progress: Progress) => void): Promise<Backup> {
  const backup = { folder, manifest: readManifest(folder) };
  requireOurs(backup);
  const wrong = await findDamage(backup, onProgress);
  if (wrong.length > 0) throw damaged(folder, wrong);
  return backup;
}

/** One line per wrong file. */
export async function findDamage(
  { folder, manifest: { files, bytes: totalBytes } }: Backup,
  onProgress?: (progress: Progress) => void,
): Promise<string[]> {
  const wrong: string[] = [];
  let doneBytes = 0;
  await forEachFile(files, async ({ path, size, sha256 }) => {
    const found = await hashFile(join(folder, path), (bytes) => {
      doneBytes += bytes;
      onProgress?.({ phase: 'verifying', doneBytes, totalBytes });
    });
    if (found === null) wrong.push(`${path} is missing`);
    else if (found.size !== size) wrong.push(`${path} has ${found.size} bytes in place of ${size}`);
    else if (found.sha256 !== sha256) wrong.push(`${path} has other bytes`);
  });
  return wrong;
}

export function damaged(folder: string, wrong: readonly string[]): BackupError {
  return new BackupError(
    'failed',
    'backup_damaged',
    `${folder} is damaged, nothing was restored: ${firstOf(wrong)}; use another backup`,
  );
}

export function firstOf(wrong: readonly string[]): string {
  const more = wrong.length > NAMED ? `, and ${wrong.length - NAMED} more` : '';
  return `${wrong.toSorted().slice(0, NAMED).join(', ')}${more}`;
}

function requireOurs({ folder, manifest }: Backup): void {
  const [theirs, ours] = [manifest.postgres.version, findPostgresBinaries().version].map(
    (version) => version.split('.')[0]!,
  );
  if (theirs !== ours)
    throw new BackupError(
      'failed',
      'other_postgres',
      `${folder} is of PostgreSQL ${theirs}, and this version of Acuse runs PostgreSQL ${ours}: restore with Acuse ${manifest.version}, which made it`,
    );
  if (manifest.migrations > readMigrations().length)
    throw new BackupError(
      'failed',
      'newer_version',
      `${folder} was made by a newer version of Acuse (${manifest.version}): restore with that version`,
    );
}
