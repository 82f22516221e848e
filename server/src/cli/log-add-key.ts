import { formatVerifierKey } from '@acuse/evidence/verifier-key';
import { type LogRow, listLogs } from '../evidence/log/log-store.ts';
import { generateSecondKey, pinnedSecondKey } from '../evidence/log/second-key.ts';
import { countUnstamped, insertSecondKey } from '../evidence/log/second-key-store.ts';
import { CommandError, defineCommand, EXIT } from './command.ts';
import { refuseRunning } from './refuse-running.ts';
import { type CommandServices, withServices } from './services.ts';

interface Added {
  readonly origin: string;
  readonly key: string;
  readonly from: string;
}

export const addKeyCommand = defineCommand({
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
