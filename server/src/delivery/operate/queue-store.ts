import type { BounceReason } from '@acuse/mail/reply/reasons';
import type { MessageStatus } from '../../messages/status.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { first } from '../../platform/database/rows.ts';
import { COUNTED_MAX } from '../../platform/database/shared-read.ts';
import type { LastReply } from '../record/outcome.ts';
import type { Pause } from './pause-store.ts';

export interface QueuedFacts {
  readonly message_id: string;
  readonly tenant_id: string;
  readonly tenant_name: string;
  readonly source_pool: string | null;
  readonly status: MessageStatus;
  readonly recipient: string;
  readonly created_at: Date;
  /** Null: queued at acceptance. */
  readonly send_at: Date | null;
  /** Since when it is in this state. */
  readonly since: Date;
  readonly attempts: number;
  readonly last_reply: LastReply | null;
  /** The last attempt's reason; null: none, or from before reasons were kept. */
  readonly bounce_reason: BounceReason | null;
  /** Only for the test mailbox. */
  readonly sandbox: boolean;
  readonly queue: QueuePlace | null;
  /** Held since a restore of the database, because it may have been sent; null: not held. */
  readonly unknown_since: Date | null;
}

export interface QueuePlace {
  readonly destination: string;
  readonly due_at: Date;
  readonly leased_until: Date | null;
  readonly expires_at: Date;
  readonly attempt: number;
  readonly held_by: string | null;
}

export async function findQueued(
  db: Queryable,
  messageId: string,
  tenantId: string | null,
): Promise<QueuedFacts | null> {
  const [row] = await db.query<Omit<QueuedFacts, 'queue'> & Partial<QueuePlace>>(
    `select m.message_id, m.tenant_id, t.name as tenant_name, t.source_pool, m.status,
      m.recipient_address as recipient, m.created_at, m.send_at, m.attempts, m.last_reply, m.bounce_reason,
      m.sandbox,
            case m.status when 'sent' then m.sent_at when 'deferred' then m.deferred_at when 'bounced' then m.bounced_at
                          when 'cancelled' then m.cancelled_at when 'complained' then m.complained_at
                          when 'queued' then coalesce(m.queued_at, m.created_at) else m.created_at end as since,
            q.destination, q.due_at, q.leased_until, q.expires_at, q.attempt, q.held_by,
            u.held_at as unknown_since
       from messages m join tenants t using (tenant_id)
       left join unknown_outcomes u on u.tenant_id = m.tenant_id and u.message_id = m.message_id
       left join delivery_queue q on q.tenant_id = m.tenant_id and q.message_id = m.message_id
      where m.message_id = $1 and m.size_bytes > 0 and ($2::uuid is null or m.tenant_id = $2)`,
    [messageId, tenantId],
  );
  if (row === undefined) return null;
  const { destination, due_at, leased_until, expires_at, attempt, held_by, ...facts } = row;
  if (destination == null) return { ...facts, queue: null };
  return {
    ...facts,
    queue: {
      destination,
      due_at: due_at!,
      leased_until: leased_until ?? null,
      expires_at: expires_at!,
      attempt: attempt!,
      held_by: held_by ?? null,
    },
  };
}

export async function countDueBefore(
  db: Queryable,
  tenantId: string,
  dueAt: Date,
  limit: number,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from (select 1 from delivery_queue where tenant_id = $1 and due_at < $2 limit $3) before`,
    [tenantId, dueAt.toISOString(), limit],
  );
  return row!.count;
}

export function findDestinationPause(db: Queryable, destination: string): Promise<Pause | null> {
  return first<Pause>(
    db,
    'select reason, paused_by, paused_at from paused_destinations where destination = $1',
    [destination],
  );
}

export function findTenantPause(db: Queryable, tenantId: string): Promise<Pause | null> {
  return first<Pause>(db, 'select reason, paused_by, paused_at from paused_tenants where tenant_id = $1', [
    tenantId,
  ]);
}

export interface SeenWindow {
  readonly source_pool: string;
  readonly places: number;
  readonly in_use: number;
  readonly waiting: number;
  readonly closed_until: Date | null;
}

/** Last reports of live processes. */
export function listWindows(db: Queryable, destination: string, since: Date): Promise<SeenWindow[]> {
  return db.query<SeenWindow>(
    'select source_pool, places, in_use, waiting, closed_until from delivery_windows where destination = $1 and reported_at >= $2 order by source_pool, process_id',
    [destination, since.toISOString()],
  );
}

export interface QueueFilter {
  readonly tenantId: string | null;
  readonly destination: string | null;
}

export interface QueueGroup {
  /** A destination, a tenant's id, or an age bound. */
  readonly key: string;
  readonly due: number;
  readonly held: number;
  readonly waiting: number;
  /** The waiting messages that a cap holds. */
  readonly capped: number;
  readonly oldest_at: Date;
  /** Earliest due time, possibly past. */
  readonly next_at: Date;
}

const COUNTS = `(count(*) filter (where due_at <= $1))::integer as due,
            (count(*) filter (where due_at > $1 and leased_until is not null))::integer as held,
            (count(*) filter (where due_at > $1 and leased_until is null))::integer as waiting,
            (count(*) filter (where due_at > $1 and leased_until is null and held_by is not null))::integer
              as capped,
            min(created_at) as oldest_at, min(due_at) as next_at`;
const FILTER = '($2::uuid is null or tenant_id = $2) and ($3::text is null or destination = $3)';

/**
 * Counts at most $4 due longest and $4 due next, in index order. A destination's count skips other messages.
 */
function counted({ tenantId }: QueueFilter): string {
  const [at, now] =
    tenantId === null ? ["timezone('UTC', due_at)", "timezone('UTC', $1::timestamptz)"] : ['due_at', '$1'];
  const part = (is: string) =>
    `(select tenant_id, destination, created_at, due_at, leased_until, held_by from delivery_queue
       where ${at} ${is} ${now} and ${FILTER} order by ${at} limit $4)`;
  return `(${part('<=')} union all ${part('>')}) counted`;
}

const KEYS = {
  destination: 'destination',
  tenant: 'tenant_id::text',
  // The steps of the retry schedule.
  age: `case when created_at > $1::timestamptz - interval '5 minutes' then '< 5 min'
                when created_at > $1::timestamptz - interval '1 hour' then '< 1 h'
                when created_at > $1::timestamptz - interval '4 hours' then '< 4 h'
                when created_at > $1::timestamptz - interval '12 hours' then '< 12 h'
                when created_at > $1::timestamptz - interval '24 hours' then '< 24 h'
                else '>= 24 h' end`,
} as const;

export type QueueKey = keyof typeof KEYS;
export const QUEUE_KEYS = Object.keys(KEYS) as readonly QueueKey[];

/** Groups what waits, largest first, among the counted rows (see `sumQueue`). */
export function groupQueue(
  db: Queryable,
  by: QueueKey,
  filter: QueueFilter,
  now: Date,
  limits: { groups: number; counted?: number },
): Promise<QueueGroup[]> {
  const { groups, counted: each = COUNTED_MAX } = limits;
  return db.query<QueueGroup>(
    `select ${KEYS[by]} as key, ${COUNTS} from ${counted(filter)}
      group by 1 order by count(*) desc, 1 limit $5`,
    [now.toISOString(), filter.tenantId, filter.destination, each, groups],
  );
}

/**
 * The whole queue as one group with an empty key; null: empty. Counts at most `limit` due messages, and as
 * many others.
 */
export function sumQueue(
  db: Queryable,
  filter: QueueFilter,
  now: Date,
  limit = COUNTED_MAX,
): Promise<QueueGroup | null> {
  return first<QueueGroup>(db, `select '' as key, ${COUNTS} from ${counted(filter)} having count(*) > 0`, [
    now.toISOString(),
    filter.tenantId,
    filter.destination,
    limit,
  ]);
}

export function hasMore(sum: QueueGroup | null, limit = COUNTED_MAX): boolean {
  return sum !== null && (sum.due >= limit || sum.held + sum.waiting >= limit);
}

export interface ReplyCount {
  readonly code: number | null;
  readonly text: string;
  readonly count: number;
}

/** Last replies to waiting messages, most frequent first, in a sample. */
export function countLastReplies(
  db: Queryable,
  filter: QueueFilter,
  sample: number,
  limit: number,
): Promise<ReplyCount[]> {
  return db.query<ReplyCount>(
    `select (m.last_reply->>'code')::integer as code, coalesce(m.last_reply->>'text', '') as text,
      count(*)::integer as count
       from (select tenant_id, message_id from delivery_queue
              where ($1::uuid is null or tenant_id = $1) and ($2::text is null or destination = $2) limit $3)
                q
       join messages m using (tenant_id, message_id)
      where m.last_reply is not null
      group by 1, 2 order by count(*) desc, 1, 2 limit $4`,
    [filter.tenantId, filter.destination, sample, limit],
  );
}

export interface ReasonCount {
  /** Null: deferred before the reasons of deferrals were kept. */
  readonly reason: BounceReason | null;
  readonly count: number;
}

/** Why deferred messages wait, most frequent first, in a sample. */
export function countDeferralReasons(
  db: Queryable,
  filter: QueueFilter,
  sample: number,
): Promise<ReasonCount[]> {
  return db.query<ReasonCount>(
    `select m.bounce_reason as reason, count(*)::integer as count
       from (select tenant_id, message_id from delivery_queue
              where ($1::uuid is null or tenant_id = $1) and ($2::text is null or destination = $2) limit $3)
                q
       join messages m using (tenant_id, message_id)
      where m.status = 'deferred'
      group by 1 order by count(*) desc, 1`,
    [filter.tenantId, filter.destination, sample],
  );
}

export async function findTenantName(db: Queryable, tenantId: string): Promise<string | null> {
  const [row] = await db.query<{ name: string }>('select name from tenants where tenant_id = $1', [tenantId]);
  return row?.name ?? null;
}

interface ClosedDestination {
  readonly destination: string;
  readonly source_pool: string;
  readonly closed_until: Date;
  readonly waiting: number;
}

/** Destinations closed by live processes. */
export function listClosed(
  db: Queryable,
  since: Date,
  now: Date,
  limit: number,
): Promise<ClosedDestination[]> {
  return db.query<ClosedDestination>(
    `select destination, source_pool, max(closed_until) as closed_until, sum(waiting)::integer as waiting
       from delivery_windows where reported_at >= $1 and closed_until > $2
      group by destination, source_pool order by sum(waiting) desc, destination limit $3`,
    [since.toISOString(), now.toISOString(), limit],
  );
}
