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
    'Verified sending domains that lack a record, so that receivers cannot check their mail.',
    degraded,
  );
}
