import { Blob } from '../platform/blob.ts';
import { plainArray } from '../platform/database/array-text.ts';
import type { Queryable, Tx } from '../platform/database/db.ts';
import { isDistributed } from '../platform/database/distributed.ts';
import { ofThese, ofTheseOn } from '../platform/database/of-these.ts';
import { sameRow } from '../platform/database/same-row.ts';
import { LEASE_END, LEASE_END_OF_STATEMENT, type Mark } from '../platform/queue/leases.ts';
import { isDue } from './due.ts';
import type { SealedSecrets } from './secrets.ts';

export interface NewDelivery {
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly messageId: string;
  readonly type: string;
  /** One object per event, so that it travels once. */
  readonly body: Buffer;
  readonly createdAt: Date;
  /** Waits outside the sandbox. */
  readonly sandbox: boolean;
}

export const FIRST_ATTEMPT = 1;

/** The deliveries of a statement that this process leases from the start. */
export interface HeldFromStart {
  readonly leaseId: string;
  readonly held: readonly boolean[];
}

export function insertDeliveries(
  tx: Tx,
  deliveries: readonly NewDelivery[],
  from: HeldFromStart | null,
): void {
  const queued = [
    plainArray(deliveries.map((it) => it.tenantId)),
    plainArray(deliveries.map((it) => it.deliveryId)),
    plainArray(deliveries.map((it) => it.webhookId)),
    plainArray(deliveries.map((it) => it.createdAt.toISOString())),
  ];
  const bodies = new Blob(deliveries.map((it) => it.body));
  tx.send(
    `insert into webhook_deliveries (tenant_id, delivery_id, webhook_id, created_at, event_id, message_id,
      type, body)
     select t.tenant_id, t.delivery_id, t.webhook_id, t.created_at, t.event_id, t.message_id, t.type,
       substring($8::bytea from t.from_at for t.length)
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::uuid[], $6::uuid[], $7::text[],
         $9::integer[], $10::integer[])
         as t (tenant_id, delivery_id, webhook_id, created_at, event_id, message_id, type, from_at, length)
     returning null`,
    [
      ...queued,
      plainArray(deliveries.map((it) => it.eventId)),
      plainArray(deliveries.map((it) => it.messageId)),
      plainArray(deliveries.map((it) => it.type)),
      bodies.bytes,
      plainArray(bodies.from),
      plainArray(bodies.lengths),
    ],
    'insert_webhook_deliveries',
  );
  if (from === null) tx.send(WAITING, queued, 'insert_webhook_queue');
  else tx.send(HELD, [...queued, plainArray(from.held), from.leaseId], 'insert_webhook_queue_held');
}

const WAITING = `insert into webhook_queue (tenant_id, delivery_id, webhook_id, due_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[])
     returning null`;

/** The lease begins with the statement: the transaction may be older. */
const HELD = `insert into webhook_queue (tenant_id, delivery_id, webhook_id, due_at, attempt, lease_id)
     select t.tenant_id, t.delivery_id, t.webhook_id,
            case when t.held then ${LEASE_END_OF_STATEMENT} else t.created_at end,
            case when t.held then ${FIRST_ATTEMPT} else 0 end, case when t.held then $6::uuid end
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::boolean[])
         as t (tenant_id, delivery_id, webhook_id, created_at, held)
     returning null`;

/** With URL and secrets as of the lease. */
export interface ClaimedDelivery extends SealedSecrets {
  tenant_id: string;
  webhook_id: string;
  delivery_id: string;
  /** Attempts since it was queued, this one included. */
  attempt: number;
  /** Recorded attempts, replays included. */
  attempts_made: number;
  lease_id: string;
  event_id: string;
  message_id: string;
  type: string;
  body: Buffer;
  url: string;
  /** Absent: claimed when read. */
  leasedAt?: Mark;
}

export interface Claim {
  readonly tenantId: string;
  readonly webhookId: string;
  /** New per claim; fences write-backs. */
  readonly leaseId: string;
  readonly now: Date;
  readonly limit: number;
  /** Rows due earlier are skipped; absent: none. */
  readonly from?: Date | null;
}

/** Leases up to `limit` due deliveries of an endpoint, oldest first; none while it is disabled. */
export async function claimDeliveries(db: Queryable, claim: Claim): Promise<ClaimedDelivery[]> {
  const from = claim.from?.toISOString() ?? null;
  const distributed = await isDistributed(db);
  const { place, is } = sameRow(distributed, 'delivery_id');
  return db.query<ClaimedDelivery>(
    `with endpoint as materialized (
       select tenant_id, url, secret_sealed, previous_secret_sealed, previous_secret_until
         from webhook_endpoints where tenant_id = $1 and webhook_id = $2 and enabled
     ), due as materialized (
       select q.tenant_id, q.delivery_id${place('q')} from webhook_queue q
        where tenant_id = $1 and webhook_id = $2 and exists (select 1 from endpoint) and ${isDue('$3')}
          ${from === null ? '' : 'and due_at >= $6::timestamptz'} order by due_at limit $4 for update skip locked
     )
     update webhook_queue q set attempt = q.attempt + 1, due_at = ${LEASE_END}, lease_id = $5
       from due join webhook_deliveries d using (tenant_id, delivery_id) join endpoint e using (tenant_id)
      where ${is('q', 'due')} ${distributed ? 'and d.tenant_id = $1' : ''}
     returning q.tenant_id, q.webhook_id, q.delivery_id, q.attempt, q.lease_id, d.event_id, d.message_id,
               d.type, d.body,
               case when q.attempt = 1 and not q.again then 0 else coalesce((
                 select max(a.attempt) from webhook_attempts a
                  where a.tenant_id = q.tenant_id and a.delivery_id = q.delivery_id), 0) end as attempts_made,
               e.url, e.secret_sealed, e.previous_secret_sealed, e.previous_secret_until`,
    [
      claim.tenantId,
      claim.webhookId,
      claim.now.toISOString(),
      claim.limit,
      claim.leaseId,
      ...(from === null ? [] : [from]),
    ],
    // With `from` it is unnamed: a generic plan may read everything.
    from === null ? 'claim_webhook_deliveries' : undefined,
  );
}

type Held = Pick<ClaimedDelivery, 'tenant_id' | 'delivery_id' | 'lease_id'>;

/** Extends leases still held, expired or not; returns their ids. A missing one is lost. */
export async function extendDeliveries(db: Queryable, held: readonly Held[]): Promise<Set<string>> {
  const these = await ofTheseOn(db, 'q.tenant_id');
  const rows = await db.query<{ delivery_id: string }>(
    `update webhook_queue q set due_at = ${LEASE_END}
       from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as t (tenant_id, delivery_id, lease_id)
      where q.tenant_id = t.tenant_id${these} and q.delivery_id = t.delivery_id and q.lease_id = t.lease_id
     returning q.delivery_id`,
    [held.map((it) => it.tenant_id), held.map((it) => it.delivery_id), held.map((it) => it.lease_id)],
    'extend_webhook_deliveries',
  );
  return new Set(rows.map((row) => row.delivery_id));
}

export async function freeDeliveries(tx: Tx): Promise<void> {
  await tx.execute('update webhook_queue set due_at = now(), lease_id = null where lease_id is not null');
}

/** Returns unused leases without counting an attempt. */
export async function releaseClaims(
  tx: Tx,
  claims: readonly (Held & { readonly dueAt: Date })[],
): Promise<void> {
  await tx.execute(
    `update webhook_queue q set due_at = t.due_at, lease_id = null, attempt = q.attempt - 1
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) as t (tenant_id, delivery_id,
         lease_id, due_at)
      where q.tenant_id = t.tenant_id${ofThese(tx, 'q.tenant_id')} and q.delivery_id = t.delivery_id and q.lease_id = t.lease_id`,
    [
      claims.map((it) => it.tenant_id),
      claims.map((it) => it.delivery_id),
      claims.map((it) => it.lease_id),
      claims.map((it) => it.dueAt.toISOString()),
    ],
  );
}

/**
 * Fails up to `limit` waiting deliveries of a disabled or deleted endpoint; they can be replayed. Leased ones
 * finish.
 */
export async function failWaiting(
  db: Queryable,
  tenantId: string,
  webhookId: string,
  limit: number,
): Promise<void> {
  const { place, is } = sameRow(await isDistributed(db), 'delivery_id');
  await db.execute(
    `with page as materialized (
       select q.tenant_id, q.delivery_id${place('q')} from webhook_queue q
        where q.tenant_id = $1 and q.webhook_id = $2 and (q.lease_id is null or q.due_at <= now())
          and not exists (select 1 from webhook_endpoints e where e.tenant_id = $1 and e.webhook_id = $2 and
            e.enabled)
        limit $3 for update of q skip locked
     ), ended as (
       delete from webhook_queue q using page where ${is('q', 'page')}
     )
     update webhook_deliveries d set failed = true, disabled_after = coalesce((
         select max(a.attempt) from webhook_attempts a
          where a.tenant_id = d.tenant_id and a.delivery_id = d.delivery_id), 0)
       from page where d.tenant_id = page.tenant_id and d.delivery_id = page.delivery_id`,
    [tenantId, webhookId, limit],
    'fail_waiting_webhook_deliveries',
  );
}

/** Leased ones are left to their worker. */
async function putInLine(
  tx: Tx,
  deliveries: readonly { tenantId: string; webhookId: string; deliveryId: string }[],
  now: Date,
): Promise<void> {
  await tx.execute(
    `insert into webhook_queue (tenant_id, delivery_id, webhook_id, due_at, again)
     select t.tenant_id, t.delivery_id, t.webhook_id, $4::timestamptz, true
       from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as t (tenant_id, delivery_id, webhook_id)
     on conflict (tenant_id, delivery_id) do update set due_at = excluded.due_at, attempt = 0, again = true
      where webhook_queue.lease_id is null`,
    [
      plainArray(deliveries.map((it) => it.tenantId)),
      plainArray(deliveries.map((it) => it.deliveryId)),
      plainArray(deliveries.map((it) => it.webhookId)),
      now.toISOString(),
    ],
    'webhook_put_in_line',
  );
}

/** Requeues one delivery with all its retries; a leased one is left to its worker. Zero: unknown id. */
export async function requeueOne(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  deliveryId: string,
  now: Date,
): Promise<number> {
  const chosen = await tx.execute(
    `update webhook_deliveries set failed = false
      where tenant_id = $1 and webhook_id = $2 and delivery_id = $3`,
    [tenantId, webhookId, deliveryId],
  );
  if (chosen > 0) await putInLine(tx, [{ tenantId, webhookId, deliveryId }], now);
  return chosen;
}

export interface FailedPage {
  count: number;
  last: string | null;
}

/** SQL: failed since $3. */
const FAILED = `webhook_deliveries
        where tenant_id = $1 and webhook_id = $2 and failed and created_at >= $3`;

/** Requeues a page of failed deliveries since `since`, in id order. */
export async function requeueFailed(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  {
    since,
    now,
    page,
  }: { readonly since: Date; readonly now: Date; readonly page: { after: string | null; limit: number } },
): Promise<FailedPage> {
  const rows = await tx.query<{ deliveryId: string }>(
    `with page as materialized (
       select tenant_id, delivery_id from ${FAILED}
          and ($4::uuid is null or delivery_id > $4)
        order by delivery_id limit $5 for update
     )
     update webhook_deliveries d set failed = false from page
      where d.tenant_id = $1 and d.delivery_id = page.delivery_id
     returning d.delivery_id as "deliveryId"`,
    [tenantId, webhookId, since.toISOString(), page.after, page.limit],
  );
  const deliveryIds = rows.map(({ deliveryId }) => deliveryId).sort();
  if (deliveryIds.length > 0)
    await putInLine(
      tx,
      deliveryIds.map((deliveryId) => ({ tenantId, webhookId, deliveryId })),
      now,
    );
  return { count: deliveryIds.length, last: deliveryIds.at(-1) ?? null };
}

export interface WaitingPage {
  readonly since: Date;
  readonly now: Date;
  readonly limit: number;
}

/** SQL: created since $4, and waiting for an attempt later than $3. */
const WAITING_LATER = `webhook_queue q
         join webhook_deliveries d on d.tenant_id = q.tenant_id and d.delivery_id = q.delivery_id
        where q.tenant_id = $1 and q.webhook_id = $2 and q.due_at > $3 and q.lease_id is null
          and d.created_at >= $4`;

/** Makes up to `limit` deliveries that wait for a later attempt due, with all retries. */
export async function requeueWaiting(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  { since, now, limit }: WaitingPage,
): Promise<number> {
  return tx.execute(
    `with page as materialized (
       select q.tenant_id, q.delivery_id from ${WAITING_LATER}
        order by q.due_at limit $5 for update of q skip locked
     )
     update webhook_queue q set due_at = $3, attempt = 0, again = true from page
      where q.tenant_id = $1 and q.delivery_id = page.delivery_id`,
    [tenantId, webhookId, now.toISOString(), since.toISOString(), limit],
    'requeue_waiting_webhook_deliveries',
  );
}

/** Counting stops here: some 10 ms. */
export const REPLAYABLE_COUNTED_MAX = 10_000;

/** REPLAYABLE_COUNTED_MAX + 1 means more. */
export async function countFailedDeliveries(
  q: Queryable,
  tenantId: string,
  webhookId: string,
  since: Date,
): Promise<number> {
  const [row] = await q.query<{ count: number }>(
    `select count(*) as count from (
       select 1 from ${FAILED} limit $4
     ) failed`,
    [tenantId, webhookId, since.toISOString(), REPLAYABLE_COUNTED_MAX + 1],
    'count_failed_webhook_deliveries',
  );
  return row!.count;
}

/** Those that wait for a later attempt; REPLAYABLE_COUNTED_MAX + 1 means more. */
export async function countWaitingDeliveries(
  q: Queryable,
  tenantId: string,
  webhookId: string,
  { since, now }: Pick<WaitingPage, 'since' | 'now'>,
): Promise<number> {
  const [row] = await q.query<{ count: number }>(
    `select count(*) as count from (
       select 1 from ${WAITING_LATER} limit $5
     ) waiting`,
    [tenantId, webhookId, now.toISOString(), since.toISOString(), REPLAYABLE_COUNTED_MAX + 1],
    'count_waiting_webhook_deliveries',
  );
  return row!.count;
}
