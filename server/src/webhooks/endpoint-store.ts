import type { Queryable, Tx } from '../platform/db.ts';

export interface EndpointRow {
  webhook_id: string;
  url: string;
  events: string[];
  description: string | null;
  enabled: boolean;
  disabled_reason: 'gone' | 'failing' | 'manual' | null;
  failing_since: Date | null;
  previous_secret_until: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** An endpoint with its sealed secrets, for signing. */
export interface SigningRow extends EndpointRow {
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
}

const COLUMNS =
  'webhook_id, url, events, description, enabled, disabled_reason, failing_since, previous_secret_until, created_at, updated_at';

/** Locks the tenant's row, so that counting its endpoints and adding one is one step. */
export async function lockTenantEndpoints(tx: Tx, tenantId: string): Promise<number> {
  await tx.query('select 1 from tenants where tenant_id = $1 for update', [tenantId]);
  const rows = await tx.query<{ count: number }>(
    'select count(*) from webhook_endpoints where tenant_id = $1',
    [tenantId],
  );
  return rows[0]!.count;
}

export interface NewEndpoint {
  tenantId: string;
  webhookId: string;
  url: string;
  events: readonly string[];
  description: string | null;
  secretSealed: Uint8Array;
  at: Date;
}

export async function insertEndpoint(tx: Tx, endpoint: NewEndpoint): Promise<EndpointRow> {
  const rows = await tx.query<EndpointRow>(
    `insert into webhook_endpoints (tenant_id, webhook_id, url, events, description, secret_sealed, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) returning ${COLUMNS}`,
    [
      endpoint.tenantId,
      endpoint.webhookId,
      endpoint.url,
      endpoint.events,
      endpoint.description,
      endpoint.secretSealed,
      endpoint.at.toISOString(),
    ],
  );
  return rows[0]!;
}

export async function findEndpoint(
  db: Queryable,
  tenantId: string,
  webhookId: string,
): Promise<EndpointRow | null> {
  const rows = await db.query<EndpointRow>(
    `select ${COLUMNS} from webhook_endpoints where tenant_id = $1 and webhook_id = $2`,
    [tenantId, webhookId],
  );
  return rows[0] ?? null;
}

export async function findSigning(
  db: Queryable,
  tenantId: string,
  webhookId: string,
): Promise<SigningRow | null> {
  const rows = await db.query<SigningRow>(
    `select ${COLUMNS}, secret_sealed, previous_secret_sealed from webhook_endpoints where tenant_id = $1 and webhook_id = $2`,
    [tenantId, webhookId],
  );
  return rows[0] ?? null;
}

/** Newest first; `after` is the id that the previous page ended with. */
export function listEndpoints(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<EndpointRow[]> {
  return db.query<EndpointRow>(
    `select ${COLUMNS} from webhook_endpoints where tenant_id = $1 and ($2::uuid is null or webhook_id < $2)
      order by webhook_id desc limit $3`,
    [tenantId, after, limit],
  );
}

export interface EndpointChange {
  url: string | null;
  events: readonly string[] | null;
  /** Undefined: as it is; null: none. */
  description: string | null | undefined;
  enabled: boolean | null;
}

/** Switching an endpoint on again forgets its failures. */
export async function updateEndpoint(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  change: EndpointChange,
  at: Date,
): Promise<EndpointRow | null> {
  const rows = await tx.query<EndpointRow>(
    `update webhook_endpoints set url = coalesce($3, url), events = coalesce($4::text[], events),
            description = case when $5 then $6 else description end, enabled = coalesce($7, enabled),
            disabled_reason = case when $7 is null then disabled_reason when $7 then null else coalesce(disabled_reason, 'manual') end,
            failing_since = case when $7 then null else failing_since end, updated_at = $8
      where tenant_id = $1 and webhook_id = $2 returning ${COLUMNS}`,
    [
      tenantId,
      webhookId,
      change.url,
      change.events,
      change.description !== undefined,
      change.description ?? null,
      change.enabled,
      at.toISOString(),
    ],
  );
  return rows[0] ?? null;
}

export function deleteEndpoint(tx: Tx, tenantId: string, webhookId: string): Promise<number> {
  return tx.execute('delete from webhook_endpoints where tenant_id = $1 and webhook_id = $2', [
    tenantId,
    webhookId,
  ]);
}

/** The secret becomes the previous one, valid until `until`; the new one takes its place. */
export async function rotateSecret(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  secretSealed: Uint8Array,
  until: Date,
  at: Date,
): Promise<EndpointRow | null> {
  const rows = await tx.query<EndpointRow>(
    `update webhook_endpoints set previous_secret_sealed = secret_sealed, previous_secret_until = $4, secret_sealed = $3, updated_at = $5
      where tenant_id = $1 and webhook_id = $2 returning ${COLUMNS}`,
    [tenantId, webhookId, secretSealed, until.toISOString(), at.toISOString()],
  );
  return rows[0] ?? null;
}

/** Endpoints that are told of events of these tenants now. */
export function findSubscribers(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<{ tenant_id: string; webhook_id: string; events: string[] }[]> {
  return tx.query(
    'select tenant_id, webhook_id, events from webhook_endpoints where tenant_id = any ($1::uuid[]) and enabled',
    [tenantIds],
    'find_subscribers',
  );
}
