import { apiError } from '../../errors.ts';
import type { Db } from '../../platform/database/db.ts';
import { findTenant, type Tenant } from '../tenants/store.ts';
import { type Bag, monthOf, nextMonth } from './bag.ts';
import { readConstancias, readMonths, readUsage } from './store.ts';

const MICROS_PER_CENT = 1_000_000;

export interface BagUsage {
  used: number;
  quota: number;
  /** 0 when the quota was lowered below the use. */
  remaining: number;
  price_cents: number;
}

export interface Account {
  tenant: Tenant;
  usage: { month: string; resets_at: string } & Record<Bag, BagUsage> & {
      /** `cost_cents`: the share of all constancias' costs. */
      constancias: { on_demand: number; cost_cents: number };
    };
}

export async function readAccount(db: Db, tenantId: string, at: Date): Promise<Account> {
  const [tenant, used, constancias] = await db.asTenant(tenantId, (tx) =>
    Promise.all([
      findTenant(tx, tenantId),
      readUsage(tx, tenantId, monthOf(at)),
      readConstancias(tx, tenantId, monthOf(at)),
    ]),
  );
  if (tenant === null) throw apiError('not_found');
  return {
    tenant,
    usage: {
      month: monthOf(at).slice(0, 7),
      resets_at: nextMonth(at).toISOString(),
      certified: bagUsage(used.certified, tenant.quotaMessagesMonth, tenant.pricePerMessageCents),
      plain: bagUsage(used.plain, tenant.quotaPlainMessagesMonth, tenant.pricePerPlainMessageCents),
      constancias: {
        on_demand: constancias.onDemand,
        cost_cents: constancias.costMicros / MICROS_PER_CENT,
      },
    },
  };
}

function bagUsage(used: number, quota: number, priceCents: number): BagUsage {
  return { used, quota, remaining: Math.max(0, quota - used), price_cents: used * priceCents };
}

export interface MonthCost {
  readonly month: string;
  readonly certified: number;
  readonly certified_cents: number;
  readonly plain: number;
  readonly plain_cents: number;
  readonly total_cents: number;
  readonly on_demand: number;
  readonly sealing_cost_cents: number;
}

/** At the prices of today. */
export async function readMonthCosts(db: Db, tenantId: string, months: number): Promise<MonthCost[]> {
  const [tenant, used] = await db.asTenant(tenantId, (tx) =>
    Promise.all([findTenant(tx, tenantId), readMonths(tx, tenantId, months)]),
  );
  if (tenant === null) throw apiError('not_found');
  return used.map(({ month, certified, plain, onDemand, costMicros }) => {
    const certifiedCents = certified * tenant.pricePerMessageCents;
    const plainCents = plain * tenant.pricePerPlainMessageCents;
    return {
      month,
      certified,
      certified_cents: certifiedCents,
      plain,
      plain_cents: plainCents,
      total_cents: certifiedCents + plainCents,
      on_demand: onDemand,
      sealing_cost_cents: costMicros / MICROS_PER_CENT,
    };
  });
}
