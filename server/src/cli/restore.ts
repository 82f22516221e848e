import { readFileSync } from 'node:fs';
import { parseNote } from '@acuse/evidence/note';
import { fsck } from '../sealing/fsck/fsck.ts';
import { openAnchorFolder } from '../sealing/log/anchor/anchor-folder.ts';
import { holdTo, type Standing } from '../sealing/log/anchor/hold.ts';
import { continuesAnchor, describeStanding } from '../sealing/log/anchor/publish.ts';
import { findLogByOrigin } from '../sealing/log/log-store.ts';
import { readHead } from '../sealing/log/sequence-store.ts';
import { type Command, CommandError, defineCommand, EXIT } from './command.ts';
import { exitOf, type Held, holdLogs, presentHeld } from './log.ts';
import { releaseCommands } from './restore-release.ts';
import { type CommandServices, withServices } from './services.ts';

const check = defineCommand({
  name: 'restore check',
  summary: 'Checks a restored database before the service runs on it',
  details:
    'Recomputes all evidence as fsck does, and compares the log with every checkpoint of it that is known outside: that of the anchor (ACUSE_LOG_ANCHOR), and each that is given as a file, such as one that a monitor, a witness or a partner has kept. Exit code 0: the database is up to date with all of them; 1: something in it does not hold, or contradicts one; 4: it holds, and is older: restore to a later point.',
  options: {
    checkpoint: {
      type: 'string',
      multiple: true,
      value: '<file>',
      doc: 'a checkpoint that was seen outside, as the log serves it at /log/checkpoint; repeatable',
    },
  },
  examples: [
    'ACUSE_LOG_ANCHOR=/mnt/anchor acuse restore check',
    'acuse restore check --checkpoint seen-by-our-monitor.txt --json',
  ],
  async run({ options, out, env }) {
    return withServices(env, 'restore check', async (services) => {
      const { config, db } = services;
      const anchor = config.logAnchor === null ? null : openAnchorFolder(config.logAnchor);
      const files = options.checkpoint ?? [];
      const told: (Held & { readonly from: string })[] = [];
      if (anchor !== null)
        for (const held of await holdLogs(services, anchor)) told.push({ ...held, from: anchor.place });
      for (const file of files) told.push({ ...(await holdFile(services, file)), from: file });
      out.progress('recomputing all evidence');
      const result = await fsck({ db });
      const against = told.map(({ from, ...held }) => ({ from, ...presentHeld(held) }));
      out.answer({ ...result, against }, () => [
        ...told.map(
          ({ origin, from, standing }) =>
            `${continuesAnchor(standing) ? '✓' : '✗'} ${describeStanding(origin, from, standing)}`,
        ),
        ...(told.length === 0 ? [NOTHING_OUTSIDE] : []),
        result.problemCount === 0
          ? '✓ all evidence in the database holds'
          : `✗ ${result.problemCount} problems in the database: acuse fsck names them`,
      ]);
      return result.problemCount > 0 ? EXIT.failed : exitOf(told.map(({ standing }) => standing));
    });
  },
});

const NOTHING_OUTSIDE =
  'Nothing was compared with what is known outside: set ACUSE_LOG_ANCHOR, or give --checkpoint. A database that is older than what was published looks whole by itself.';

async function holdFile({ db }: CommandServices, file: string): Promise<Held> {
  const text = readText(file);
  const origin = originOf(text);
  if (origin === null)
    throw new CommandError(
      EXIT.usage,
      'usage',
      `${file} is not a checkpoint (a signed note, C2SP tlog-checkpoint)`,
    );
  const log = await findLogByOrigin(db, origin);
  if (log === undefined) return { origin, note: null, anchored: text, standing: UNKNOWN_LOG };
  const head = await db.transact((tx) => readHead(tx, log.logId));
  return { origin, note: head!.note, anchored: text, standing: await holdTo(db, log, head!, text) };
}

const UNKNOWN_LOG: Standing = {
  kind: 'fork',
  reason: 'the database has no log of this name',
  databaseSize: 0,
};

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(EXIT.usage, 'usage', `${file} cannot be read: ${(error as Error).message}`);
  }
}

function originOf(text: string): string | null {
  try {
    return parseNote(Buffer.from(text)).text.split('\n', 1)[0] ?? null;
  } catch {
    return null;
  }
}

export const restoreCommands: readonly Command[] = [check, ...releaseCommands];
