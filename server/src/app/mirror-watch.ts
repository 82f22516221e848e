import { MirrorUnreachable } from '../evidence/log/mirror/mirror.ts';
import { countMirrored } from '../evidence/log/mirror/mirror-progress.ts';
import { readHead } from '../evidence/log/sequence-store.ts';
import type { Repeating } from '../platform/every.ts';
import { keepWatch } from './keep-watch.ts';
import type { Services } from './services.ts';

const LOOK_EVERY_MS = 5_000;
/** Largest lag that is measured: 16 384 leaves. */
const BLOCKS_LOOKED_AT = 64;

type Watching = Pick<
  Services,
  'config' | 'db' | 'clock' | 'log' | 'metrics' | 'logSigner' | 'mirrorStored' | 'recovery'
>;

export function watchMirror(
  { config, db, clock, log, metrics, logSigner, mirrorStored: mirror, recovery }: Watching,
  everyMs = LOOK_EVERY_MS,
): Repeating | null {
  if (mirror === null || recovery !== null || !config.roles.includes('sealing')) return null;
  const { logId, origin } = logSigner;
  let size = 0;
  let copied = 0;
  let completeMs = clock.monotonicMs();
  const look = async () => {
    const head = await db.transact((tx) => readHead(tx, logId));
    size = head?.treeSize ?? 0;
    copied = await countMirrored(mirror, origin, size, { blocks: BLOCKS_LOOKED_AT });
    if (copied >= size) completeMs = clock.monotonicMs();
  };
  const watch = keepWatch(everyMs, look, {
    isAway: (error) => error instanceof MirrorUnreachable,
    onFailed: (error) => log.warn({ err: error, mirror: mirror.place }, 'the mirror could not be checked'),
  });
  metrics.gauge(
    'acuse_log_mirror_behind_leaves',
    'Leaves of the log that its mirror lacked at the last check of its newest files, counted up to 16384; those that wait for a mirror that is away are in acuse_log_pending_leaves.',
    () => Math.max(0, size - copied),
  );
  metrics.gauge(
    'acuse_log_mirror_complete_age_seconds',
    'Time since the mirror was last seen to have every leaf of the log, or since the start; below 10 it has them.',
    () => (clock.monotonicMs() - completeMs) / 1_000,
  );
  return watch.looking;
}
