import type { Anchor } from '../evidence/log/anchor/anchor.ts';
import { compareWithAnchor, type Standing } from '../evidence/log/anchor/compare.ts';
import { continuesAnchor, describeStanding } from '../evidence/log/anchor/publish.ts';
import { listLogs } from '../evidence/log/log-store.ts';
import { type OutsideConfig, openAnchor } from '../evidence/log/open-outside.ts';
import { type Command, CommandError, defineCommand, EXIT, type ExitCode } from './command.ts';
import { addKeyCommand } from './log-add-key.ts';
import { endCommand } from './log-end.ts';
import { mirrorCommand, reaching } from './log-mirror.ts';
import { type CommandServices, withServices } from './services.ts';

function requireAnchor(config: OutsideConfig): Anchor {
  const anchor = openAnchor(config);
  if (anchor !== null) return anchor;
  throw new CommandError(
    EXIT.usage,
    'usage',
    'ACUSE_LOG_ANCHOR is not set: there is no anchor to compare the log with',
  );
}

export interface Held {
  readonly origin: string;
  readonly standing: Standing;
  readonly note: string | null;
  readonly anchored: string | null;
}

export async function holdLogs({ db }: Pick<CommandServices, 'db'>, anchor: Anchor): Promise<Held[]> {
  return reaching(async () => {
    const held: Held[] = [];
    for (const log of await listLogs(db)) {
      const { standing, head, anchored } = await compareWithAnchor(db, anchor, log);
      held.push({ origin: log.origin, standing, note: head.note, anchored });
    }
    return held;
  });
}

/** The worst: contradicted, behind, fine. */
export function exitOf(standings: readonly Standing[]): ExitCode {
  if (standings.some(({ kind }) => kind === 'fork' || kind === 'unanchored')) return EXIT.failed;
  return standings.some(({ kind }) => kind === 'behind') ? EXIT.differs : EXIT.ok;
}

export const presentHeld = ({ origin, standing }: Held) => ({ origin, ...snake(standing) });

function snake({ databaseSize, ...rest }: Standing) {
  return { ...rest, database_size: databaseSize };
}

const anchorCommand = defineCommand({
  name: 'log anchor',
  summary: 'Compares the log in the database with the checkpoint that was published last (ACUSE_LOG_ANCHOR)',
  details:
    'With --adopt, puts the newest checkpoint of a log that has none in the anchor there: once, when the anchor is configured for a service that has run without. Never adopt after a restore, because a log that was published further would get a second history. Exit code 0: the database continues what was published; 1: it contradicts it, or nothing is known of it; 3: the anchor cannot be reached; 4: it is older.',
  options: { adopt: { type: 'boolean', doc: 'put the checkpoints of logs that the anchor lacks into it' } },
  examples: [
    'ACUSE_LOG_ANCHOR=/mnt/anchor acuse log anchor',
    'ACUSE_LOG_ANCHOR=/mnt/anchor acuse log anchor --adopt',
  ],
  async run({ options, out, env }) {
    return withServices(env, 'log anchor', async (services) => {
      const anchor = requireAnchor(services.config);
      const before = await holdLogs(services, anchor);
      const missing = before.filter(({ standing }) => standing.kind === 'unanchored');
      if (options.adopt) for (const { origin, note } of missing) await adopt(anchor, origin, note);
      const held = options.adopt ? await holdLogs(services, anchor) : before;
      const adopted = options.adopt ? missing.map(({ origin }) => origin) : [];
      out.answer({ anchor: anchor.place, adopted, logs: held.map(presentHeld) }, () =>
        held.map(({ origin, standing }) => {
          const mark = continuesAnchor(standing) ? '✓' : '✗';
          const how = adopted.includes(origin) ? ' (adopted now)' : '';
          return `${mark} ${describeStanding(origin, anchor.place, standing)}${how}`;
        }),
      );
      return exitOf(held.map(({ standing }) => standing));
    });
  },
});

async function adopt(anchor: Anchor, origin: string, note: string | null): Promise<void> {
  if (note === null)
    throw new CommandError(EXIT.failed, 'no_checkpoint', `log ${origin} has no checkpoint of its size`);
  if (!(await reaching(() => anchor.swap(origin, null, note))))
    throw new CommandError(EXIT.failed, 'conflict', `log ${origin} has just got a checkpoint in the anchor`);
}

export const logCommands: readonly Command[] = [anchorCommand, mirrorCommand, addKeyCommand, endCommand];
