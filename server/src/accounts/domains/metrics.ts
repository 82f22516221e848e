import { createSharedRead, type SharedReadOptions } from '../../platform/database/shared-read.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { countDegradedDomains } from './trouble-store.ts';

export function createDomainMetrics(
  metrics: Metrics,
  deps: Pick<SharedReadOptions<unknown>, 'db' | 'clock'>,
): void {
  const degraded = createSharedRead({ ...deps, read: countDegradedDomains });
  metrics.gauge(
    'acuse_domains_degraded',
    'Sending domains that are verified and whose mail receivers cannot check: a record is missing.',
    degraded,
  );
}
