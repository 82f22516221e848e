import { formatVerifierKey } from '@acuse/evidence/verifier-key';
import type { Anchor } from '../evidence/log/anchor/anchor.ts';
import { compareWithAnchor, type Standing } from '../evidence/log/anchor/compare.ts';
import { continuesAnchor, describeStanding } from '../evidence/log/anchor/publish.ts';
import { type LogRow, listLogs } from '../evidence/log/log-store.ts';
import { type OutsideConfig, openAnchor } from '../evidence/log/open-outside.ts';
import { generateSecondKey, pinnedSecondKey } from '../evidence/log/second-key.ts';
import { countUnstamped, insertSecondKey } from '../evidence/log/second-key-store.ts';
import { type Command, CommandError, defineCommand, EXIT, type ExitCode, usage } from './command.ts';
import { endCommand } from './log-end.ts';
import { mirrorCommand, reaching } from './log-mirror.ts';
import { refuseRunning } from './refuse-running.ts';
import { type CommandServices, withServices } from './services.ts';

interface Added {
  readonly origin: string;
  readonly key: string;
  readonly from: string;
}

const addKeyCommand = defineCommand({
  name: 'log add-key',
  summary: 'Gives a log a second key, of ML-DSA-44, which a quantum computer does not forge',
  details:
    'From then on the log signs its checkpoints and the counts of outcomes with both keys, and bundles list both: one that lacks the second signature is refused. The key is sealed by the master key, as the first. It cannot be taken away again, and older versions of Acuse cannot sign with it. Bundles that were made before stay valid. Run it while no process runs and every checkpoint has its constancia. Make a backup afterwards: a database from before has only the first key. Without --yes, says what will happen. Exit code 0: added; 1: refused.',
  options: { yes: { type: 'boolean', doc: 'add it' } },
  examples: ['acuse log add-key --yes'],
  async run({ options, out, env }) {
    return withServices(env, 'log add-key', async (services) => {
      const logs = await requireReady(services);
      if (options.yes !== true) {
        const origins = logs.map(({ origin }) => origin);
        out.answer({ added: [], would_add: origins }, () => [
          `✗ With --yes ${origins.join(', ')} gets an ML-DSA-44 key, and signs with both from then on.`,
          'It cannot be taken away again. Nothing was changed.',
        ]);
        return EXIT.failed;
      }
      const added: Added[] = [];
      for (const log of logs) added.push(await addKey(services, log));
      out.answer({ added }, () => added.flatMap(text));
      return EXIT.ok;
    });
  },
});

/** The logs that go on and have one key. */
async function requireReady(services: CommandServices): Promise<LogRow[]> {
  await refuseRunning(services);
  const logs = await listLogs(services.db);
  if (logs.length === 0)
    throw new CommandError(EXIT.failed, 'no_log', 'there is no log yet: start the service once');
  const lacking = logs.filter(({ mldsa44PublicKey }) => mldsa44PublicKey === null);
  if (lacking.length === 0)
    throw new CommandError(EXIT.failed, 'conflict', 'every log has an ML-DSA-44 key: nothing was changed');
  for (const { logId, origin } of lacking) {
    const waiting = await countUnstamped(services.db, logId);
    // Stamped later, they would lack a signature that they have to have.
    if (waiting > 0)
      throw new CommandError(
        EXIT.failed,
        'conflict',
        `${waiting} checkpoints of ${origin} wait for their constancia: let the service seal them first (acuse sealing status)`,
      );
  }
  return lacking;
}

async function addKey({ db, clock, secrets }: CommandServices, log: LogRow): Promise<Added> {
  const made = await generateSecondKey(log.logId, clock.now(), secrets);
  if (!(await db.transact((tx) => insertSecondKey(tx, made))))
    throw new CommandError(EXIT.failed, 'conflict', 'the log was changed by another process');
  const key = formatVerifierKey(pinnedSecondKey({ origin: log.origin, ...made })!);
  return { origin: log.origin, key, from: made.mldsa44From.toISOString() };
}

function text({ origin, key, from }: Added): string[] {
  return [
    `✓ log ${origin} signs with a second key, which is required of what is time-stamped from ${from}:`,
    key,
    'Give it to everybody who verifies under a policy of their own (log_keys, with this from). Make a backup now.',
  ];
}

function requireAnchor(config: OutsideConfig): Anchor {
  const anchor = openAnchor(config);
  if (anchor !== null) return anchor;
  throw usage('ACUSE_LOG_ANCHOR is not set: there is no anchor to compare the log with');
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
