import { apiError } from '../../errors.ts';
import type { ChangeDeps } from '../../platform/database/changes.ts';
import type { Tx } from '../../platform/database/db.ts';
import { isId, newId } from '../../platform/ids.ts';
import {
  type AccountSettings,
  findTenant,
  insertTenant,
  listTenants,
  lockTenant,
  type Tenant,
  type TenantChange,
  type TenantFilter,
  updateTenant,
} from './store.ts';

export const DEFAULT_SETTINGS: AccountSettings = {
  defaultCertified: true,
  requireReadyDomains: false,
  plainRecordDays: null,
  quotaMessagesMonth: 10_000,
  quotaPlainMessagesMonth: 100_000,
  pricePerMessageCents: 0,
  pricePerPlainMessageCents: 0,
};

const NAME_MAX_CHARS = 200;
const PRICE_MAX_CENTS = 2_147_483_647;
const RECORD_DAYS_MAX = 36_500;

export async function createTenant(
  deps: ChangeDeps,
  input: { name: string; sandbox?: boolean } & Partial<AccountSettings>,
): Promise<Tenant> {
  const { name, sandbox = false, ...settings } = input;
  check({ name, ...settings });
  const at = deps.clock.now();
  const tenant: Tenant = {
    ...DEFAULT_SETTINGS,
    ...settings,
    name,
    sandbox,
    sourcePool: null,
    tenantId: newId(at.getTime()),
    status: 'active',
    createdAt: at,
    updatedAt: at,
  };
  await deps.db.transact((tx) => insertTenant(tx, tenant));
  return tenant;
}

/** Missing fields are unchanged. At once here, within 2 s elsewhere. Throws not_found, invalid_parameter. */
export async function changeTenant(
  deps: ChangeDeps,
  tenantId: string,
  change: TenantChange,
): Promise<Tenant> {
  return (await changeTenantFrom(deps, tenantId, change)).after;
}

interface TenantChanged {
  readonly before: Tenant;
  readonly after: Tenant;
}

/** Returns the previous values, too. `record` runs in the same transaction. */
export async function changeTenantFrom(
  deps: ChangeDeps,
  tenantId: string,
  change: TenantChange,
  record?: (tx: Tx, changed: TenantChanged) => Promise<void>,
): Promise<TenantChanged> {
  check(change);
  const changed = isId(tenantId)
    ? await deps.db.transact(async (tx) => {
        const before = await lockTenant(tx, tenantId);
        const after = await updateTenant(tx, tenantId, change, deps.clock.now());
        if (before === null || after === null) return null;
        await record?.(tx, { before, after });
        return { before, after };
      })
    : null;
  if (changed === null) throw apiError('not_found', `No account has the id ${tenantId}.`);
  await deps.changes.announce('tenant', tenantId);
  return changed;
}

export async function readTenant(deps: Pick<ChangeDeps, 'db'>, tenantId: string): Promise<Tenant> {
  const tenant = isId(tenantId) ? await findTenant(deps.db, tenantId) : null;
  if (tenant === null) throw apiError('not_found', `No account has the id ${tenantId}.`);
  return tenant;
}

export function readTenants(
  deps: Pick<ChangeDeps, 'db'>,
  before: string | null,
  limit: number,
  filter: TenantFilter = { named: null, status: null },
): Promise<Tenant[]> {
  return listTenants(deps.db, filter, before, limit);
}

function check(change: TenantChange): void {
  if (change.name !== undefined && (change.name.trim() === '' || change.name.length > NAME_MAX_CHARS)) {
    throw apiError('invalid_parameter', `name must have 1 to ${NAME_MAX_CHARS} characters.`);
  }
  checkWhole('quota_messages_month', change.quotaMessagesMonth, Number.MAX_SAFE_INTEGER);
  checkWhole('quota_plain_messages_month', change.quotaPlainMessagesMonth, Number.MAX_SAFE_INTEGER);
  checkWhole('price_per_message_cents', change.pricePerMessageCents, PRICE_MAX_CENTS);
  checkWhole('price_per_plain_message_cents', change.pricePerPlainMessageCents, PRICE_MAX_CENTS);
  checkWhole('plain_record_days', change.plainRecordDays ?? undefined, RECORD_DAYS_MAX, 1);
}

function checkWhole(name: string, value: number | undefined, max: number, min = 0): void {
  if (value !== undefined && (!Number.isInteger(value) || value < min || value > max)) {
    throw apiError('invalid_parameter', `${name} must be a whole number from ${min} to ${max}.`);
  }
}
