import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { verifierKey } from '@acuse/evidence/verifier-key';
import { AnchorUnreachable } from '../evidence/log/anchor/anchor.ts';
import { compareWithAnchor, type HeldLog } from '../evidence/log/anchor/compare.ts';
import { continuesAnchor, describeStanding } from '../evidence/log/anchor/publish.ts';
import { listLogs } from '../evidence/log/log-store.ts';
import { type Mirror, MirrorUnreachable } from '../evidence/log/mirror/mirror.ts';
import { copyBlocks } from '../evidence/log/mirror/mirroring.ts';
import { MirrorWrong, readMirror } from '../evidence/log/mirror/read-mirror.ts';
import { howToReach, openAnchor, openMirror } from '../evidence/log/open-outside.ts';
import { ed25519 } from '../platform/ed25519.ts';
import { ConditionsIgnored } from '../platform/s3/object-store.ts';
import { sha256 } from '../platform/sha256.ts';
import { CommandError, defineCommand, EXIT, type ExitCode, usage } from './command.ts';
import { type CommandServices, withServices } from './services.ts';

export function requireMirror({ config }: CommandServices) {
  const anchor = openAnchor(config);
  const mirror = openMirror(config);
  if (anchor === null || mirror === null)
    throw usage(
      'set ACUSE_LOG_MIRROR and ACUSE_LOG_ANCHOR as the service has them: the one has the leaves, the other says which were published',
    );
  return { anchor, mirror };
}

export async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConditionsIgnored)
      throw new CommandError(EXIT.failed, 'conditions_ignored', error.message, { cause: error });
    if (!(error instanceof AnchorUnreachable || error instanceof MirrorUnreachable)) throw error;
    throw new CommandError(EXIT.unavailable, 'unavailable', `${error.message}: ${howToReach(error.place)}`, {
      cause: error,
    });
  }
}

interface Checked {
  readonly origin: string;
  readonly size: number;
  readonly state: 'whole' | 'lacks' | 'contradicts' | 'not_compared';
  readonly text: string;
}

export const mirrorCommand = defineCommand({
  name: 'log mirror',
  summary: 'Checks that the mirror has every leaf that was published (ACUSE_LOG_MIRROR)',
  details:
    'Reads the whole mirror, computes the tree from its leaves, and compares it with each checkpoint in it and with that of the anchor. With --fill, writes the leaves of the database into it first: once, when the mirror is configured for a service that has run without, or when the check finds something. Exit code 0: a database that is lost can be brought up to what was published; 1: the mirror says something else, or the database does not continue what was published and nothing can be filled from it; 4: it lacks leaves.',
  options: { fill: { type: 'boolean', doc: 'write what is missing or wrong in the mirror anew' } },
  examples: [
    'ACUSE_LOG_ANCHOR=/mnt/anchor ACUSE_LOG_MIRROR=/mnt/mirror acuse log mirror',
    'ACUSE_LOG_ANCHOR=/mnt/anchor ACUSE_LOG_MIRROR=/mnt/mirror acuse log mirror --fill',
  ],
  async run({ options, out, env }) {
    return withServices(env, 'log mirror', async (services) => {
      const { mirror } = requireMirror(services);
      const checked = await reaching(async () => {
        const all: Checked[] = [];
        for (const log of await listLogs(services.db))
          all.push(await checkLog(services, log, options.fill === true));
        return all;
      });
      out.answer({ mirror: mirror.place, logs: checked.map(({ text: _, ...each }) => each) }, () =>
        checked.map(({ state, text }) => `${state === 'whole' ? '✓' : '✗'} ${text}`),
      );
      return codeOf(checked);
    });
  },
});

async function checkLog(services: CommandServices, log: HeldLog, fill: boolean): Promise<Checked> {
  const { anchor, mirror } = requireMirror(services);
  const { standing, anchored } = await compareWithAnchor(services.db, anchor, log);
  const { origin } = log;
  if (anchored === null || standing.kind === 'fork') {
    const text = describeStanding(origin, anchor.place, standing);
    return standing.kind === 'new'
      ? { origin, size: 0, state: 'whole', text }
      : { origin, size: 0, state: 'not_compared', text };
  }
  const key = verifierKey(origin, log.publicKey, sha256);
  const { size } = openCheckpoint(anchored, [key], ed25519).checkpoint;
  if (fill) {
    if (!continuesAnchor(standing))
      return { origin, size, state: 'not_compared', text: describeStanding(origin, anchor.place, standing) };
    await copyBlocks(services.db, mirror, log, { from: 0, to: size });
  }
  return { origin, size, ...(await checkMirror(mirror, log, anchored, size)) };
}

async function checkMirror(
  mirror: Mirror,
  log: HeldLog,
  anchored: string,
  size: number,
): Promise<Pick<Checked, 'state' | 'text'>> {
  try {
    if (size > 0) await readMirror(mirror, log, { from: { size: 0, edge: [] }, upTo: anchored });
  } catch (error) {
    if (!(error instanceof MirrorWrong)) throw error;
    return { state: error.kind, text: `${error.message}; acuse log mirror --fill writes it anew` };
  }
  return {
    state: 'whole',
    text: `log ${log.origin}: the mirror at ${mirror.place} has all ${size} leaves that were published`,
  };
}

function codeOf(checked: readonly Checked[]): ExitCode {
  if (checked.some(({ state }) => state === 'contradicts' || state === 'not_compared')) return EXIT.failed;
  return checked.some(({ state }) => state === 'lacks') ? EXIT.differs : EXIT.ok;
}
