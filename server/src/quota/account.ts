import { apiError } from '../errors.ts';
import type { Db } from '../platform/db.ts';
import { findTenant, type Tenant } from '../tenants/store.ts';
import { type Bag, monthOf, nextMonth } from './bag.ts';
import { readUsage } from './store.ts';

export interface BagUsage {
  used: number;
  quota: number;
  /** 0 when the quota was lowered below what is used. */
  remaining: number;
  /** Price of what is used, in cents. */
  price_cents: number;
}

/** An account with what it has used this month. */
export interface Account {
  tenant: Tenant;
  usage: { month: string; resets_at: string } & Record<Bag, BagUsage>;
}

/** Reads the caller's own account: state, settings, usage of both bags with their price. */
export async function readAccount(db: Db, tenantId: string, at: Date): Promise<Account> {
  const [tenant, used] = await db.asTenant(tenantId, (tx) =>
    Promise.all([findTenant(tx, tenantId), readUsage(tx, tenantId, monthOf(at))]),
  );
  if (tenant === null) throw apiError('not_found');
  return {
    tenant,
    usage: {
      month: monthOf(at).slice(0, 7),
      resets_at: nextMonth(at).toISOString(),
      certified: bagUsage(used.certified, tenant.quotaMessagesMonth, tenant.pricePerMessageCents),
      plain: bagUsage(used.plain, tenant.quotaPlainMessagesMonth, tenant.pricePerPlainMessageCents),
    },
  };
}

function bagUsage(used: number, quota: number, priceCents: number): BagUsage {
  return { used, quota, remaining: Math.max(0, quota - used), price_cents: used * priceCents };
}
