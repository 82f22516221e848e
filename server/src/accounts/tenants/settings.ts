import { type CachedRead, createCachedRead } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import { findTenant, type Tenant } from './store.ts';

export function createTenantSettings(deps: {
  db: Db;
  clock: Clock;
  changes: Changes;
}): CachedRead<Tenant>['get'] {
  const cache = createCachedRead<Tenant>({
    clock: deps.clock,
    read: (tenantId) => findTenant(deps.db, tenantId),
  });
  deps.changes.on('tenant', cache.forget);
  return cache.get;
}
