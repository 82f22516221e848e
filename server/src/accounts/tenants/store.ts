import type { Queryable, Tx } from '../../platform/database/db.ts';
import { first } from '../../platform/database/rows.ts';

/** suspended: for now; deactivated: closed. Both refuse every request. */
export type TenantStatus = 'active' | 'suspended' | 'deactivated';

export interface AccountSettings {
  defaultCertified: boolean;
  quotaMessagesMonth: number;
  quotaPlainMessagesMonth: number;
  pricePerMessageCents: number;
  pricePerPlainMessageCents: number;
  /** Refuses domains that are verified and not ready. */
  requireReadyDomains: boolean;
  plainRecordDays: number | null;
}

export interface Tenant extends AccountSettings {
  tenantId: string;
  name: string;
  status: TenantStatus;
  /** Only to the test mailbox. */
  sandbox: boolean;
  /** Null: the default pool. */
  sourcePool: string | null;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `tenant_id as "tenantId", name, status, sandbox, created_at as "createdAt",
  updated_at as "updatedAt",
  default_certified as "defaultCertified", quota_messages_month as "quotaMessagesMonth",
    quota_plain_messages_month as "quotaPlainMessagesMonth",
  price_per_message_cents as "pricePerMessageCents", price_per_plain_message_cents as
    "pricePerPlainMessageCents", source_pool as "sourcePool",
  require_ready_domains as "requireReadyDomains", plain_record_days as "plainRecordDays"`;

export async function insertTenant(tx: Tx, tenant: Tenant): Promise<void> {
  await tx.execute(
    `insert into tenants (tenant_id, name, status, sandbox, created_at, updated_at, default_certified,
      quota_messages_month,
       quota_plain_messages_month, price_per_message_cents, price_per_plain_message_cents, source_pool,
       require_ready_domains, plain_record_days)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      tenant.tenantId,
      tenant.name,
      tenant.status,
      tenant.sandbox,
      tenant.createdAt,
      tenant.updatedAt,
      tenant.defaultCertified,
      tenant.quotaMessagesMonth,
      tenant.quotaPlainMessagesMonth,
      tenant.pricePerMessageCents,
      tenant.pricePerPlainMessageCents,
      tenant.sourcePool,
      tenant.requireReadyDomains,
      tenant.plainRecordDays,
    ],
  );
}

/** In no list of accounts. */
export async function markInternal(tx: Tx, tenantId: string): Promise<void> {
  await tx.execute('update tenants set internal = true where tenant_id = $1', [tenantId]);
}

export function findTenant(db: Queryable, tenantId: string): Promise<Tenant | null> {
  return first<Tenant>(db, `select ${COLUMNS} from tenants where tenant_id = $1`, [tenantId], 'find_tenant');
}

export function listTenantNames(
  db: Queryable,
  tenantIds: readonly string[],
): Promise<{ tenantId: string; name: string }[]> {
  return db.query<{ tenantId: string; name: string }>(
    'select tenant_id as "tenantId", name from tenants where tenant_id = any ($1::uuid[])',
    [tenantIds],
  );
}

export async function hasRealAccounts(db: Queryable): Promise<boolean> {
  const rows = await db.query('select 1 from tenants where not sandbox and not internal limit 1');
  return rows.length > 0;
}

export function lockTenant(tx: Tx, tenantId: string): Promise<Tenant | null> {
  return first<Tenant>(tx, `select ${COLUMNS} from tenants where tenant_id = $1 for no key update`, [
    tenantId,
  ]);
}

export interface TenantFilter {
  readonly named: string | null;
  readonly status: TenantStatus | null;
}

export function listTenants(
  db: Queryable,
  { named, status }: TenantFilter,
  before: string | null,
  limit: number,
): Promise<Tenant[]> {
  return db.query<Tenant>(
    `select ${COLUMNS} from tenants
      where not internal and ($1::uuid is null or tenant_id < $1) and ($4::text is null or status = $4)
        and ($3::text is null or strpos(lower(name), lower($3)) > 0 or tenant_id::text = lower($3))
      order by tenant_id desc limit $2`,
    [before, limit, named, status],
  );
}

export type TenantChange = Partial<AccountSettings & Pick<Tenant, 'name' | 'status' | 'sourcePool'>>;

export async function updateTenant(
  tx: Tx,
  tenantId: string,
  change: TenantChange,
  at: Date,
): Promise<Tenant | null> {
  const rows = await tx.query<Tenant>(
    `update tenants
        set name = coalesce($2, name), status = coalesce($3, status),
            default_certified = coalesce($4, default_certified),
            quota_messages_month = coalesce($5, quota_messages_month),
            quota_plain_messages_month = coalesce($6, quota_plain_messages_month),
            price_per_message_cents = coalesce($7, price_per_message_cents),
            price_per_plain_message_cents = coalesce($8, price_per_plain_message_cents),
            source_pool = case when $10 then $11 else source_pool end,
            require_ready_domains = coalesce($12, require_ready_domains),
            plain_record_days = case when $13 then $14 else plain_record_days end, updated_at = $9
      where tenant_id = $1 returning ${COLUMNS}`,
    [
      tenantId,
      change.name ?? null,
      change.status ?? null,
      change.defaultCertified ?? null,
      change.quotaMessagesMonth ?? null,
      change.quotaPlainMessagesMonth ?? null,
      change.pricePerMessageCents ?? null,
      change.pricePerPlainMessageCents ?? null,
      at,
      change.sourcePool !== undefined,
      change.sourcePool ?? null,
      change.requireReadyDomains ?? null,
      change.plainRecordDays !== undefined,
      change.plainRecordDays ?? null,
    ],
  );
  if (rows[0] !== undefined && change.status !== undefined)
    tx.note({ kind: 'account_status', tenant_id: tenantId, status: rows[0].status });
  return rows[0] ?? null;
}
