import { createSharedRead, type SharedReadOptions } from '../platform/database/shared-read.ts';
import { DURATION_BUCKETS, type Metrics } from '../platform/metrics.ts';
import type { Attempted } from './attempt.ts';
import { readBacklog } from './metrics-store.ts';

export interface WebhookMetrics {
  onRecorded(group: readonly Attempted[]): void;
}

export function createWebhookMetrics(
  metrics: Metrics,
  deps: Pick<SharedReadOptions<unknown>, 'db' | 'clock'>,
): WebhookMetrics {
  const attempts = metrics.counter(
    'acuse_webhook_attempts_total',
    'Webhook delivery attempts: delivered, to be retried, failed for good, or gone (410).',
    ['outcome'],
  );
  const seconds = metrics.histogram(
    'acuse_webhook_attempt_seconds',
    'Time that endpoints took to answer.',
    DURATION_BUCKETS,
  );
  const backlog = createSharedRead({ ...deps, read: readBacklog });
  metrics.gauges(
    'acuse_webhook_queue_deliveries',
    'Webhook deliveries still to be made: due, held by a worker, or waiting for their next attempt; each counted up to 10000.',
    'state',
    async () => {
      const { due, held, waiting } = await backlog();
      return { due, held, waiting };
    },
  );
  metrics.gauge(
    'acuse_webhook_overdue_seconds',
    'How long the longest overdue webhook delivery has been due.',
    async () => (await backlog()).overdueSeconds,
  );
  return {
    onRecorded(group) {
      for (const { outcome, durationMs } of group) {
        if (outcome.kind === 'released') continue;
        attempts.inc({ outcome: outcome.kind });
        seconds.observe(durationMs / 1_000);
      }
    },
  };
}
