import type { Db } from '../platform/db.ts';
import { DURATION_BUCKETS, type Metrics } from '../platform/metrics.ts';
import type { Recorded } from './record.ts';
import type { ActResult } from './result.ts';
import type { ReturnOutcome } from './return-path.ts';
import { queueStates } from './store.ts';

/** What an operator sees of delivery: the queue as it is now, and what became of attempts and of mail that came back. */
export interface DeliveryMetrics {
  onRecorded(result: ActResult, recorded: Recorded): void;
  onReturned(outcome: ReturnOutcome): void;
}

export function createDeliveryMetrics(metrics: Metrics, db: Db): DeliveryMetrics {
  const attempts = metrics.counter(
    'acuse_delivery_attempts_total',
    'Delivery attempts by outcome (sent, deferred, bounced), and for bounces by type.',
    ['outcome', 'bounce_type'],
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
  const returned = metrics.counter(
    'acuse_return_path_mails_total',
    'Mail to the return path, by what it did.',
    ['outcome'],
  );
  metrics.gauges(
    'acuse_delivery_queue_messages',
    'Messages to be delivered: due, held by a worker, or waiting for their next attempt.',
    'state',
    async () => {
      const { due, held, waiting } = await queueStates(db);
      return { due, held, waiting };
    },
  );
  metrics.gauge(
    'acuse_delivery_oldest_unsent_seconds',
    'Age of the oldest message that has neither been sent nor bounced.',
    async () => (await queueStates(db)).oldestSeconds,
  );
  return {
    onRecorded(result, recorded) {
      if (recorded === 'lost_lease') lost.inc();
      else if (result.kind === 'attempted') {
        const { outcome } = result.decision;
        const bounceType = outcome.kind === 'bounced' ? outcome.bounceType : '';
        attempts.inc({ outcome: outcome.kind, bounce_type: bounceType });
        const ms = result.finishedAt.getTime() - result.startedAt.getTime();
        seconds.observe({ outcome: outcome.kind }, Math.max(0, ms) / 1_000);
      }
    },
    onReturned: (outcome) => returned.inc({ outcome }),
  };
}
