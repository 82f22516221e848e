import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { readGivenKeys } from '../config/master-key.ts';
import { describeStanding } from '../evidence/log/anchor/publish.ts';
import { openAnchor } from '../evidence/log/open-outside.ts';
import { type Drilled, drill } from '../operate/backup/drill.ts';
import { systemClock } from '../platform/clock.ts';
import { embeddedConfig, explained, KEY_MISSING, manifestLines, progressOf, summaryOf } from './backup.ts';
import { type Command, defineCommand, EXIT } from './command.ts';
import { DEFAULT_PARALLEL, fsckText } from './fsck.ts';
import { exitOf, type Held, holdLogs, presentHeld } from './log.ts';
import type { Lines } from './output.ts';

const drillCommand = defineCommand({
  name: 'restore drill',
  summary: 'Tests a backup: restores it to a scratch folder, checks everything in it and removes the copy',
  details:
    'Verifies every file, lets PostgreSQL recover, compares the log with the manifest and with the anchor (ACUSE_LOG_ANCHOR), tries the master key, and recomputes all evidence as fsck does. A backup is older than the anchor where the service has sealed since: this is reported and is not an error. No service runs on the copy, and nothing is sent. Run it on another machine once a month. Exit code 0: everything holds; 1: something does not, or nothing can be restored; 3: the machine lacks room.',
  options: {
    from: { type: 'string', value: '<backup>', doc: 'the folder acuse-<time> of the backup', required: true },
    scratch: {
      type: 'string',
      value: '<folder>',
      doc: "with room for the whole database (default: the system's folder for temporary files)",
    },
  },
  examples: [
    'acuse restore drill --from /mnt/backup/acuse-20261123T020000.000Z',
    'ACUSE_LOG_ANCHOR=/mnt/anchor acuse restore drill --from /mnt/backup/acuse-20261123T020000.000Z --json',
    'acuse restore drill --from /mnt/backup/acuse-20261123T020000.000Z --scratch /srv/scratch',
  ],
  async run({ options, out, env }) {
    const config = embeddedConfig(env);
    const masterKeys = readGivenKeys(config);
    const anchor = openAnchor(config);
    let held: readonly Held[] = [];
    const deps = {
      clock: systemClock,
      masterKeys,
      onProgress: progressOf(out),
      parallel: DEFAULT_PARALLEL,
      env,
      async look(db: Parameters<typeof holdLogs>[0]['db']) {
        if (anchor !== null) held = await holdLogs({ db }, anchor);
      },
    };
    const startedMs = performance.now();
    const done = await explained(drill(deps, resolve(options.from), resolve(options.scratch ?? tmpdir())));
    const seconds = { ...done.seconds, total: Math.round((performance.now() - startedMs) / 100) / 10 };
    const { backup, found, keyFits } = done;
    const contradicted = exitOf(held.map(({ standing }) => standing)) === EXIT.failed;
    const ok = found.problemCount === 0 && !contradicted;
    const result = {
      ok,
      backup: backup.folder,
      ...summaryOf(backup.manifest),
      key_fits: keyFits,
      against: held.map(presentHeld),
      ...found,
      seconds,
    };
    out.answer(result, () => textOf({ ...done, seconds }, anchor?.place ?? null, held, ok));
    return ok ? EXIT.ok : EXIT.failed;
  },
});

export const drillCommands: readonly Command[] = [drillCommand];

function textOf(
  { backup, found, keyFits, seconds }: Drilled & { seconds: Drilled['seconds'] & { total: number } },
  anchor: string | null,
  held: readonly Held[],
  ok: boolean,
): Lines {
  const { manifest } = backup;
  return [
    manifestLines(manifest),
    `✓ ${manifest.files.length} files have the SHA-256 of the manifest (${seconds.verify} s)`,
    `✓ PostgreSQL recovered, and the log continues the checkpoint of the manifest (${seconds.restore} s)`,
    keyFits ? '✓ the master key opens the key of the log' : KEY_MISSING,
    ...held.map((each) => anchorLine(each, anchor ?? '')),
    ...(anchor === null ? ['The log was compared with no anchor (ACUSE_LOG_ANCHOR).'] : []),
    '',
    fsckText(found),
    '',
    ok
      ? `✓ This backup can be restored: ${seconds.total} s in all, fsck ${seconds.fsck}`
      : '✗ THIS BACKUP FAILED: use another one, and run acuse fsck on the service',
  ];
}

function anchorLine({ origin, standing }: Held, place: string): string {
  switch (standing.kind) {
    case 'same':
    case 'continues':
    case 'new':
      return `✓ ${describeStanding(origin, place, standing)}`;
    case 'behind':
      return `✓ log ${origin}: ${standing.databaseSize} leaves, and ${standing.size - standing.databaseSize} more were published since at ${place}, as is normal for a backup`;
    case 'unanchored':
    case 'fork':
      return `✗ ${describeStanding(origin, place, standing)}`;
  }
}
