import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import packageFacts from '../../package.json' with { type: 'json' };
import { type Environment, loadConfig } from '../config/config.ts';
import type { Config } from '../config/config-type.ts';
import { readGivenKeys } from '../config/master-key.ts';
import { takeBackup } from '../operate/backup/backup.ts';
import { BackupError } from '../operate/backup/backup-error.ts';
import type { Progress } from '../operate/backup/copy-files.ts';
import type { Manifest } from '../operate/backup/manifest.ts';
import { readBackup } from '../operate/backup/read-backup.ts';
import { restoreBackup } from '../operate/backup/restore.ts';
import { systemClock } from '../platform/clock.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { createStatusLine, facts, type Lines, type Output } from './output.ts';
import { openDatabase } from './services.ts';
import { wholeNumber } from './shared-options.ts';

const backupCommand = defineCommand({
  name: 'backup',
  summary: 'Copies the embedded database to another disk, while the service works',
  details:
    'Makes a folder acuse-<time> with the database as it was at the end of the copy, a manifest with the SHA-256 of every file, and the master key where it is in the data folder: who can read the backup has the whole installation. Until it is whole the folder ends in .unfinished; the next backup removes one that was cut off. Every file is read again before an older backup is removed. Needs the user of the service, or root. A PostgreSQL of your own (DATABASE_URL) is backed up with its own tools: docs/guides/restore.md.',
  options: {
    to: {
      type: 'string',
      value: '<folder>',
      doc: 'where backups are kept, on another disk (default: ACUSE_BACKUP_FOLDER)',
    },
    keep: {
      type: 'string',
      value: '<number>',
      doc: 'afterwards keep only so many of this installation, this one included (default: ACUSE_BACKUP_KEEP; without both none is removed)',
    },
    'without-key': { type: 'boolean', doc: 'leave the master key out: keep it elsewhere' },
  },
  examples: [
    'acuse backup --to /mnt/backup',
    'acuse backup --to /mnt/backup --keep 14 --json',
    'acuse backup --to /mnt/backup --without-key',
    'ACUSE_BACKUP_FOLDER=/mnt/backup ACUSE_BACKUP_KEEP=14 acuse backup',
  ],
  async run({ options, out, env }) {
    const config = embeddedConfig(env);
    const to = options.to ?? config.backupFolder;
    if (to === null) throw usage('name the folder: --to <folder>, or ACUSE_BACKUP_FOLDER');
    const keep = options.keep === undefined ? config.backupKeep : wholeNumber('keep', options.keep);
    if (keep === 0) throw usage('--keep takes a number from 1, not 0');
    const startedMs = performance.now();
    const database = await openDatabase(config, 'backup');
    try {
      const { folder, manifest, removed } = await explained(
        takeBackup(
          {
            dataDir: realpathSync(config.dataDir),
            databaseUrl: database.url,
            version: packageFacts.version,
            now: systemClock.now,
            onProgress: progressOf(out),
          },
          { to: resolve(to), keep, withoutKey: options['without-key'] === true },
        ),
      );
      const seconds = secondsSince(startedMs);
      out.answer({ backup: folder, ...summaryOf(manifest), removed, seconds }, () => [
        `✓ ${folder}`,
        ...manifestLines(manifest),
        ...removed.map((path) => `removed: ${path}`),
        keyLine(manifest, config.masterKeys !== null || config.masterKeyCommand !== null),
        `Done in ${seconds} s. Try it: acuse restore drill --from ${folder}`,
      ]);
      return EXIT.ok;
    } finally {
      await database.stop();
    }
  },
});

const restoreCommand = defineCommand({
  name: 'restore run',
  summary: 'Restores a backup that acuse backup made into an empty data folder',
  details:
    'Verifies the SHA-256 of every file first, and changes nothing when one is wrong. Then it copies, lets PostgreSQL recover, compares the log with the manifest and tries the master key. The service does not run on the folder until acuse restore release. A restore that is cut off is begun again by the same command; no service starts on its folder meanwhile.',
  options: {
    from: { type: 'string', value: '<backup>', doc: 'the folder acuse-<time> of the backup', required: true },
    'data-dir': {
      type: 'string',
      value: '<folder>',
      doc: 'an empty folder, or a new one; the ACUSE_DATA_DIR of the service',
      required: true,
    },
  },
  examples: [
    'acuse restore run --from /mnt/backup/acuse-20261123T020000.000Z --data-dir /var/lib/acuse',
    'acuse restore run --from /mnt/backup/acuse-20261123T020000.000Z --data-dir ./restored --json',
  ],
  async run({ options, out, env }) {
    const masterKeys = readGivenKeys(embeddedConfig(env));
    const startedMs = performance.now();
    const onProgress = progressOf(out);
    const backup = await explained(readBackup(resolve(options.from), onProgress));
    const { manifest } = backup;
    const deps = { clock: systemClock, masterKeys, onProgress };
    const { dataDir, keyFits, reason } = await explained(
      restoreBackup(deps, backup, resolve(options['data-dir'])),
    );
    const seconds = secondsSince(startedMs);
    out.answer(
      {
        data_dir: dataDir,
        backup: backup.folder,
        ...summaryOf(manifest),
        key_fits: keyFits,
        reason,
        seconds,
      },
      () => [
        `✓ ${dataDir}`,
        ...manifestLines(manifest),
        `✓ ${manifest.files.length} files have the SHA-256 of the manifest, and the log continues its checkpoint`,
        keyFits ? '✓ the master key opens the key of the log' : KEY_MISSING,
        `Done in ${seconds} s. The service does not run on it yet: acuse restore check, then acuse restore release.`,
      ],
    );
  },
});

export const backupCommands: readonly Command[] = [backupCommand];
export const restoreRunCommands: readonly Command[] = [restoreCommand];

export const KEY_MISSING =
  '✗ the backup has no master key: put master.key into the data folder, or set ACUSE_MASTER_KEY or ACUSE_MASTER_KEY_COMMAND, before you start the service';

export function embeddedConfig(env: Environment): Config {
  const { config } = loadConfig(env);
  if (config.databaseUrl === null) return config;
  throw new CommandError(
    EXIT.usage,
    'own_database',
    'DATABASE_URL is set: this command is for the embedded PostgreSQL. Back up a PostgreSQL of your own with pgBackRest (docs/guides/restore.md)',
  );
}

export async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    throw new CommandError(EXIT[error.kind], error.code, error.message, { cause: error });
  }
}

const secondsSince = (startedMs: number) => Math.round((performance.now() - startedMs) / 100) / 10;

export function summaryOf({ complete_until, version, logs, files, bytes, master_key }: Manifest) {
  return {
    complete_until,
    version,
    logs: logs.map(({ origin, size, root }) => ({ origin, size, root })),
    files: files.length,
    bytes,
    master_key,
  };
}

export function manifestLines({ complete_until, version, logs, files, bytes }: Manifest): Lines {
  return facts([
    ['complete until', complete_until],
    ['version', version],
    ...logs.map(
      ({ origin, size, root }) => [`log ${origin}`, `${size} leaves, root ${root ?? '-'}`] as const,
    ),
    ['files', `${files.length}, ${megabytes(bytes)} MB`],
  ]);
}

function keyLine({ master_key: key }: Manifest, isSet: boolean): string {
  if (key === 'included')
    return 'The master key is in it: who can read this backup can read every secret and sign as your log. Keep it as safe as the service.';
  const where = isSet ? 'it is in the settings' : 'keep a copy of it elsewhere';
  return `The master key is not in it (${where}): without it a restore can neither sign nor open a secret.`;
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

const PROGRESS_EVERY_MS = 500;

export function progressOf(out: Output): (progress: Progress) => void {
  const show = out.json ? undefined : createStatusLine(process.stderr);
  if (show === undefined) return () => {};
  let lastMs = 0;
  return ({ phase, doneBytes, totalBytes }) => {
    const done = doneBytes >= totalBytes;
    if (!done && performance.now() - lastMs < PROGRESS_EVERY_MS) return;
    lastMs = performance.now();
    show(`${phase}: ${megabytes(doneBytes)} of ${megabytes(totalBytes)} MB`, done);
  };
}
