import { plainArray } from '../../platform/database/array-text.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { isDistributed } from '../../platform/database/distributed.ts';
import { ofTheseOn } from '../../platform/database/of-these.ts';
import { first } from '../../platform/database/rows.ts';
import { sameRow } from '../../platform/database/same-row.ts';
import { COUNTED_MAX } from '../../platform/database/shared-read.ts';
import { LEASE_END } from '../../platform/queue/leases.ts';
import { isDue } from './due.ts';

/**
 * The delivery queue and a worker's reads; write-backs are in record-store.ts.
 *
 * Only the database's clock gives, extends and judges a lease: a process with a wrong clock takes nothing
 * from
 * another. `now` decides when an unleased message is due.
 */

const DUE_AT = "timezone('UTC', q.due_at)";
const NOW = "timezone('UTC', now())";

/** A leased message. `attempt` fences write-backs; `attempts_made` counts recorded attempts. */
export interface ClaimedRow {
  tenant_id: string;
  message_id: string;
  destination: string;
  attempt: number;
  created_at: Date;
  expires_at: Date;
  header_to: string;
  sender_address: string;
  recipient_address: string;
  reverse_path: string;
  certified: boolean;
  size_bytes: number;
  attempts_made: number;
  was_deferred: boolean;
  source_pool: string | null;
  sandbox: boolean;
}

export interface Claim {
  readonly tenantId: string;
  readonly now: Date;
  readonly limit: number;
  /** Skips what was due earlier; absent: nothing. */
  readonly from?: Date | null;
}

/**
 * The variant of a statement that begins at `from`. Unnamed, because a generic plan may read all of a
 * tenant's rows.
 */
function since({ from }: Claim, at: string, name: string) {
  if (from == null) return { since: '', values: [], name };
  return { since: `and due_at >= ${at}::timestamptz`, values: [from.toISOString()], name: undefined };
}

const CLAIMED = `q.tenant_id, q.message_id, q.destination, q.attempt, q.created_at, q.expires_at, m.header_to,
            m.sender_address, m.recipient_address, m.reverse_path, m.certified, m.size_bytes, m.sandbox,
            m.attempts as attempts_made,
            m.deferred_at is not null as was_deferred`;

const rowsOf = (distributed: boolean) => sameRow(distributed, 'message_id');

/**
 * $1: the tenant. On distributed tables it is repeated for each: `skip locked` works only on one node. A
 * single machine would then read all rows of the tenant.
 */
const leaseDue = (distributed: boolean) => `
  update delivery_queue q set attempt = q.attempt + 1, due_at = ${LEASE_END}, leased_until = ${LEASE_END}
    from due join messages m using (tenant_id, message_id)
   where ${rowsOf(distributed).is('q', 'due')} ${distributed ? 'and m.tenant_id = $1' : ''}
  returning ${CLAIMED},
            (select t.source_pool from tenants t where t.tenant_id = $1) as source_pool`;

export async function claimDue(db: Queryable, claim: Claim): Promise<ClaimedRow[]> {
  const distributed = await isDistributed(db);
  const begin = since(claim, '$4', 'delivery_claim_due');
  const { place } = rowsOf(distributed);
  return db.query<ClaimedRow>(
    `with due as materialized (
       select q.tenant_id, q.message_id${place('q')} from delivery_queue q where tenant_id = $1 and ${isDue('q')}
        ${begin.since} order by due_at limit $3 for update skip locked
     )${leaseDue(distributed)}`,
    [claim.tenantId, claim.now.toISOString(), claim.limit, ...begin.values],
    begin.name,
  );
}

/**
 * As claimDue, without some destinations except expired messages. Looks at `horizon` due rows (about 1 ms per
 * thousand), so that a flood to an excluded destination does not slow every claim.
 */
export async function claimDueElsewhere(
  db: Queryable,
  claim: Claim & { readonly leaveOut: readonly string[]; readonly horizon: number },
): Promise<ClaimedRow[]> {
  const begin = since(claim, '$6', 'delivery_claim_due_elsewhere');
  const { tenantId, now, limit, leaveOut, horizon } = claim;
  const distributed = await isDistributed(db);
  const { place, is } = rowsOf(distributed);
  return db.query<ClaimedRow>(
    `with due as materialized (
       select q.tenant_id, q.message_id${place('q')}
         from (select message_id, destination, due_at, expires_at${place('d')} from delivery_queue d
                where tenant_id = $1 and ${isDue('d')} ${begin.since}
                order by due_at limit $5) near
         join delivery_queue q on ${is('q', 'near')}
        where (near.destination <> all ($4::text[]) or near.expires_at <= $2) and ${isDue('q')}
        order by near.due_at limit $3 for update of q skip locked
     )${leaseDue(distributed)}`,
    [tenantId, now.toISOString(), limit, leaveOut, horizon, ...begin.values],
    begin.name,
  );
}

export async function claimUnleased(
  db: Queryable,
  tenantId: string,
  messageId: string,
): Promise<ClaimedRow | null> {
  const distributed = await isDistributed(db);
  const { place } = rowsOf(distributed);
  return first<ClaimedRow>(
    db,
    `with due as materialized (
       select q.tenant_id, q.message_id${place('q')} from delivery_queue q
        where tenant_id = $1 and message_id = $2 and leased_until is null for update skip locked
     )${leaseDue(distributed)}`,
    [tenantId, messageId],
    'delivery_claim_unleased',
  );
}

/** Leases expired messages among `horizon` due rows of a tenant. */
export async function claimExpired(
  db: Queryable,
  claim: Claim & { readonly horizon: number },
): Promise<ClaimedRow[]> {
  const distributed = await isDistributed(db);
  const { place, is } = rowsOf(distributed);
  return db.query<ClaimedRow>(
    `with due as materialized (
       select q.tenant_id, q.message_id${place('q')}
         from (select message_id, due_at, expires_at${place('d')} from delivery_queue d
                where tenant_id = $1 and ${isDue('d')} order by due_at limit $4) near
         join delivery_queue q on ${is('q', 'near')}
        where near.expires_at <= $2 and ${isDue('q')}
        order by near.due_at limit $3 for update of q skip locked
     )${leaseDue(distributed)}`,
    [claim.tenantId, claim.now.toISOString(), claim.limit, claim.horizon],
    'delivery_claim_expired',
  );
}

/** The addresses that are on the tenant's or the operator's suppression list. */
export async function findSuppressed(
  db: Queryable,
  tenantId: string,
  keys: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ address: string }>(
    `select address from suppressions s where tenant_id = $1 and address = any ($2::text[])
        and (s.source = 'manual' or s.address not like '%@sandbox.test')
     union all
     select address from global_suppressions where address = any ($2::text[])`,
    [tenantId, keys],
    'delivery_find_suppressed',
  );
  return new Set(rows.map((row) => row.address));
}

export interface Postponed {
  readonly until: Date;
  /** The cap that they wait for; null: the destination's window. */
  readonly capId: string | null;
}

/**
 * Moves due messages of paused destinations to the end of the pause, so that claims need not skip them.
 * Leased ones stay.
 */
export async function postponeDue(
  db: Queryable,
  tenantId: string,
  now: Date,
  paused: ReadonlyMap<string, Postponed>,
  limit: number,
): Promise<number> {
  const { place, is } = rowsOf(await isDistributed(db));
  return db.execute(
    `with due as materialized (
       select q.message_id, p.until, p.held_by${place('q')}
         from (select message_id, destination${place('d')} from delivery_queue d
                where tenant_id = $1 and ${isDue('d')} order by due_at limit $5) near
         join unnest($3::text[], $4::timestamptz[], $6::uuid[]) as p (destination, until, held_by)
           using (destination)
         join delivery_queue q on ${is('q', 'near')}
        where ${isDue('q')} and q.expires_at > $2 for update of q skip locked
     )
     update delivery_queue q set due_at = least(due.until, q.expires_at), held_by = due.held_by from due
      where ${is('q', 'due')}`,
    [
      tenantId,
      now.toISOString(),
      [...paused.keys()],
      [...paused.values()].map(({ until }) => until.toISOString()),
      limit,
      [...paused.values()].map(({ capId }) => capId),
    ],
    'delivery_postpone_due',
  );
}

/** Marks messages held in the other mode: they come due this long before their expiry (ms). */
export const HELD_UNTIL_BEFORE_EXPIRY_MS = 1;

/** Makes messages held in the other mode due; returns how many. */
export function takeUpHeld(db: Queryable, sandbox: boolean, now: Date): Promise<number> {
  return db.execute(
    `update delivery_queue q set due_at = $2
       from messages m
      where m.tenant_id = q.tenant_id and m.message_id = q.message_id and m.sandbox = $1
        and q.leased_until is null and q.due_at > $2 and q.expires_at - q.due_at = make_interval(secs => $3 / 1000.0)`,
    [sandbox, now.toISOString(), HELD_UNTIL_BEFORE_EXPIRY_MS],
    'delivery_take_up_held',
  );
}

/**
 * Counts waiting messages of the other mode among the next and the last due. `more`: not all were counted.
 */
export async function countHeld(
  db: Queryable,
  sandbox: boolean,
  limit: number,
): Promise<{ held: number; more: boolean }> {
  const [row] = await db.query<{ held: number; more: boolean }>(
    `with next as materialized (
       select q.tenant_id, q.message_id from delivery_queue q order by ${DUE_AT} limit $2
     ), last as materialized (
       select q.tenant_id, q.message_id from delivery_queue q order by ${DUE_AT} desc limit $2
     )
     select (count(*) filter (where m.sandbox <> $1))::integer as held, count(*) >= 2 * $2 as more
       from (select * from next union select * from last) seen
       join messages m using (tenant_id, message_id)`,
    [sandbox, limit],
    'delivery_count_held',
  );
  return row!;
}

export interface Held {
  readonly tenantId: string;
  readonly messageId: string;
  readonly attempt: number;
}

/** Extends leases still held, expired or not; returns their ids. A missing one is lost. */
export async function extendLeases(db: Queryable, held: readonly Held[]): Promise<Set<string>> {
  const these = await ofTheseOn(db, 'q.tenant_id');
  const rows = await db.query<{ message_id: string }>(
    `update delivery_queue q set due_at = ${LEASE_END}, leased_until = ${LEASE_END}
       from unnest($1::uuid[], $2::uuid[], $3::integer[]) as h (tenant_id, message_id, attempt)
      where q.tenant_id = h.tenant_id${these} and q.message_id = h.message_id and q.attempt = h.attempt and
        q.leased_until is not null
     returning q.message_id`,
    [held.map((item) => item.tenantId), held.map((item) => item.messageId), held.map((item) => item.attempt)],
    'delivery_extend_leases',
  );
  return new Set(rows.map((row) => row.message_id));
}

/** Ends all leases. A holder's write-back counts until the message is claimed again. */
export async function freeMessages(tx: Tx): Promise<void> {
  await tx.execute(
    'update delivery_queue set due_at = now(), leased_until = null where leased_until is not null',
  );
}

/**
 * Takes over messages that a server has accepted, so that nobody sends them again. Only waiting ones; the new
 * attempt number fences off the holder.
 */
export function takeOver(
  db: Queryable,
  wanted: readonly { tenantId: string; messageId: string }[],
): Promise<ClaimedRow[]> {
  return db.query<ClaimedRow>(
    `update delivery_queue q set attempt = q.attempt + 1, due_at = ${LEASE_END}, leased_until = ${LEASE_END}
       from unnest($1::uuid[], $2::uuid[]) as w (tenant_id, message_id) join messages m using (tenant_id,
         message_id)
      where q.tenant_id = w.tenant_id and q.message_id = w.message_id
     returning ${CLAIMED}, null as source_pool`,
    [plainArray(wanted.map((item) => item.tenantId)), plainArray(wanted.map((item) => item.messageId))],
    'delivery_take_over',
  );
}

/** Finds attempts already recorded: a commit whose answer was lost. */
export async function findAttempts(
  db: Queryable,
  wanted: readonly { tenantId: string; messageId: string; startedAt: Date; finishedAt: Date }[],
): Promise<Set<string>> {
  const these = await ofTheseOn(db, 'a.tenant_id');
  const rows = await db.query<{ message_id: string }>(
    `select a.message_id
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[]) as w (tenant_id, message_id,
         started_at, finished_at)
       join attempts a using (tenant_id, message_id)
      where a.started_at = w.started_at and a.finished_at = w.finished_at${these}`,
    [
      wanted.map((item) => item.tenantId),
      wanted.map((item) => item.messageId),
      wanted.map((item) => item.startedAt.toISOString()),
      wanted.map((item) => item.finishedAt.toISOString()),
    ],
    'delivery_find_attempts',
  );
  return new Set(rows.map((row) => row.message_id));
}

export async function loadRaw(
  db: Queryable,
  wanted: readonly { tenantId: string; messageId: string }[],
): Promise<Map<string, Buffer>> {
  const these = await ofTheseOn(db, 'c.tenant_id');
  const rows = await db.query<{ message_id: string; raw: Buffer }>(
    `select c.message_id, c.raw from unnest($1::uuid[], $2::uuid[]) as w (tenant_id, message_id)
       join message_contents c on c.tenant_id = w.tenant_id and c.message_id = w.message_id${these}`,
    [plainArray(wanted.map((item) => item.tenantId)), plainArray(wanted.map((item) => item.messageId))],
    'delivery_load_raw',
  );
  return new Map(rows.map((row) => [row.message_id, row.raw]));
}

interface SigningKeyRow {
  dkim_key_id: string;
  selector: string;
  algorithm: 'rsa-sha256' | 'ed25519-sha256';
  private_key_sealed: Buffer;
}

export function loadSigningKeys(db: Queryable, tenantId: string, domain: string): Promise<SigningKeyRow[]> {
  return db.query<SigningKeyRow>(
    `select k.dkim_key_id, k.selector, k.algorithm, k.private_key_sealed
       from domains d join dkim_keys k on k.tenant_id = d.tenant_id and k.domain_id = d.domain_id
      where d.tenant_id = $1 and d.name = $2 and k.status = 'active'
      order by k.algorithm desc`,
    [tenantId, domain],
    'delivery_load_signing_keys',
  );
}

/**
 * Waiting messages by state, each counted up to `limit`, the age of the oldest, and for how long one has been
 * due (s); with more, an estimate from those due longest, due next and waiting longest.
 */
export async function queueStates(
  db: Queryable,
  limit = COUNTED_MAX,
): Promise<{ due: number; held: number; waiting: number; oldestSeconds: number; overdueSeconds: number }> {
  const [row] = await db.query<
    Record<'due' | 'held' | 'waiting' | 'oldest_seconds' | 'overdue_seconds', number>
  >(
    `with due as materialized (
       select count(*)::integer as messages, min(created_at) as oldest, min(due_at) as since
         from (select q.created_at, q.due_at from delivery_queue q where ${DUE_AT} <= ${NOW}
                order by ${DUE_AT} limit $1) d
     ), later as materialized (
       select count(*)::integer as messages,
              (count(*) filter (where leased_until is not null))::integer as held, min(created_at) as oldest
         from (select q.created_at, q.leased_until from delivery_queue q where ${DUE_AT} > ${NOW}
                order by ${DUE_AT} limit $1) l
     ), last as materialized (
       select min(created_at) as oldest
         from (select q.created_at from delivery_queue q
                where (select messages from later) = $1 and ${DUE_AT} > ${NOW}
                order by ${DUE_AT} desc limit $1) l
     )
     select due.messages as due, later.held, later.messages - later.held as waiting,
            coalesce(extract(epoch from now() - least(due.oldest, later.oldest, last.oldest)), 0)
              ::double precision as oldest_seconds,
            coalesce(extract(epoch from now() - due.since), 0)::double precision as overdue_seconds
       from due cross join later cross join last`,
    // Unnamed: a plan made for an empty queue would be kept.
    [limit],
  );
  return {
    due: row!.due,
    held: row!.held,
    waiting: row!.waiting,
    oldestSeconds: Math.max(0, row!.oldest_seconds),
    overdueSeconds: row!.overdue_seconds,
  };
}
