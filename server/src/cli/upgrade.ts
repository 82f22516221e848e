import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import packageFacts from '../../package.json' with { type: 'json' };
import { readGivenKeys } from '../config/master-key.ts';
import { listBackups } from '../operate/backup/backups-folder.ts';
import { type Drilled, drill } from '../operate/backup/drill.ts';
import { systemClock } from '../platform/clock.ts';
import type { Watched } from '../platform/database/migrate.ts';
import { embeddedConfig, explained, progressOf, summaryOf } from './backup.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { DEFAULT_PARALLEL, fsckText } from './fsck.ts';
import type { Lines } from './output.ts';

const upgradeCommand = defineCommand({
  name: 'upgrade',
  summary: 'Rehearses an upgrade to this version: a backup restored to a scratch folder, migrated, checked',
  details:
    'Run it with the program of the new version, before you install that. It verifies the newest backup, lets PostgreSQL recover in a scratch folder, applies the migrations that the backup lacks, says of each how long it took, which tables it locked and by how much the database grew, recomputes all evidence as fsck does, and removes the folder again. Nothing runs on the copy, nothing is sent, and the service is not touched. The upgrade itself needs no command: a process of the new version migrates when it starts (docs/guides/upgrading.md). Exit code 0: the upgrade holds; 1: a migration or a check fails, or nothing can be restored; 3: the machine lacks room.',
  options: {
    rehearse: { type: 'boolean', doc: 'try it on a copy; required, because this command does nothing else' },
    from: {
      type: 'string',
      value: '<backup>',
      doc: 'the folder acuse-<time> of a backup (default: the newest in ACUSE_BACKUP_FOLDER)',
    },
    scratch: {
      type: 'string',
      value: '<folder>',
      doc: "with room for the whole database (default: the system's folder for temporary files)",
    },
  },
  examples: [
    'acuse upgrade --rehearse --from /mnt/backup/acuse-20261123T020000.000Z',
    'ACUSE_BACKUP_FOLDER=/mnt/backup acuse upgrade --rehearse --json',
  ],
  async run({ options, out, env }) {
    if (options.rehearse !== true)
      throw usage('give --rehearse: an upgrade itself is the start of the new version, or acuse db migrate');
    const config = embeddedConfig(env);
    const from = options.from ?? newestIn(config.backupFolder);
    const migrations: Watched[] = [];
    const deps = {
      clock: systemClock,
      masterKeys: readGivenKeys(config),
      onProgress: progressOf(out),
      onMigrated: (applied: Watched) => void migrations.push(applied),
      parallel: DEFAULT_PARALLEL,
      env,
      look: async () => {},
    };
    const done = await explained(drill(deps, resolve(from), resolve(options.scratch ?? tmpdir())));
    const { backup, found, keyFits, seconds } = done;
    const ok = found.problemCount === 0;
    const { version } = packageFacts;
    const result = { ok, backup: backup.folder, ...summaryOf(backup.manifest), to_version: version };
    out.answer({ ...result, key_fits: keyFits, migrations, ...found, seconds }, () =>
      textOf(done, migrations, ok),
    );
    return ok ? EXIT.ok : EXIT.failed;
  },
});

export const upgradeCommands: readonly Command[] = [upgradeCommand];

function newestIn(folder: string | null): string {
  if (folder === null) throw usage('name the backup: --from <backup>, or ACUSE_BACKUP_FOLDER');
  const newest = listBackups(folder).at(-1);
  if (newest === undefined)
    throw new CommandError(EXIT.failed, 'no_backup', `${folder} has no backup: acuse backup makes one`);
  return join(folder, newest.name);
}

function textOf({ backup, found, seconds }: Drilled, migrations: readonly Watched[], ok: boolean): Lines {
  const { version } = packageFacts;
  return [
    `✓ ${backup.folder} of version ${backup.manifest.version} is whole (${seconds.verify} s)`,
    migrations.length === 0
      ? `✓ Version ${version} needs no migration`
      : `✓ ${migrations.length} migrations of version ${version}:`,
    ...migrations.map(migrationLine),
    `✓ Restored and migrated in ${seconds.restore} s`,
    '',
    fsckText(found),
    '',
    ok
      ? `✓ The upgrade to ${version} holds`
      : `✗ THE UPGRADE TO ${version} DOES NOT HOLD: stay with the version that runs, and report it`,
  ];
}

function migrationLine({ name, seconds, locks, bytes }: Watched): string {
  const held = locks.map(({ table, mode }) => `${table} (${mode})`).join(', ') || 'no table';
  return `  ${name}: ${seconds} s, ${Math.ceil(bytes / 1024)} KiB, locks ${held}`;
}
