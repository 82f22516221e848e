import type { Queryable, Tx } from '../platform/database/db.ts';
import { ofThese } from '../platform/database/of-these.ts';
import { changed, first } from '../platform/database/rows.ts';
import type { SealedSecrets } from './secrets.ts';

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

/** With sealed secrets, for signing. */
type SigningRow = EndpointRow & SealedSecrets;

const COLUMNS =
  'webhook_id, url, events, description, enabled, disabled_reason, failing_since, previous_secret_until, created_at, updated_at';

/** Counts and locks against concurrent creation. Sends continue: they lock nothing of the tenant. */
export async function countAndLockEndpoints(tx: Tx, tenantId: string): Promise<number> {
  await tx.query('select 1 from tenants where tenant_id = $1 for no key update', [tenantId]);
  const rows = await tx.query<{ count: number }>(
    'select count(*) from webhook_endpoints where tenant_id = $1',
    [tenantId],
  );
  return rows[0]!.count;
}

interface NewEndpoint {
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
    `insert into webhook_endpoints (tenant_id, webhook_id, url, events, description, secret_sealed,
      created_at, updated_at)
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

export function findEndpoint(
  db: Queryable,
  tenantId: string,
  webhookId: string,
): Promise<EndpointRow | null> {
  return first<EndpointRow>(
    db,
    `select ${COLUMNS} from webhook_endpoints where tenant_id = $1 and webhook_id = $2`,
    [tenantId, webhookId],
  );
}

export function findSigning(db: Queryable, tenantId: string, webhookId: string): Promise<SigningRow | null> {
  return first<SigningRow>(
    db,
    `select ${COLUMNS}, secret_sealed, previous_secret_sealed from webhook_endpoints where tenant_id = $1 and webhook_id = $2`,
    [tenantId, webhookId],
  );
}

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

export interface AnsweredEndpointRow extends EndpointRow {
  last_attempt_at: Date | null;
  last_status_code: number | null;
  last_error: string | null;
}

/** Newest deliveries of an endpoint among which its last attempt is looked for. */
const ANSWERS_SCANNED_MAX = 200;

/** Each part names the tenant again: only so Citus finds the node of a nested query. */
export function listAnsweredEndpoints(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<AnsweredEndpointRow[]> {
  return db.query<AnsweredEndpointRow>(
    `select ${COLUMNS}, a.started_at as last_attempt_at, a.status_code as last_status_code,
            a.error as last_error
       from webhook_endpoints e
       left join lateral (
         select t.started_at, t.status_code, t.error
           from (select delivery_id from webhook_deliveries
                  where tenant_id = $1 and webhook_id = e.webhook_id
                  order by delivery_id desc limit $4) d
           join webhook_attempts t on t.tenant_id = $1 and t.delivery_id = d.delivery_id
          order by t.started_at desc limit 1) a on true
      where e.tenant_id = $1 and ($2::uuid is null or e.webhook_id < $2)
      order by e.webhook_id desc limit $3`,
    [tenantId, after, limit, ANSWERS_SCANNED_MAX],
  );
}

interface EndpointChange {
  url: string | null;
  events: readonly string[] | null;
  /** Undefined: unchanged; null: none. */
  description: string | null | undefined;
  enabled: boolean | null;
}

/** Enabling an endpoint or changing its URL forgets its failures. */
export function updateEndpoint(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  change: EndpointChange,
  at: Date,
): Promise<EndpointRow | null> {
  return first<EndpointRow>(
    tx,
    `update webhook_endpoints set url = coalesce($3, url), events = coalesce($4::text[], events),
            description = case when $5 then $6 else description end, enabled = coalesce($7, enabled),
            disabled_reason = case when $7 is null then disabled_reason when $7 then null else
              coalesce(disabled_reason, 'manual') end,
            failing_since = case when $7 or url <> $3 then null else failing_since end, updated_at = $8
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
}

export function deleteEndpoint(tx: Tx, tenantId: string, webhookId: string): Promise<boolean> {
  return changed(tx, 'delete from webhook_endpoints where tenant_id = $1 and webhook_id = $2', [
    tenantId,
    webhookId,
  ]);
}

/** Deletes these endpoints; returns those that existed. */
export function deleteEndpoints(
  tx: Tx,
  tenantId: string,
  webhookIds: readonly string[],
): Promise<{ webhookId: string; url: string }[]> {
  return tx.query<{ webhookId: string; url: string }>(
    `delete from webhook_endpoints where tenant_id = $1 and webhook_id = any ($2)
     returning webhook_id as "webhookId", url`,
    [tenantId, webhookIds],
  );
}

/** The present secret becomes the previous one, valid until `until`. */
export function rotateSecret(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  { secretSealed, until, at }: { readonly secretSealed: Uint8Array; readonly until: Date; readonly at: Date },
): Promise<EndpointRow | null> {
  return first<EndpointRow>(
    tx,
    `update webhook_endpoints set previous_secret_sealed = secret_sealed, previous_secret_until = $4,
      secret_sealed = $3, updated_at = $5
      where tenant_id = $1 and webhook_id = $2 returning ${COLUMNS}`,
    [tenantId, webhookId, secretSealed, until.toISOString(), at.toISOString()],
  );
}

export interface Subscriber {
  tenant_id: string;
  webhook_id: string;
  events: string[];
  sandbox: boolean;
}

/** Enabled endpoints of these tenants. */
export function findSubscribers(tx: Tx, tenantIds: readonly string[]): Promise<Subscriber[]> {
  // A generic plan for one tenant; a list would be planned each time.
  if (tenantIds.length === 1)
    return tx.query(SUBSCRIBERS('= $1::uuid'), [tenantIds[0]], 'find_subscribers_of_one');
  return tx.query(SUBSCRIBERS('= any ($1::uuid[])'), [tenantIds], 'find_subscribers');
}

const SUBSCRIBERS = (which: string) =>
  `select e.tenant_id, e.webhook_id, e.events, t.sandbox
     from webhook_endpoints e join tenants t on t.tenant_id = e.tenant_id
    where e.tenant_id ${which} and e.enabled`;

export interface Receiver extends SealedSecrets {
  url: string;
}

/** Null: off or deleted. */
export function findReceiver(db: Queryable, tenantId: string, webhookId: string): Promise<Receiver | null> {
  return first<Receiver>(
    db,
    `select webhook_id, url, secret_sealed, previous_secret_sealed, previous_secret_until
       from webhook_endpoints where tenant_id = $1 and webhook_id = $2 and enabled`,
    [tenantId, webhookId],
    'find_webhook_receiver',
  );
}

/** The results of a group of attempts for an endpoint. */
export interface EndpointMark {
  readonly tenantId: string;
  readonly webhookId: string;
  /** The URL tried: a failure of an old URL does not count for a new one. */
  readonly url: string;
  readonly ok: boolean;
  readonly gone: boolean;
  readonly at: Date;
}

/** A success resets the failures, the first failure starts them. Not awaited: see Tx.send. */
export function markEndpoints(tx: Tx, marks: readonly EndpointMark[]): void {
  tx.send(
    `update webhook_endpoints e set failing_since = case when g.ok then null else g.at end
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::boolean[], $5::timestamptz[]) as g (tenant_id,
         webhook_id, url, ok, at)
      where e.tenant_id = g.tenant_id${ofThese(tx, 'e.tenant_id')} and e.webhook_id = g.webhook_id and e.url = g.url and (e.failing_since
        is null) <> g.ok`,
    [
      marks.map((it) => it.tenantId),
      marks.map((it) => it.webhookId),
      marks.map((it) => it.url),
      marks.map((it) => it.ok),
      marks.map((it) => it.at.toISOString()),
    ],
    'mark_webhook_endpoints',
  );
}

export interface DisabledEndpoint {
  tenant_id: string;
  webhook_id: string;
  disabled_reason: 'gone' | 'failing';
}

/** Disables endpoints that answered 410 or only failed for `failingMaxMs`; returns them. */
export function disableEndpoints(
  tx: Tx,
  marks: readonly EndpointMark[],
  failingMaxMs: number,
): Promise<DisabledEndpoint[]> {
  return tx.query<DisabledEndpoint>(
    `update webhook_endpoints e
        set enabled = false, disabled_reason = case when g.gone then 'gone' else 'failing' end,
            updated_at = g.at
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::boolean[], $5::timestamptz[], $6::timestamptz[])
              as g (tenant_id, webhook_id, url, gone, at, failing_from)
      where e.tenant_id = g.tenant_id${ofThese(tx, 'e.tenant_id')} and e.webhook_id = g.webhook_id and e.url = g.url and e.enabled
        and (g.gone or e.failing_since <= g.failing_from)
     returning e.tenant_id, e.webhook_id, e.disabled_reason`,
    [
      marks.map((it) => it.tenantId),
      marks.map((it) => it.webhookId),
      marks.map((it) => it.url),
      marks.map((it) => it.gone),
      marks.map((it) => it.at.toISOString()),
      // Not by PostgreSQL: Citus changes no rows by a time less an interval.
      marks.map((it) => new Date(it.at.getTime() - failingMaxMs).toISOString()),
    ],
    'disable_webhook_endpoints',
  );
}

/** Erases expired previous secrets. */
export async function erasePreviousSecrets(db: Queryable, now: Date): Promise<void> {
  await db.execute(
    `update webhook_endpoints set previous_secret_sealed = null, previous_secret_until = null
      where previous_secret_until <= $1`,
    [now.toISOString()],
  );
}
