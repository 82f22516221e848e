import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { isDistributed } from '../../platform/database/distributed.ts';
import { sameRow } from '../../platform/database/same-row.ts';
import { isDue } from '../claim/due.ts';

/** Pauses by an operator. Statements that postpone messages check the pause themselves. */

export interface Pause {
  readonly reason: string;
  readonly paused_by: string;
  readonly paused_at: Date;
}

export interface PausedDestination extends Pause {
  readonly destination: string;
}

export interface PausedTenant extends Pause {
  readonly tenant_id: string;
}

/** Pauses beyond this number have no effect. */
const PAUSES_MAX = 1_000;

export function listPausedDestinations(db: Queryable): Promise<PausedDestination[]> {
  return db.query<PausedDestination>(
    'select destination, reason, paused_by, paused_at from paused_destinations order by paused_at, destination limit $1',
    [PAUSES_MAX],
    'delivery_list_paused_destinations',
  );
}

/** `among`: only these accounts; null: all. */
export function listPausedTenants(
  db: Queryable,
  among: readonly string[] | null = null,
): Promise<PausedTenant[]> {
  return db.query<PausedTenant>(
    `select tenant_id, reason, paused_by, paused_at from paused_tenants
      ${among === null ? '' : 'where tenant_id = any ($2::uuid[])'} order by paused_at, tenant_id limit $1`,
    [PAUSES_MAX, ...(among === null ? [] : [among])],
    among === null ? 'delivery_list_paused_tenants' : undefined,
  );
}

export async function countPauses(db: Queryable): Promise<{ destination: number; tenant: number }> {
  const [row] = await db.query<{ destination: number; tenant: number }>(
    'select (select count(*)::integer from paused_destinations) as destination, (select count(*)::integer from paused_tenants) as tenant',
    [],
    'delivery_count_pauses',
  );
  return row!;
}

export async function pauseDestination(db: Queryable, destination: string, pause: Pause): Promise<void> {
  await db.execute(
    `insert into paused_destinations (destination, reason, paused_by, paused_at) values ($1, $2, $3, $4)
     on conflict (destination) do update set reason = excluded.reason, paused_by = excluded.paused_by`,
    [destination, pause.reason, pause.paused_by, pause.paused_at.toISOString()],
  );
}

export async function pauseTenant(db: Queryable, tenantId: string, pause: Pause): Promise<void> {
  await db.execute(
    `insert into paused_tenants (tenant_id, reason, paused_by, paused_at) values ($1, $2, $3, $4)
     on conflict (tenant_id) do update set reason = excluded.reason, paused_by = excluded.paused_by`,
    [tenantId, pause.reason, pause.paused_by, pause.paused_at.toISOString()],
  );
}

/**
 * Postpones a tenant's due messages to paused destinations until they expire, so that claims need not skip
 * them. Locks the pause: an end of the pause waits and then finds them.
 */
export async function putOffPausedDestinations(
  db: Db,
  tenantId: string,
  now: Date,
  limit: number,
): Promise<number> {
  if (await isDistributed(db)) return putOffOnNodes(db, tenantId, now, limit);
  const { place, is } = sameRow(false, 'message_id');
  return db.execute(
    `with paused as materialized (select destination from paused_destinations for key share),
      due as materialized (
       select q.message_id${place('q')}
         from (select destination${place('d')} from delivery_queue d
                where tenant_id = $1 and ${isDue('d')} order by due_at limit $3) near
         join paused using (destination)
         join delivery_queue q on ${is('q', 'near')}
        where ${isDue('q')} and q.expires_at > $2 for update of q skip locked
     )
     update delivery_queue q set due_at = q.expires_at from due where ${is('q', 'due')}`,
    [tenantId, now.toISOString(), limit],
    'delivery_put_off_paused_destinations',
  );
}

/**
 * As putOffPausedDestinations, in steps: one statement cannot lock rows of a reference table and of a tenant.
 */
function putOffOnNodes(db: Db, tenantId: string, now: Date, limit: number): Promise<number> {
  return db.transact(async (tx) => {
    const paused = await tx.query<{ destination: string }>(
      'select destination from paused_destinations for key share',
    );
    return tx.execute(
      `with due as materialized (
         select q.tenant_id, q.message_id
           from (select message_id, destination from delivery_queue d
                  where tenant_id = $1 and ${isDue('d')} order by due_at limit $3) near
           join delivery_queue q on q.tenant_id = $1 and q.message_id = near.message_id
          where near.destination = any ($4::text[]) and ${isDue('q')} and q.expires_at > $2
            for update of q skip locked
       )
       update delivery_queue q set due_at = q.expires_at from due
        where q.tenant_id = $1 and q.message_id = due.message_id`,
      [tenantId, now.toISOString(), limit, paused.map(({ destination }) => destination)],
    );
  });
}

export async function putOffPausedTenant(
  db: Db,
  tenantId: string,
  now: Date,
  limit: number,
): Promise<number> {
  const { place, is } = sameRow(await isDistributed(db), 'message_id');
  return db.execute(
    `with paused as materialized (select tenant_id from paused_tenants where tenant_id = $1 for key share),
      due as materialized (
       select q.message_id${place('q')}
         from (select tenant_id, message_id${place('d')} from delivery_queue d
                where tenant_id = $1 and ${isDue('d')} order by due_at limit $3) near
         join paused using (tenant_id)
         join delivery_queue q on ${is('q', 'near')}
        where ${isDue('q')} and q.expires_at > $2 for update of q skip locked
     )
     update delivery_queue q set due_at = q.expires_at from due where ${is('q', 'due')}`,
    [tenantId, now.toISOString(), limit],
    'delivery_put_off_paused_tenant',
  );
}

export async function endDestinationPause(tx: Tx, destination: string): Promise<boolean> {
  return (await tx.execute('delete from paused_destinations where destination = $1', [destination])) > 0;
}

export async function endTenantPause(tx: Tx, tenantId: string): Promise<boolean> {
  return (await tx.execute('delete from paused_tenants where tenant_id = $1', [tenantId])) > 0;
}

/** Makes postponed messages due; returns how many. Call after the pause ended. */
export function takeUpDestination(tx: Tx, destination: string, now: Date): Promise<number> {
  return tx.execute(
    `update delivery_queue set due_at = $2
      where destination = $1 and due_at = expires_at and due_at > $2 and leased_until is null`,
    [destination, now.toISOString()],
  );
}

export function takeUpTenant(tx: Tx, tenantId: string, now: Date): Promise<number> {
  return tx.execute(
    `update delivery_queue set due_at = $2
      where tenant_id = $1 and due_at = expires_at and due_at > $2 and leased_until is null`,
    [tenantId, now.toISOString()],
  );
}

/** A full or closed destination, as one process sees it. */
export interface WindowReport {
  readonly destination: string;
  readonly pool: string;
  readonly places: number;
  readonly inUse: number;
  readonly waiting: number;
  readonly closedUntil: Date | null;
}

export async function replaceWindowReports(
  tx: Tx,
  processId: string,
  reports: readonly WindowReport[],
  now: Date,
): Promise<void> {
  await tx.execute(
    'delete from delivery_windows where process_id = $1',
    [processId],
    'delivery_delete_windows',
  );
  if (reports.length === 0) return;
  await tx.execute(
    `insert into delivery_windows (process_id, destination, source_pool, places, in_use, waiting,
      closed_until, reported_at)
     select $1, t.destination, t.source_pool, t.places, t.in_use, t.waiting, t.closed_until, $8
       from unnest($2::text[], $3::text[], $4::integer[], $5::integer[], $6::integer[], $7::timestamptz[])
         as t (destination, source_pool, places, in_use, waiting, closed_until)`,
    [
      processId,
      reports.map((report) => report.destination),
      reports.map((report) => report.pool),
      reports.map((report) => report.places),
      reports.map((report) => report.inUse),
      reports.map((report) => report.waiting),
      reports.map((report) => report.closedUntil?.toISOString() ?? null),
      now.toISOString(),
    ],
    'delivery_insert_windows',
  );
}

/** Deletes reports of dead processes. */
export function deleteWindowReportsBefore(db: Queryable, before: Date): Promise<number> {
  return db.execute('delete from delivery_windows where reported_at < $1', [before.toISOString()]);
}
