import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { type Manifest, manifestText } from '../../src/operate/backup/manifest.ts';

/** Backups that something has happened to: what, and what a restore says of it. */

export const manifestOf = (folder: string): Manifest & { sha256: string } =>
  JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));

/**
 * A copy of the backup that something happens to. Its files are the backup's own: what changes one, puts
 * another in its place.
 */
export function copyOf(folder: string, change: (copy: string) => void): string {
  const copy = join(tempFolder(), 'acuse-20260101T000000.000Z');
  linkTo(folder, copy);
  change(copy);
  return copy;
}
export function linkTo(folder: string, copy: string): void {
  execFileSync('cp', ['-al', folder, copy]);
}
export function replaceFile(path: string, content: string | Uint8Array): void {
  rmSync(path);
  writeFileSync(path, content, { mode: 0o600 });
}
export function rewrite(copy: string, change: (manifest: Manifest) => Manifest): void {
  const { sha256: _, ...manifest } = manifestOf(copy);
  replaceFile(join(copy, 'manifest.json'), manifestText(change(manifest)));
}

export const DAMAGES: readonly [string, (copy: string) => void, RegExp][] = [
  [
    'a byte that changed',
    (copy) => {
      const path = join(copy, 'postgres/global/pg_control');
      const bytes = readFileSync(path);
      bytes[40]! ^= 1;
      replaceFile(path, bytes);
    },
    /pg_control has other bytes/,
  ],
  ['a file cut short', (copy) => replaceFile(join(copy, 'postgres/PG_VERSION'), '1'), /has 1 bytes in place/],
  [
    'files that are gone',
    (copy) => {
      for (const name of readdirSync(join(copy, 'postgres/global')).slice(0, 9))
        execFileSync('rm', ['-r', join(copy, 'postgres/global', name)]);
    },
    /global\/\d+\S* is missing.*, and 4 more/,
  ],
  [
    'a link in place of a file',
    (copy) => {
      execFileSync('mv', [join(copy, 'master.key'), join(copy, 'elsewhere')]);
      execFileSync('ln', ['-s', 'elsewhere', join(copy, 'master.key')]);
    },
    /master.key is missing/,
  ],
  [
    'a manifest cut short',
    (copy) => {
      const path = join(copy, 'manifest.json');
      replaceFile(path, readFileSync(path).subarray(0, -100));
    },
    /manifest.json is not whole/,
  ],
  [
    'a manifest with another number',
    (copy) => {
      const path = join(copy, 'manifest.json');
      replaceFile(path, readFileSync(path, 'utf8').replace(/"bytes": /, '"bytes": 1'));
    },
    /manifest.json was changed/,
  ],
  [
    'a manifest that leads out of it',
    (copy) =>
      rewrite(copy, (manifest) => ({
        ...manifest,
        files: [...manifest.files, { path: 'postgres/../../x', size: 0, sha256: '' }],
      })),
    /names "postgres\/\.\.\/\.\.\/x"/,
  ],
  ['no manifest', (copy) => execFileSync('rm', [join(copy, 'manifest.json')]), /is not a whole backup/],
  [
    'a newer version',
    (copy) => rewrite(copy, (manifest) => ({ ...manifest, migrations: 9_999, version: '9.0.0' })),
    /newer version of Acuse \(9\.0\.0\)/,
  ],
  [
    'another PostgreSQL',
    (copy) =>
      rewrite(copy, (manifest) => ({ ...manifest, postgres: { ...manifest.postgres, version: '12.3' } })),
    /is of PostgreSQL 12/,
  ],
  [
    'a log that it does not have',
    (copy) =>
      rewrite(copy, (manifest) => ({
        ...manifest,
        logs: [{ origin: 'other.example/log', size: 1, root: null, note: null }],
      })),
    /has no log other.example\/log/,
  ],
  [
    'another master key',
    (copy) => {
      const key = `${Buffer.alloc(32, 7).toString('base64')}\n`;
      replaceFile(join(copy, 'master.key'), key);
      const sha256 = execFileSync('sha256sum', [join(copy, 'master.key')], { encoding: 'utf8' }).slice(0, 64);
      rewrite(copy, (manifest) => ({
        ...manifest,
        files: manifest.files.map((file) => (file.path === 'master.key' ? { ...file, sha256 } : file)),
      }));
    },
    /master key in the backup does not open/,
  ],
];
