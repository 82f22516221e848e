import { createCachedRead } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import { findSenderDomain, type SenderDomain } from './store.ts';

export type ReadSenderDomain = (
  tenantId: string,
  domain: string,
) => SenderDomain | null | Promise<SenderDomain | null>;

const TENANT_ID_CHARS = 36;

/** Caches verified domains only, so that a verification counts at once. */
export function createReadSenderDomain(deps: { db: Db; clock: Clock; changes: Changes }): ReadSenderDomain {
  const domains = createCachedRead<SenderDomain>({
    clock: deps.clock,
    read: (key) => findSenderDomain(deps.db, key.slice(0, TENANT_ID_CHARS), key.slice(TENANT_ID_CHARS)),
    keep: (domain) => domain.status === 'verified',
  });
  deps.changes.on('domain', domains.forgetPrefix);
  return (tenantId, domain) => domains.get(tenantId + domain);
}
