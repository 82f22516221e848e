import { plainArray, textArray, timeArray } from '../../platform/database/array-text.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { ofTheseOn } from '../../platform/database/of-these.ts';
import { first } from '../../platform/database/rows.ts';
import type { DayCount } from '../next-hop/warm-up.ts';

export interface CapScope {
  readonly tenant_id: string | null;
  readonly source_pool: string | null;
  readonly source: string | null;
  /** EACH: the cap applies to each receiver separately. */
  readonly receiver: string | null;
}

export const EACH = '*';
export type Period = 'hour' | 'day';
export const PERIOD_MS: Readonly<Record<Period, number>> = { hour: 3_600_000, day: 86_400_000 };

export interface Cap extends CapScope {
  readonly cap_id: string;
  readonly period: Period;
  readonly steps: readonly number[];
  readonly warms_up: boolean;
  readonly reason: string;
  readonly made_by: string;
  readonly made_at: Date;
  readonly ends_at: Date | null;
}

/** Caps beyond this number have no effect. */
const CAPS_MAX = 1_000;

const COLUMNS = `cap_id, tenant_id, source_pool, source, receiver, period, steps, warms_up, reason, made_by,
       made_at, ends_at`;

export function listCaps(db: Queryable, now: Date): Promise<Cap[]> {
  return db.query<Cap>(
    `select ${COLUMNS} from delivery_caps where ends_at is null or ends_at > $1
      order by made_at, cap_id limit ${CAPS_MAX}`,
    [now.toISOString()],
    'delivery_list_caps',
  );
}

/** Accounts of the installation's own mail: one, or two after it changed its mode. */
export async function listOwnAccounts(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ tenant_id: string }>(
    'select tenant_id from tenants where internal limit 10',
    [],
    'delivery_own_accounts',
  );
  return rows.map((row) => row.tenant_id);
}

/** Not counting the installation's own accounts. */
export async function areSeveralAccounts(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    `select tenant_id from tenants where not internal and status = 'active' limit 2`,
    [],
    'delivery_several_accounts',
  );
  return rows.length > 1;
}

export function findCap(db: Queryable, capId: string): Promise<Cap | null> {
  return first<Cap>(db, `select ${COLUMNS} from delivery_caps where cap_id = $1`, [capId]);
}

/** Replaces the cap of the same scope and period and keeps its counts; returns it. */
export async function writeCap(db: Queryable, cap: Cap): Promise<Cap> {
  const [row] = await db.query<Cap>(
    `insert into delivery_caps (${COLUMNS})
     values ($1, $2, $3, $4, $5, $6, $7::integer[], $8, $9, $10, $11, $12)
     on conflict (tenant_id, source_pool, source, receiver, period, warms_up) do update
        set steps = excluded.steps, reason = excluded.reason, made_by = excluded.made_by,
            made_at = excluded.made_at, ends_at = excluded.ends_at
     returning ${COLUMNS}`,
    [
      ...[cap.cap_id, cap.tenant_id, cap.source_pool, cap.source, cap.receiver, cap.period],
      ...[plainArray(cap.steps), cap.warms_up, cap.reason, cap.made_by, cap.made_at.toISOString()],
      cap.ends_at?.toISOString() ?? null,
    ],
  );
  return row!;
}

export function deleteCap(db: Queryable, capId: string): Promise<Cap | null> {
  return first<Cap>(db, `delete from delivery_caps where cap_id = $1 returning ${COLUMNS}`, [capId]);
}

/** Makes mail that waited for the cap due at once; returns how many. */
export function takeUpHeldBy(db: Queryable, capId: string, now: Date): Promise<number> {
  return db.execute(
    'update delivery_queue set due_at = $2, held_by = null where held_by = $1 and leased_until is null',
    [capId, now.toISOString()],
  );
}

export interface HeldPart {
  readonly destinations: readonly string[] | null;
  readonly at: Date;
  readonly limit: number;
}

/** A cap may hold a day's mail of everybody, and something is given back every few seconds. */
const HELD_SCANNED_MAX = 10_000;

/**
 * Lets some mail that waits for the cap come due at `at`: accounts and destinations in turn, the next due
 * first, among HELD_SCANNED_MAX that it holds.
 */
export async function takeUpSomeHeldBy(
  db: Queryable,
  capId: string,
  { destinations, at, limit }: HeldPart,
): Promise<void> {
  const next = await db.query<{ tenant_id: string; message_id: string }>(
    `select tenant_id, message_id
       from (select tenant_id, message_id, due_at,
                    row_number() over (partition by tenant_id, destination order by due_at) as turn
               from (select tenant_id, message_id, destination, due_at
                       from delivery_queue
                      where held_by = $1 and leased_until is null and due_at > $2
                      limit $5) scanned
              where $3::text[] is null or destination = any ($3)) held
      order by turn, due_at limit $4`,
    [capId, at.toISOString(), destinations && plainArray(destinations), limit, HELD_SCANNED_MAX],
    'delivery_next_held_by',
  );
  if (next.length === 0) return;
  const these = await ofTheseOn(db, 'q.tenant_id');
  await db.execute(
    `update delivery_queue q set due_at = $4
       from unnest($1::uuid[], $2::uuid[]) as t (tenant_id, message_id)
      where q.tenant_id = t.tenant_id${these} and q.message_id = t.message_id
        and q.held_by = $3 and q.leased_until is null and q.due_at > $4`,
    [
      plainArray(next.map((row) => row.tenant_id)),
      plainArray(next.map((row) => row.message_id)),
      ...[capId, at.toISOString()],
    ],
    'delivery_take_up_some_held_by',
  );
}

export interface CountKey {
  readonly capId: string;
  readonly receiver: string;
  readonly startsAt: Date;
}

export interface CountRow {
  readonly cap_id: string;
  readonly receiver: string;
  readonly starts_at: Date;
  readonly step: number;
  readonly taken: number;
  readonly answered: number;
  readonly turned_away: number;
}

export function dayOf({ step, starts_at, taken, answered, turned_away }: CountRow): DayCount {
  return { step, startsAt: starts_at, taken, answered, turnedAway: turned_away };
}

const COUNT_COLUMNS = 'c.cap_id, c.receiver, c.starts_at, c.step, c.taken, c.answered, c.turned_away';

/** The last counts before these. */
export function lastCounts(tx: Tx, keys: readonly CountKey[]): Promise<CountRow[]> {
  return tx.query<CountRow>(
    `select ${COUNT_COLUMNS}
       from unnest($1::uuid[], $2::text[], $3::timestamptz[]) as k (cap_id, receiver, starts_at)
      cross join lateral (
        select * from delivery_cap_counts b
         where b.cap_id = k.cap_id and b.receiver = k.receiver and b.starts_at < k.starts_at
         order by b.starts_at desc limit 1) c`,
    keyColumns(keys),
    'delivery_last_cap_counts',
  );
}

/** Without effect where another process began the period. */
export async function beginCounts(
  tx: Tx,
  counts: readonly (CountKey & { readonly step: number })[],
): Promise<void> {
  await tx.execute(
    `insert into delivery_cap_counts (cap_id, receiver, starts_at, step)
     select k.cap_id, k.receiver, k.starts_at, k.step
       from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::integer[])
         as k (cap_id, receiver, starts_at, step)
       join delivery_caps using (cap_id) order by 1, 2, 3
     on conflict do nothing`,
    [...keyColumns(counts), plainArray(counts.map(({ step }) => step))],
    'delivery_begin_cap_counts',
  );
}

/** Locked in a fixed order. A missing count belongs to a removed cap. */
export function lockCounts(tx: Tx, keys: readonly CountKey[]): Promise<CountRow[]> {
  return tx.query<CountRow>(
    `select ${COUNT_COLUMNS} from delivery_cap_counts c
       join unnest($1::uuid[], $2::text[], $3::timestamptz[]) as k (cap_id, receiver, starts_at)
         using (cap_id, receiver, starts_at)
      order by c.cap_id, c.receiver, c.starts_at for update of c`,
    keyColumns(keys),
    'delivery_lock_cap_counts',
  );
}

export interface CountChange extends CountKey {
  readonly taken: number;
  readonly answered: number;
  readonly turnedAway: number;
}

/** Adds to counts; `taken` is negative where a reservation is given back. */
export async function addToCounts(tx: Tx, changes: readonly CountChange[]): Promise<void> {
  await tx.execute(
    `update delivery_cap_counts c
        set taken = greatest(0, c.taken + k.taken), answered = c.answered + k.answered,
            turned_away = c.turned_away + k.turned_away
       from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::integer[], $5::integer[], $6::integer[])
         as k (cap_id, receiver, starts_at, taken, answered, turned_away)
      where c.cap_id = k.cap_id and c.receiver = k.receiver and c.starts_at = k.starts_at`,
    [
      ...keyColumns(changes),
      plainArray(changes.map(({ taken }) => taken)),
      plainArray(changes.map(({ answered }) => answered)),
      plainArray(changes.map(({ turnedAway }) => turnedAway)),
    ],
    'delivery_add_to_cap_counts',
  );
}

function keyColumns(keys: readonly CountKey[]): unknown[] {
  return [
    plainArray(keys.map(({ capId }) => capId)),
    textArray(keys.map(({ receiver }) => receiver)),
    timeArray(keys.map(({ startsAt }) => startsAt)),
  ];
}

/** Counts of periods that still run, and the last day of each warm-up; the fullest first. */
export function listCounts(db: Queryable, now: Date, limit: number): Promise<CountRow[]> {
  return db.query<CountRow>(
    `select ${COUNT_COLUMNS} from delivery_caps d cross join lateral (
       select distinct on (c.receiver) c.* from delivery_cap_counts c
        where c.cap_id = d.cap_id and (d.warms_up or c.starts_at >= date_trunc(d.period, $1::timestamptz, 'UTC'))
        order by c.receiver, c.starts_at desc) c
      where d.ends_at is null or d.ends_at > $1
      order by c.starts_at desc, c.taken desc, c.receiver limit $2`,
    [now.toISOString(), limit],
    'delivery_list_cap_counts',
  );
}

export async function deleteCountsBefore(db: Queryable, before: Date): Promise<void> {
  await db.execute('delete from delivery_cap_counts where starts_at < $1', [before.toISOString()]);
}

export async function countHeldByCaps(db: Queryable, limit: number): Promise<number> {
  const [row] = await db.query<{ held: number }>(
    `select count(*)::integer as held
       from (select 1 from delivery_queue where held_by is not null limit $1) h`,
    [limit],
  );
  return row!.held;
}
