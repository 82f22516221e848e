import { scheduleStates } from '../messages/schedule-store.ts';
import type { Queryable } from '../platform/database/db.ts';
import { COUNTED_MAX, createSharedRead, type SharedReadOptions } from '../platform/database/shared-read.ts';
import { DURATION_BUCKETS, type Metrics } from '../platform/metrics.ts';
import { createTopLabels } from '../platform/top-labels.ts';
import { queueStates } from './claim/claim-store.ts';
import { limitOf } from './next-hop/warm-up.ts';
import { countHeldByCaps, listCaps, listCounts } from './operate/cap-store.ts';
import { countNotes } from './operate/note-store.ts';
import { countPauses } from './operate/pause-store.ts';
import { scopeText } from './operate/why-waiting.ts';
import type { Recorded } from './record/record.ts';
import type { ActResult } from './record/result.ts';
import type { ListenerOutcome } from './return-path/return-path-listener.ts';

export interface DeliveryMetrics {
  onRecorded(result: ActResult, recorded: Recorded): void;
  onReturned(outcome: ListenerOutcome): void;
}

/** Destinations with their own label: each costs one series per outcome. */
const DESTINATION_LABELS = 50;

const OUTCOMES = [
  ['sent', ''],
  ['deferred', ''],
  ...(['hard', 'soft', 'policy', 'expired', 'suppressed'] as const).map((type) => ['bounced', type] as const),
] as const;

export function createDeliveryMetrics(
  metrics: Metrics,
  deps: Pick<SharedReadOptions<unknown>, 'db' | 'clock'>,
): DeliveryMetrics {
  const attempts = metrics.counter(
    'acuse_delivery_attempts_total',
    'Delivery attempts by recipient domain (those with most; the rest as "other"), outcome and, for bounces, type.',
    ['destination', 'outcome', 'bounce_type'],
  );
  const seconds = metrics.histogram(
    'acuse_delivery_attempt_seconds',
    'How long attempts took, from their turn to the verdict.',
    DURATION_BUCKETS,
    ['outcome'],
  );
  const lost = metrics.counter(
    'acuse_delivery_lost_leases_total',
    'Results that came after their lease was lost and were not recorded.',
  );
  const duplicates = metrics.counter(
    'acuse_delivery_duplicates_total',
    'Messages that a server took from this process after another one had taken them over: their recipients may have them twice.',
  );
  const returned = metrics.counter(
    'acuse_return_path_mails_total',
    'Mail to the return path, by its effect.',
    ['outcome'],
  );
  const destinations = createTopLabels({
    size: DESTINATION_LABELS,
    onRemoved(destination) {
      for (const [outcome, type] of OUTCOMES) attempts.remove({ destination, outcome, bounce_type: type });
    },
  });
  addQueueMetrics(metrics, createSharedRead({ ...deps, read: queueStates }));
  addScheduleMetrics(metrics, createSharedRead({ ...deps, read: scheduleStates }));
  metrics.gauges(
    'acuse_delivery_pauses',
    'Destinations and accounts (tenant) that an operator paused.',
    'kind',
    createSharedRead({ ...deps, read: countPauses }),
  );
  metrics.gauges(
    'acuse_delivery_destination_notes',
    'Notes on destinations, learned from attempts or written by an operator.',
    'source',
    createSharedRead({ ...deps, read: countNotes }),
  );
  addCapMetrics(metrics, createSharedRead({ ...deps, read: (db) => capStates(db, deps.clock.now()) }));
  return {
    onRecorded(result, recorded) {
      if (recorded === 'duplicate') duplicates.inc();
      if (recorded !== 'recorded') lost.inc();
      else if (result.kind === 'attempted') {
        const { outcome } = result.decision;
        attempts.inc({
          destination: destinations.labelOf(result.item.destination),
          outcome: outcome.kind,
          bounce_type: outcome.kind === 'bounced' ? outcome.bounceType : '',
        });
        const ms = result.finishedAt.getTime() - result.startedAt.getTime();
        seconds.observe({ outcome: outcome.kind }, Math.max(0, ms) / 1_000);
      }
    },
    onReturned: (outcome) => returned.inc({ outcome }),
  };
}

/** Each count costs two series. */
const CAPS_SHOWN = 100;

async function capStates(db: Queryable, now: Date) {
  const caps = new Map((await listCaps(db, now)).map((cap) => [cap.cap_id, cap]));
  if (caps.size === 0) return { counts: [], held: 0 };
  const counts = (await listCounts(db, now, CAPS_SHOWN)).flatMap((count) => {
    const cap = caps.get(count.cap_id);
    return cap === undefined ? [] : [{ cap, count }];
  });
  return { counts, held: await countHeldByCaps(db, COUNTED_MAX) };
}

/** No metrics without caps. */
function addCapMetrics(metrics: Metrics, states: () => ReturnType<typeof capStates>): void {
  const labels = ['cap', 'of', 'receiver', 'period'] as const;
  const labelsOf = ({ cap, count }: Awaited<ReturnType<typeof capStates>>['counts'][number]) => ({
    ...{ cap: cap.cap_id, of: scopeText(cap), receiver: count.receiver, period: cap.period },
  });
  metrics.series(
    'acuse_delivery_cap_messages',
    'Messages used or reserved of a cap in its period; of a warm-up, on the last day with mail of each receiver.',
    labels,
    async () => (await states()).counts.map((each) => ({ labels: labelsOf(each), value: each.count.taken })),
  );
  metrics.series(
    'acuse_delivery_cap_limit',
    'Messages that a cap allows in its period; none where a warm-up is over.',
    labels,
    async () =>
      (await states()).counts.flatMap((each) => {
        const limit = limitOf(each.cap.steps, each.count.step);
        return limit === null ? [] : [{ labels: labelsOf(each), value: limit }];
      }),
  );
  metrics.gauge(
    'acuse_delivery_capped_messages',
    'Messages that wait for a cap, counted up to 10000.',
    async () => (await states()).held,
  );
}

/** Scheduled messages are not in the queue. */
function addScheduleMetrics(metrics: Metrics, states: () => ReturnType<typeof scheduleStates>): void {
  metrics.gauge(
    'acuse_scheduled_messages',
    'Messages that are accepted and not to be sent yet, counted up to 10000.',
    async () => (await states()).scheduled,
  );
  metrics.gauge(
    'acuse_schedule_overdue_seconds',
    'How long the longest due scheduled message has waited to be queued.',
    async () => (await states()).overdueSeconds,
  );
}

function addQueueMetrics(metrics: Metrics, states: () => ReturnType<typeof queueStates>): void {
  metrics.gauges(
    'acuse_delivery_queue_messages',
    'Messages to be delivered: due, held by a worker, or waiting for their next attempt; each counted up to 10000.',
    'state',
    async () => {
      const { due, held, waiting } = await states();
      return { due, held, waiting };
    },
  );
  metrics.gauge(
    'acuse_delivery_oldest_unsent_seconds',
    'Age of the oldest message that has neither been sent nor bounced.',
    async () => (await states()).oldestSeconds,
  );
}
