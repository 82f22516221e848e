import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Log } from '../../platform/logger.ts';
import type { Backlog } from '../../platform/queue/backlog.ts';
import { createScans, type Scans } from '../../platform/queue/scans.ts';
import { askTenants, findDueTenants, OLDEST_MAX, type TenantTurn } from './due-store.ts';

/** A worker's scans for tenants with due mail. */
export type TenantScans = Scans<string>;

interface TenantScansDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly backlog: Backlog;
  wake(): void;
}

export function createTenantScans(deps: TenantScansDeps): TenantScans {
  return createScans<string, TenantTurn>({
    ...deps,
    queue: 'delivery_queue',
    oldestMax: OLDEST_MAX,
    keyOf: (tenantId) => tenantId,
    find: findDueTenants,
    ask: (span, after, limit) => askTenants(deps.db, span, after?.tenant_id ?? null, limit),
    ownerOf: ({ tenant_id }) => tenant_id,
  });
}
