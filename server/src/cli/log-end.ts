import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { isKeyName, verifierKey } from '@acuse/evidence/verifier-key';
import { compareWithAnchor } from '../evidence/log/anchor/compare.ts';
import { continuesAnchor, describeStanding } from '../evidence/log/anchor/publish.ts';
import { type Ended, endLog, nextOrigin } from '../evidence/log/end.ts';
import { type LogRow, listLogs } from '../evidence/log/log-store.ts';
import { openAnchor } from '../evidence/log/open-outside.ts';
import { describeStop } from '../evidence/log/stop.ts';
import { listStoppedLogs } from '../evidence/log/stop-store.ts';
import { markRestored } from '../operate/restore/set-back.ts';
import { ed25519 } from '../platform/ed25519.ts';
import { sha256 } from '../platform/sha256.ts';
import { CommandError, defineCommand, EXIT, usage } from './command.ts';
import { reaching } from './log-mirror.ts';
import { refuseRunning } from './refuse-running.ts';
import { type CommandServices, withServices } from './services.ts';
import { oneLine, REASON_MAX_CHARS } from './shared-options.ts';

export const endCommand = defineCommand({
  name: 'log end',
  summary: 'Ends a log that cannot be brought up to what was published, and begins another one',
  details:
    'The last resort, for a database that is behind its anchor or contradicts it, or whose log a witness has stopped, where no later copy and no mirror is left: acuse restore catch-up goes on with the log, this does not. The key of the log signs one last statement (that the log has ended, what it still shows, what was published, and which log continues) and is destroyed. The service goes on with the new log and its new key, and serves the statement at /log/end. Bundles stay valid. Certified messages that wait to be sealed are never sealed, because they name the log that ended. There is no way back. Refused while the log continues what was published, and without --yes, which says what will happen. Exit code 0: ended; 1: refused.',
  options: {
    reason: { type: 'string', value: '<text>', doc: 'reason, which everybody can read', required: true },
    origin: {
      type: 'string',
      value: '<name>',
      doc: 'name of the new log (default: a number behind the old)',
    },
    yes: { type: 'boolean', doc: 'end it' },
  },
  examples: ['ACUSE_LOG_ANCHOR=/mnt/anchor acuse log end --reason "disk and WAL lost" --yes'],
  async run({ options, out, env }) {
    const reason = oneLine('reason', options.reason, REASON_MAX_CHARS);
    return withServices(env, 'log end', async (services) => {
      const found = await reaching(() => findWrong(services));
      const origin = options.origin ?? nextOrigin(found.log.origin);
      if (!isKeyName(origin) || origin === found.log.origin)
        throw usage(`--origin: ${origin} cannot be the name of a new log`);
      await refuseRunning(services);
      if (options.yes !== true) {
        out.answer({ ended: false, origin: found.log.origin, successor: origin }, () => [
          `✗ ${found.text}`,
          `With --yes the log ${found.log.origin} ends for ever, its key is destroyed, and ${origin} begins.`,
          'Nothing was changed. If there is a mirror, acuse restore catch-up goes on with the log instead.',
        ]);
        return EXIT.failed;
      }
      await markRestored(services, found.text);
      const ended = await endLog(services, found.log, { published: found.published, origin, reason });
      if (ended === null)
        throw new CommandError(EXIT.failed, 'conflict', 'the log was ended or changed by another process');
      out.answer({ ended: true, ...ended }, () => text(ended));
      return EXIT.ok;
    });
  },
});

/** The first stopped or contradicting log. */
async function findWrong(
  services: CommandServices,
): Promise<{ readonly log: LogRow; readonly published: string; readonly text: string }> {
  const [stopped] = await listStoppedLogs(services.db);
  const log = (await listLogs(services.db)).find(({ logId }) => logId === stopped?.logId);
  if (stopped !== undefined && log !== undefined)
    return { log, published: stopped.note, text: describeStop(stopped) };
  const anchor = openAnchor(services.config);
  if (anchor === null) throw usage('set ACUSE_LOG_ANCHOR: it says what was published');
  for (const log of await listLogs(services.db)) {
    const { standing, anchored } = await compareWithAnchor(services.db, anchor, log);
    if (continuesAnchor(standing)) continue;
    const text = describeStanding(log.origin, anchor.place, standing);
    if (anchored === null || !isSigned(log, anchored))
      throw new CommandError(EXIT.failed, 'no_checkpoint', text);
    return { log, published: anchored, text };
  }
  throw new CommandError(
    EXIT.failed,
    'healthy',
    'every log continues what was published of it: there is nothing to end, and nothing was changed',
  );
}

function isSigned({ origin, publicKey }: LogRow, note: string): boolean {
  try {
    openCheckpoint(note, [verifierKey(origin, publicKey, sha256)], ed25519);
    return true;
  } catch {
    return false;
  }
}

function text(ended: Ended): string[] {
  const { origin, size, publishedSize, successor, successorKey, successorSecondKey, unsealed } = ended;
  return [
    `✓ log ${origin} has ended with ${size} leaves; ${publishedSize} were published`,
    `✓ log ${successor} goes on, with the key ${successorKey}`,
    ...(successorSecondKey === null ? [] : [`✓ and its ML-DSA-44 key ${successorSecondKey}`]),
    ...(unsealed === 0 ? [] : [`✗ ${unsealed} leaves waited for the log that ended, and are never sealed`]),
    'Give the new key to everybody who monitors, cosigns or verifies. The statement is served at /log/end.',
    'Now run acuse restore release before the service starts.',
  ];
}
