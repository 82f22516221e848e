import { DEFAULT_POOL, type SourcePool } from '../../config/config-values.ts';
import type { Tenant } from './store.ts';

export function presentTenant(tenant: Tenant) {
  return {
    id: tenant.tenantId,
    name: tenant.name,
    status: tenant.status,
    sandbox: tenant.sandbox,
    source_pool: tenant.sourcePool ?? DEFAULT_POOL,
    default_certified: tenant.defaultCertified,
    quota_messages_month: tenant.quotaMessagesMonth,
    quota_plain_messages_month: tenant.quotaPlainMessagesMonth,
    price_per_message_cents: tenant.pricePerMessageCents,
    price_per_plain_message_cents: tenant.pricePerPlainMessageCents,
    require_ready_domains: tenant.requireReadyDomains,
    plain_record_days: tenant.plainRecordDays,
    created_at: tenant.createdAt.toISOString(),
  };
}

/**
 * The stored name of a pool, null for the default one; `unknown` lists the pools. A misspelt pool would hold
 * back all mail of the account, so it is refused here.
 */
export function readSourcePool(
  name: string,
  pools: readonly SourcePool[],
): { readonly pool: string | null } | { readonly unknown: string } {
  if (name === DEFAULT_POOL) return { pool: null };
  if (pools.some((pool) => pool.name === name)) return { pool: name };
  const known = [...new Set([DEFAULT_POOL, ...pools.map((pool) => pool.name)])].join(', ');
  return { unknown: `ACUSE_SOURCE_POOLS has no pool "${name}"; it has ${known}` };
}
