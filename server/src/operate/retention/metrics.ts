import { createSharedRead, type SharedReadOptions } from '../../platform/database/shared-read.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { readOverdueSeconds } from './status-store.ts';
import type { Swept } from './sweep.ts';

interface RetentionMetrics {
  onSwept(content: Swept, records: Swept): void;
}

export function createRetentionMetrics(
  metrics: Metrics,
  deps: Pick<SharedReadOptions<unknown>, 'db' | 'clock'>,
): RetentionMetrics {
  const messages = metrics.counter(
    'acuse_retention_deleted_messages_total',
    'Plain messages whose content was deleted after its days.',
  );
  const bytes = metrics.counter(
    'acuse_retention_deleted_bytes_total',
    'Bytes of plain content deleted after its days.',
  );
  const records = metrics.counter(
    'acuse_retention_deleted_records_total',
    'Records of plain messages deleted after their days.',
  );
  const overdue = createSharedRead({ ...deps, read: readOverdueSeconds });
  metrics.gauge(
    'acuse_retention_overdue_seconds',
    'How long the longest overdue sweep of an account has been due.',
    overdue,
  );
  return {
    onSwept(content, gone) {
      messages.inc(content.messages);
      bytes.inc(content.bytes);
      records.inc(gone.messages);
    },
  };
}
