import { timeOf } from '../platform/ids.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createSharedRead, type SharedReadOptions } from '../platform/shared-read.ts';
import { type LogState, readLogState } from './metrics-store.ts';

/** What an operator sees of sealing: how far the log and its constancias are behind. */
export function addSealingMetrics(
  metrics: Metrics,
  deps: Pick<SharedReadOptions<unknown>, 'db' | 'clock'> & { logId: string },
): void {
  const { clock, logId } = deps;
  const state = createSharedRead({ ...deps, read: (q) => readLogState(q, logId) });
  metrics.gauge('acuse_log_leaves', 'Leaves in the log.', async () => (await state())?.treeSize ?? 0);
  metrics.gauge(
    'acuse_log_pending_leaves',
    'Leaves that no checkpoint covers yet.',
    async () => (await state())?.pendingLeaves ?? 0,
  );
  metrics.gauge(
    'acuse_stamp_queue_checkpoints',
    'Checkpoints that have no constancia yet.',
    async () => (await state())?.unstamped ?? 0,
  );
  metrics.gauge(
    'acuse_oldest_unsealed_seconds',
    'Age of the oldest leaf that has no constancia yet.',
    async () => oldestSeconds(await state(), clock.now()),
  );
}

function oldestSeconds(state: LogState | null, now: Date): number {
  const firsts = [state?.firstPendingLeaf, state?.firstUnstampedLeaf].filter((id) => id != null);
  const ages = firsts.map((id) => now.getTime() - timeOf(id).getTime());
  return Math.max(0, ...ages) / 1_000;
}
