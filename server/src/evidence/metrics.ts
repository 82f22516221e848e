import { createSharedRead, type SharedReadOptions } from '../platform/database/shared-read.ts';
import { timeOf } from '../platform/ids.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type LogState, readLogState } from './metrics-store.ts';
import { readFirstEnd } from './renewal/renewal-store.ts';
import { listAuthorities } from './stamp/authority-store.ts';

export function addSealingMetrics(
  metrics: Metrics,
  deps: Pick<SharedReadOptions<unknown>, 'db' | 'clock'> & {
    logId: string;
    development: boolean;
  },
): void {
  const { clock, logId } = deps;
  const state = createSharedRead({ ...deps, read: (q) => readLogState(q, logId) });
  metrics.gauge('acuse_log_leaves', 'Leaves in the log.', async () => (await state())?.treeSize ?? 0);
  metrics.gauge(
    'acuse_log_stopped',
    '1: a witness has shown that the log was rolled back; it signs nothing more, and certified mail is refused. 0: it goes on.',
    async () => ((await state())?.isStopped ? 1 : 0),
  );
  metrics.gauge(
    'acuse_log_pending_leaves',
    'Leaves that no checkpoint covers yet, counted up to 10000.',
    async () => (await state())?.pendingLeaves ?? 0,
  );
  metrics.gauge(
    'acuse_stamp_queue_checkpoints',
    'Checkpoints that have no constancia yet, counted up to 10000.',
    async () => (await state())?.unstamped ?? 0,
  );
  metrics.gauge(
    'acuse_oldest_unsealed_seconds',
    'Age of the oldest leaf that has no constancia yet.',
    async () => oldestSeconds(await state(), clock.now()),
  );
  metrics.gauge(
    'acuse_sealing_development',
    '1: constancias come from the built-in development authority, which no third party trusts; 0: from configured authorities.',
    async () => (deps.development ? 1 : 0),
  );
  addAuthorityMetrics(metrics, deps);
}

function addAuthorityMetrics(metrics: Metrics, deps: Pick<SharedReadOptions<unknown>, 'db' | 'clock'>): void {
  const { clock } = deps;
  const cover = createSharedRead({
    ...deps,
    read: async (db) => ({ authorities: await listAuthorities(db), firstEnd: await readFirstEnd(db) }),
  });
  const secondsTo = (time: Date) => (time.getTime() - clock.now().getTime()) / 1_000;
  metrics.gauges(
    'acuse_authority_chain_ends_seconds',
    'Time until the first certificate ends in the chain of what a time-stamping authority sealed last.',
    'authority',
    async () =>
      Object.fromEntries(
        (await cover()).authorities.flatMap(({ name, chainNotAfter }) =>
          chainNotAfter === null ? [] : [[name, secondsTo(chainNotAfter)]],
        ),
      ),
  );
  metrics.gauges(
    'acuse_authority_failures',
    'Consecutive failures of a time-stamping authority; 0: its last answer was valid.',
    'authority',
    async () => {
      const { authorities } = await cover();
      return Object.fromEntries(authorities.map(({ name, failures }) => [name, failures]));
    },
  );
  metrics.gauge(
    'acuse_constancia_first_end_seconds',
    'Time until the first chain that a constancia rests on ends, renewals included; below 0: one was renewed too late.',
    async () => {
      const { firstEnd } = await cover();
      return firstEnd === null ? Number.POSITIVE_INFINITY : secondsTo(firstEnd);
    },
  );
}

function oldestSeconds(state: LogState | null, now: Date): number {
  const firsts = [state?.firstPendingLeaf, state?.firstUnstampedLeaf].filter((id) => id != null);
  const ages = firsts.map((id) => now.getTime() - timeOf(id).getTime());
  return Math.max(0, ...ages) / 1_000;
}
